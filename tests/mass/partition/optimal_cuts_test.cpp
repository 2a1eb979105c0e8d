#include <mass/partition/optimal_cuts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace {

using mass::RowPartition;
using mass::RowRange;
using mass::detail::balancedPartition;
using mass::detail::imbalanceOf;
using Costs = std::vector<double>;
using Rows = std::vector<std::int64_t>;

bool allFit(int, RowRange) {
  return true;
}

Rows bandsOf(const Costs& costs, int devices, const mass::detail::RowsFit& fit = allFit) {
  const auto partition = balancedPartition(costs, devices, fit);
  return partition ? partition->bands() : Rows{};
}

TEST(Balance, RowsThatCostTheSameAreSharedEvenly) {
  EXPECT_EQ(bandsOf(Costs(12, 1.0), 4), (Rows{3, 3, 3, 3}));
  EXPECT_EQ(bandsOf(Costs(7, 0.1), 1), (Rows{7}));
  for (int devices = 1; devices <= 11; ++devices) {
    const Rows bands = bandsOf(Costs(11, 2.5), devices);
    const auto [least, most] = std::minmax_element(bands.begin(), bands.end());
    EXPECT_LE(*most - *least, 1) << devices;
  }
}

TEST(Balance, ADeviceWhoseRowsCostMoreGetsFewer) {
  Costs costs(30, 1.0);
  std::fill_n(costs.begin() + 10, 10,
              4.0);  // rows of the second of three devices cost four times as much
  EXPECT_EQ(bandsOf(costs, 3), (Rows{13, 5, 12}));
}

TEST(Balance, WhatCostsMostMayBeASingleRow) {
  EXPECT_EQ(bandsOf({1, 1, 100, 1, 1}, 3), (Rows{2, 1, 2}));
  EXPECT_EQ(bandsOf({100, 0, 0, 0, 0, 0, 0, 0}, 4), (Rows{1, 3, 2, 2}));
}

TEST(Balance, RowsWithoutCostBetweenOthersAreHalved) {
  EXPECT_EQ(bandsOf({5, 0, 0, 0, 0, 5}, 2), (Rows{3, 3}));
}

TEST(Balance, LaterDevicesMayHaveASingleRowEach) {
  EXPECT_EQ(bandsOf({10, 4, 2, 5}, 3), (Rows{1, 2, 1}));
  EXPECT_EQ(bandsOf({20, 4, 2, 5, 6}, 4), (Rows{1, 2, 1, 1}));
}

TEST(Balance, EveryDeviceGetsARow) {
  EXPECT_EQ(bandsOf({9, 1, 1}, 3), (Rows{1, 1, 1}));
  EXPECT_EQ(bandsOf({0, 0, 9}, 3), (Rows{1, 1, 1}));
  EXPECT_TRUE(bandsOf({1, 1}, 3).empty()) << "there are fewer rows than devices";
}

TEST(Balance, NoDeviceGetsMoreRowsThanItsMemoryHolds) {
  const auto fit = [](int device, RowRange rows) {
    return rows.size() <= Rows{9, 2, 9}.at(static_cast<std::size_t>(device));
  };
  EXPECT_EQ(bandsOf(Costs(12, 1.0), 3, fit), (Rows{5, 2, 5}));
  EXPECT_TRUE(bandsOf(Costs(21, 1.0), 3, fit).empty()) << "20 rows fit";
  EXPECT_EQ(bandsOf(Costs(20, 1.0), 3, fit), (Rows{9, 2, 9}));
  const auto lastIsSmall = [](int device, RowRange rows) { return device < 3 || rows.size() == 1; };
  EXPECT_EQ(bandsOf(Costs(13, 1.0), 4, lastIsSmall), (Rows{4, 4, 4, 1}));
}

TEST(Balance, TheImbalanceIsWhatTheMostLoadedHasAboveTheMean) {
  const auto halves = RowPartition::ofBands(Rows{2, 2});
  EXPECT_DOUBLE_EQ(imbalanceOf(halves, Costs{1, 1, 1, 1}), 0);
  EXPECT_DOUBLE_EQ(imbalanceOf(halves, Costs{3, 3, 1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(imbalanceOf(halves, Costs{0, 0, 0, 0}), 0);
}

/// Returns the seconds of a GPU and of processors, of which a row takes 25 times as long, with a
/// constant part that does not depend on the rows.
std::vector<double> secondsOf(const RowPartition& rows) {
  return {3 + 0.04 * static_cast<double>(rows.range(0).size()),
          1 + static_cast<double>(rows.range(1).size())};
}

TEST(PartitionBySpeed, ConvergesWithinFiveLooks) {
  for (const double share : {0.1, 0.5, 0.001}) {
    for (const double exchange : {0.0, 20.0}) {
      const std::vector<double> fixed{0, exchange};
      RowPartition rows(8000, std::vector{1 - share, share});
      for (int look = 0; look < 5; ++look)
        rows = mass::detail::partitionBySpeed(rows, secondsOf(rows), fixed);
      const std::vector<double> seconds = secondsOf(rows);
      EXPECT_NEAR(seconds[0], seconds[1] + exchange, 1) << "less than a row of the processors";
    }
  }
}

TEST(PartitionBySpeed, LeavesADeviceOneRowThatIsSlowWithoutAny) {
  const RowPartition before = RowPartition::ofBands(Rows{90, 10});
  EXPECT_EQ(mass::detail::partitionBySpeed(before, Costs{9, 5}, Costs{0, 50}).bands(),
            (Rows{99, 1}));
}

TEST(PartitionBySpeed, GivesEachDeviceARow) {
  const auto after = [](const Rows& bands, const Costs& seconds) {
    const Costs none(seconds.size());
    return mass::detail::partitionBySpeed(RowPartition::ofBands(bands), seconds, none).bands();
  };
  EXPECT_EQ(after({5, 5}, {1, 1000}), (Rows{9, 1}));
  EXPECT_EQ(after({2, 6, 2}, {100, 3, 100}), (Rows{1, 8, 1}));
  EXPECT_EQ(after({1, 1, 1}, {1, 1, 1e9}), (Rows{1, 1, 1}));
  EXPECT_EQ(after({4, 4, 4}, {1, 2, 1}), (Rows{5, 2, 5}));
}

/// Returns the minimal cost of the most expensive band of the rows from `begin` on, by exhaustive
/// search.
double least(const Costs& costs, std::size_t begin, std::size_t devices) {
  double best = std::numeric_limits<double>::infinity(), band = 0;
  for (std::size_t end = begin + 1; end + devices - 1 <= costs.size(); ++end) {
    band += costs[end - 1];
    if (devices > 1) best = std::min(best, std::max(band, least(costs, end, devices - 1)));
  }
  return devices > 1 ? best : band;
}

TEST(Balance, NoOtherPartitionHasALowerDearestBand) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    Costs costs(1 + random() % 14);
    for (double& cost : costs) cost = static_cast<double>(random() % 4 == 0 ? 0 : random() % 50);
    const auto most = std::min<std::size_t>(costs.size(), 5);
    const int devices = static_cast<int>(1 + random() % most);
    const auto partition = balancedPartition(costs, devices, allFit);
    ASSERT_TRUE(partition);
    const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
    if (total == 0) continue;
    const double dearest = (imbalanceOf(*partition, costs) + 1) * total / devices;
    EXPECT_NEAR(dearest, least(costs, 0, static_cast<std::size_t>(devices)), 1e-9 * total) << trial;
  }
}

}  // namespace

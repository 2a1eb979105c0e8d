#include <mass/partition/row_partition.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace {

using mass::RowPartition;
using mass::UsageError;
using Weights = std::vector<double>;

/// Checks that bands are contiguous, in order, not empty, cover all rows, and that owner() agrees.
void expectCover(const RowPartition& partition, std::int64_t rows, int devices) {
  ASSERT_EQ(partition.devices(), devices);
  ASSERT_EQ(partition.rows(), rows);
  std::int64_t next = 0;
  for (int device = 0; device < devices; ++device) {
    const mass::RowRange band = partition.range(device);
    ASSERT_EQ(band.begin, next);
    ASSERT_GE(band.size(), 1);
    for (std::int64_t row = band.begin; row < band.end; ++row) {
      ASSERT_EQ(partition.owner(row), device);
    }
    next = band.end;
  }
  ASSERT_EQ(next, rows);
}

TEST(RowPartition, EqualWeightsGiveBandsThatDifferByOneRowAtMost) {
  for (int rows = 1; rows <= 40; ++rows) {
    for (int devices = 1; devices <= 9 && devices <= rows; ++devices) {
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(devices) + " devices");
      const RowPartition partition(rows, Weights(static_cast<std::size_t>(devices), 1.0));
      expectCover(partition, rows, devices);
      for (int device = 0; device < devices; ++device) {
        EXPECT_GE(partition.range(device).size(), rows / devices);
        EXPECT_LE(partition.range(device).size(), (rows + devices - 1) / devices);
      }
    }
  }
}

TEST(RowPartition, MoreDevicesThanRowsIsAnErrorThatNamesBoth) {
  try {
    const RowPartition partition(3, Weights(5, 1.0));
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("3 rows"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("5 devices"), std::string::npos) << error.what();
  }
}

TEST(RowPartition, EveryBandIsWithinARowOfItsShareWhereThatLeavesNoneEmpty) {
  const std::vector<Weights> cases = {
      {1, 2},        {1, 2, 3},         {0.5, 0.25, 0.25}, {3, 1, 4, 1, 5, 9, 2, 6},
      {100, 1, 100}, {1e-3, 1e-3, 2e-3}};
  for (const Weights& weights : cases) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double least = *std::min_element(weights.begin(), weights.end());
    for (const int rows : {13, 40, 211, 1000, 4096}) {
      const int devices = static_cast<int>(weights.size());
      const RowPartition partition(rows, weights);
      expectCover(partition, rows, devices);
      if (rows * least / total < 1) continue;
      for (int device = 0; device < devices; ++device) {
        const double share = rows * weights[static_cast<std::size_t>(device)] / total;
        EXPECT_LE(std::abs(static_cast<double>(partition.range(device).size()) - share), 1.0)
            << rows << " rows, device " << device;
      }
    }
  }
}

TEST(RowPartition, ADeviceOfHardlyAnyWeightStillGetsARow) {
  for (const Weights& weights : std::vector<Weights>{
           {1, 1e-9, 1e-9, 1}, {1e-9, 1e-9, 1}, {1, 1e-9, 1e-9}, {1e-300, 1, 1e300}}) {
    const int devices = static_cast<int>(weights.size());
    expectCover(RowPartition(devices, weights), devices, devices);
    expectCover(RowPartition(50, weights), 50, devices);
  }
}

TEST(RowPartition, WeightsWhoseSumOverflowsKeepTheirShares) {
  const RowPartition partition(90, Weights(3, std::numeric_limits<double>::max()));
  for (int device = 0; device < 3; ++device) EXPECT_EQ(partition.range(device).size(), 30);
}

TEST(RowPartition, RefusesWeightsThatAreNoPositiveNumbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double weight : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW(RowPartition(10, Weights({1.0, weight})), UsageError) << weight;
  }
  EXPECT_THROW(RowPartition(10, Weights{}), UsageError);
}

TEST(RowPartition, BandsOfAnyRows) {
  const std::vector<std::int64_t> rows{3, 1, 9};
  const auto partition = RowPartition::ofBands(rows);
  expectCover(partition, 13, 3);
  EXPECT_EQ(partition.bands(), rows);
  EXPECT_EQ(partition.range(1), (mass::RowRange{3, 4}));
  EXPECT_EQ(RowPartition(6, Weights{1, 1, 1}),
            RowPartition::ofBands(std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_THROW((void)RowPartition::ofBands({}), UsageError);
  EXPECT_THROW((void)RowPartition::ofBands(std::vector<std::int64_t>{2, 0}), UsageError);
}

TEST(RowPartition, IdleDevicesHaveNoRows) {
  const std::vector<std::int64_t> bands{0, 5, 0, 3, 0};
  const RowPartition partition = RowPartition::withIdle(bands);
  EXPECT_EQ(partition.bands(), bands);
  EXPECT_EQ(partition.rows(), 8);
  for (std::int64_t row = 0; row < 8; ++row) EXPECT_EQ(partition.owner(row), row < 5 ? 1 : 3);
  EXPECT_TRUE(partition.isIdle(0) && !partition.isIdle(1) && partition.isIdle(4));
  EXPECT_TRUE(partition.hasIdle());
  EXPECT_FALSE(partition.isOnOneDevice());
  const std::vector<std::int64_t> alone{0, 8}, single{4}, none{0, 0}, negative{3, -1, 2};
  EXPECT_TRUE(RowPartition::withIdle(alone).isOnOneDevice());
  EXPECT_TRUE(RowPartition::withIdle(single).isOnOneDevice());
  EXPECT_FALSE(RowPartition::withIdle(single).hasIdle());
  EXPECT_THROW(RowPartition::withIdle(none), UsageError);
  EXPECT_THROW(RowPartition::withIdle(negative), UsageError);
  EXPECT_THROW(RowPartition::withIdle({}), UsageError);
  EXPECT_THROW(RowPartition::ofBands(alone), UsageError);
}

}  // namespace

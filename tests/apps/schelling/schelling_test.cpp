#include <apps/schelling/setup.hpp>

#include "../../support/make_mass.hpp"
#include "../outputs.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using schelling::Household;
using schelling::World;

mass::Settings settingsFor(int devices, int seed = 0) {
  mass::Settings settings(schelling::schema());
  mass::testing::setDevices(settings, devices, std::max(devices, 2));
  settings.set(fmt::format("seed={}", seed));
  settings.set("MAX_PLACE_EXCHANGE=1");
  return settings;
}
mass::Mass makeMass(int devices, int seed = 0) {
  return mass::Mass(settingsFor(devices, seed));
}

/// Returns the lot of each household, in the order of identities.
std::vector<mass::Coordinates<2>> lotsById(const World& world) {
  const auto lots = world.households().coordinates();
  const auto ids = world.households().ids();
  std::vector<mass::Coordinates<2>> byId(lots.size());
  for (std::size_t i = 0; i < lots.size(); ++i) byId.at(ids[i]) = lots[i];
  return byId;
}

TEST(Schelling, EveryoneWhoIsNotContentFindsALot) {
  auto mass = makeMass(2);
  const World world(mass, 30, 0.8, 0.375);
  EXPECT_EQ(world.households().size(), 720);
  std::int64_t most = 0;
  for (int step = 0; step < 10; ++step) {
    const std::int64_t discontented = world.discontented();
    most = std::max(most, discontented);
    const std::vector<mass::Coordinates<2>> before = lotsById(world);
    EXPECT_EQ(world.step(), discontented);
    const std::vector<mass::Coordinates<2>> after = lotsById(world);
    EXPECT_EQ(after.size(), 720U);
    std::int64_t elsewhere = 0;
    for (std::size_t id = 0; id < after.size(); ++id) elsewhere += after[id] != before[id] ? 1 : 0;
    EXPECT_EQ(elsewhere, discontented) << "each in a lot of another, and no one else";
  }
  EXPECT_GT(most, 180) << "more than the free lots: some took lots that others had left";
}

TEST(Schelling, ManyFindLotsWhereFewAreFree) {
  auto mass = makeMass(3);
  const World world(mass, 20, 0.9925, 0.9);  // 3 free lots
  const std::int64_t discontented = world.discontented();
  EXPECT_GT(discontented, 300);
  EXPECT_EQ(world.step(), discontented);
  EXPECT_EQ(world.households().size(), 397);
}

TEST(Schelling, KindsStayWhatTheyAre) {
  auto mass = makeMass(3);
  const World world(mass, 24, 0.7, 0.5);
  const auto red = world.households().reduce<&Household::isRed>(mass::sum);
  EXPECT_GT(red, 150);
  for (int step = 0; step < 10; ++step) world.step();
  EXPECT_EQ(world.households().reduce<&Household::isRed>(mass::sum), red);
}

TEST(Schelling, IsTheSameOnEverySplitAndAfterARestart) {
  const mass::testing::TemporaryFolder folder;
  const auto run = [](const World& world) {
    std::int64_t moved = 0;
    for (int step = 0; step < 6; ++step) moved = world.step();
    return moved;
  };
  const auto hashOn = [&](int devices) {
    auto mass = makeMass(devices, 4);
    const World world(mass, 41, 0.8, 0.5);
    run(world);
    if (devices == 2) mass.saveCheckpoint(folder / "a.h5", "schelling");
    EXPECT_GT(run(world), 0) << "households still move";
    return mass.hash();
  };
  const auto expected = hashOn(1);
  for (const int devices : {2, 3, 4, 8}) EXPECT_EQ(hashOn(devices), expected) << devices;
  for (const int devices : {1, 3, 8}) {
    auto again = makeMass(devices, 4);
    const World world(again, 41, 0.8, 0.5);
    (void)again.restoreCheckpoint(folder / "a.h5", "schelling");
    run(world);
    EXPECT_EQ(again.hash(), expected) << "after a restart on " << devices;
  }
}

TEST(Schelling, IsWrittenAsPointsAndRows) {
  const mass::testing::TemporaryFolder folder;
  mass::Settings settings = settingsFor(2);
  settings.set("size=10");
  const auto names = mass::testing::outputsOf(settings, "schelling", schelling::setUp, folder);
  EXPECT_TRUE(
      mass::testing::hasAll(names, {"schelling.csv", "households.csv", "households.vtkhdf"}));
  const auto rows = mass::testing::cellsOf(folder / "households.csv");
  EXPECT_EQ(rows.size(), 1U + 3 * 80);
  EXPECT_EQ(rows.front(), (std::vector<std::string>{"step", "id", "row", "column", "isRed"}));
}

TEST(Schelling, IsShownByKinds) {
  auto mass = makeMass(2);
  const World world(mass, 12, 0.8, 0.375);
  std::vector<float> expected(144);
  const auto places = world.households().coordinates();
  const auto isRed = world.households().download<&Household::isRed>();
  for (std::size_t i = 0; i < places.size(); ++i) {
    expected[static_cast<std::size_t>(places[i][0] * 12 + places[i][1])] = isRed[i] ? 2.0F : 1.0F;
  }
  EXPECT_EQ(world.picture().values, expected);
}

TEST(Schelling, AFullTownStaysAsItIsAndAnEmptyOneIsContent) {
  auto mass = makeMass(1);
  const World full(mass, 12, 1, 0.9);
  EXPECT_GT(full.discontented(), 0);
  EXPECT_EQ(full.step(), 0);
  auto another = makeMass(2);
  const World empty(another, 12, 0, 0.9);
  EXPECT_EQ(empty.step(), 0);
  EXPECT_EQ(empty.discontented(), 0);
  EXPECT_EQ(empty.likeness(), 1);
}

/// Sequential reference implementation of the model.
class SequentialModel {
 public:
  SequentialModel(int size, double occupied, double wanted, unsigned seed)
      : size_(size),
        wanted_(wanted),
        lots_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
        random_(seed) {
    const auto households =
        static_cast<std::size_t>(std::lround(occupied * static_cast<double>(lots_.size())));
    for (std::size_t i = 0; i < households; ++i) lots_[i] = 1 + static_cast<int>(random_() % 2);
    std::shuffle(lots_.begin(), lots_.end(), random_);
  }
  void step() {
    std::vector<std::size_t> leaving, free;
    for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
      if (lots_[lot] == 0) free.push_back(lot);
      if (lots_[lot] != 0 && !isContent(lot)) leaving.push_back(lot);
    }
    while (!leaving.empty() && !free.empty()) {
      std::shuffle(leaving.begin(), leaving.end(), random_);
      std::shuffle(free.begin(), free.end(), random_);
      for (std::size_t& lot : free) {
        if (leaving.empty()) break;
        std::swap(lots_[leaving.back()], lots_[lot]);
        lot = leaving.back();  // free from now on
        leaving.pop_back();
      }
    }
  }
  double likeness() const {
    double sum = 0;
    int households = 0;
    for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
      if (lots_[lot] == 0) continue;
      const auto [all, alike] = around(lot);
      sum += all == 0 ? 1.0 : static_cast<double>(alike) / all;
      ++households;
    }
    return sum / households;
  }

 private:
  bool isContent(std::size_t lot) const {
    const auto [all, alike] = around(lot);
    return all == 0 || alike > wanted_ * all;
  }
  std::pair<int, int> around(std::size_t lot) const {
    const int row = static_cast<int>(lot) / size_, column = static_cast<int>(lot) % size_;
    int all = 0, alike = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dy == 0 && dx == 0) continue;
        const int y = (row + dy + size_) % size_, x = (column + dx + size_) % size_;
        const auto before = static_cast<std::size_t>(y) * static_cast<std::size_t>(size_);
        const int other = lots_[before + static_cast<std::size_t>(x)];
        all += other != 0 ? 1 : 0;
        alike += other == lots_[lot] ? 1 : 0;
      }
    }
    return {all, alike};
  }

  int size_;
  double wanted_;
  std::vector<int> lots_;
  std::mt19937 random_;
};

/// Likeness after 15 steps in towns of different seeds, in ascending order.
struct Samples {
  std::vector<double> library, reference;
};
/// Runs `count` towns by the library, with wanted = 0.375, and by the reference.
Samples samplesOf(int count, double wantedOfReference) {
  constexpr int size = 40, steps = 15;
  Samples samples;
  for (int seed = 0; seed < count; ++seed) {
    auto mass = makeMass(1, seed);
    const World world(mass, size, 0.8, 0.375);
    SequentialModel other(size, 0.8, wantedOfReference, static_cast<unsigned>(seed));
    for (int step = 0; step < steps; ++step) {
      world.step();
      other.step();
    }
    samples.library.push_back(world.likeness());
    samples.reference.push_back(other.likeness());
  }
  std::ranges::sort(samples.library);
  std::ranges::sort(samples.reference);
  return samples;
}

struct Moments {
  double mean = 0, variance = 0;
};
Moments momentsOf(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Moments moments;
  for (const double value : values) moments.mean += value / n;
  for (const double value : values) {
    moments.variance += (value - moments.mean) * (value - moments.mean) / (n - 1);
  }
  return moments;
}

/// Returns the Kolmogorov-Smirnov statistic: the largest difference between the empirical
/// distribution functions of two sorted samples.
double kolmogorovSmirnov(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (const auto* const sample : {&a, &b}) {
    for (const double value : *sample) {
      const auto share = [&](const std::vector<double>& values) {
        return static_cast<double>(std::ranges::upper_bound(values, value) - values.begin()) /
               static_cast<double>(values.size());
      };
      largest = std::max(largest, std::abs(share(a) - share(b)));
    }
  }
  return largest;
}

TEST(KolmogorovSmirnov, OfKnownSamples) {
  EXPECT_EQ(kolmogorovSmirnov({1, 2, 3, 4}, {1, 2, 3, 4}), 0);
  EXPECT_EQ(kolmogorovSmirnov({1, 2, 3, 4}, {5, 6, 7, 8}), 1);
  EXPECT_EQ(kolmogorovSmirnov({1, 2, 7, 8}, {3, 4, 5, 6}), 0.5);  // equal means
}

TEST(Schelling, BeginsAtRandom) {
  auto mass = makeMass(1);
  EXPECT_NEAR(World(mass, 40, 0.8, 0.375).likeness(), 0.5, 0.05);
}

TEST(Schelling, SegregatesAsAPlainSequentialProgramDoes) {
  constexpr int count = 60;
  const Samples samples = samplesOf(count, 0.375);
  // Critical value of two samples of one distribution at the level 0.001.
  const double critical = 1.949 * std::sqrt(2.0 / count);
  EXPECT_LT(kolmogorovSmirnov(samples.library, samples.reference), critical);
  const Moments library = momentsOf(samples.library), reference = momentsOf(samples.reference);
  EXPECT_GT(reference.mean, 0.65);
  EXPECT_NEAR(library.mean, reference.mean,
              4 * std::sqrt((library.variance + reference.variance) / count));
  // Critical ratio of two variances of normal samples, F(59, 59), at that level, two-sided.
  constexpr double mostSpread = 2.45;
  EXPECT_LT(library.variance, mostSpread * reference.variance);
  EXPECT_LT(reference.variance, mostSpread * library.variance);
  // A lower `wanted` leads to another distribution, which the test distinguishes.
  const Samples others = samplesOf(count, 0.33);
  EXPECT_GT(kolmogorovSmirnov(others.library, others.reference), critical);
}

}  // namespace

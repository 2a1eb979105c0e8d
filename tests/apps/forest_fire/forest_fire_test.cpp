#include <apps/forest_fire/forest_fire.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace forest_fire {
namespace {

/// Returns the next state of a site.
State next(State state, bool fireBeside, double chance) {
  Site site;
  site.state = state;
  site.advance(fireBeside, chance, /*growth=*/0.5, /*lightning=*/0.1);
  return site.state;
}

TEST(Site, FireLeavesItEmpty) {
  EXPECT_EQ(next(State::burning, true, 0), State::empty);
  EXPECT_EQ(next(State::burning, false, 0.9), State::empty);
}

TEST(Site, TreeBurnsBesideAFireOrWhenStruck) {
  EXPECT_EQ(next(State::tree, true, 0.9), State::burning);
  EXPECT_EQ(next(State::tree, false, 0.09), State::burning);
  EXPECT_EQ(next(State::tree, false, 0.1), State::tree);
}

TEST(Site, TreeGrowsWithTheProbabilityOfGrowth) {
  EXPECT_EQ(next(State::empty, false, 0.49), State::tree);
  EXPECT_EQ(next(State::empty, true, 0.49), State::tree);
  EXPECT_EQ(next(State::empty, false, 0.5), State::empty);
}

mass::Settings settingsFor(int devices) {
  return mass::Settings::parse("devices: " + std::to_string(devices), "test");
}

/// Returns a forest of trees with a fire in the middle, surrounded by empty sites.
mass::Places<Site> burningForest(mass::Mass& mass, std::int64_t size) {
  auto forest = mass.createPlaces<Site>({size, size}, mass::borders<Site>(mass::Border::fixed));
  forest.initialise<&Site::state>([size](const mass::Coordinates<2>& at) {
    return at[0] == size / 2 && at[1] == size / 2 ? State::burning : State::tree;
  });
  return forest;
}

TEST(ForestFire, WithoutGrowthAndLightningTheFrontIsADiamondThatGrowsByOneSiteAStep) {
  constexpr std::int64_t size = 41;
  mass::Mass mass(settingsFor(3));
  auto forest = burningForest(mass, size);
  for (std::int64_t step = 1; step <= size; ++step) {
    forest.callAll<&Site::burn>(0.0, 0.0);
    const std::vector<State> states = forest.download<&Site::state>();
    for (std::int64_t index = 0; index < forest.size(); ++index) {
      const auto distance = std::abs(index / size - size / 2) + std::abs(index % size - size / 2);
      const State expected = distance < step    ? State::empty
                             : distance == step ? State::burning
                                                : State::tree;
      ASSERT_EQ(states[static_cast<std::size_t>(index)], expected)
          << "site " << index << " in step " << step;
    }
  }
  EXPECT_EQ(forest.reduce<&Site::is>(mass::sum, State::empty), size * size);
}

TEST(ForestFire, FireDoesNotJumpOverAnEmptyRow) {
  mass::Mass mass(settingsFor(1));
  auto forest = mass.createPlaces<Site>({8, 8}, mass::borders<Site>(mass::Border::fixed));
  forest.initialise<&Site::state>([](const mass::Coordinates<2>& at) {
    if (at[0] == 4) return State::empty;
    return at[0] == 0 ? State::burning : State::tree;
  });
  forest.callAll<&Site::burn>(mass::steps(20), 0.0, 0.0);
  EXPECT_EQ(forest.reduce<&Site::is>(mass::sum, State::tree), 3 * 8);
}

TEST(ForestFire, SameHashOnEveryNumberOfDevices) {
  std::vector<std::uint64_t> hashes;
  for (const int devices : {1, 2, 3, 4, 8}) {
    mass::Mass mass(settingsFor(devices));
    auto forest = mass.createPlaces<Site>({61, 83});
    forest.callAll<&Site::plant>(0.5);
    forest.callAll<&Site::burn>(mass::steps(200), 0.05, 0.001);
    hashes.push_back(forest.hash());
    EXPECT_EQ(hashes.back(), hashes.front()) << devices << " devices";
  }
}

TEST(ForestFire, PlantsTheDensityAskedFor) {
  mass::Mass mass(settingsFor(2));
  auto forest = mass.createPlaces<Site>({200, 200});
  forest.callAll<&Site::plant>(0.3);
  const double sites = 200.0 * 200.0;
  const double trees = static_cast<double>(forest.reduce<&Site::is>(mass::sum, State::tree));
  EXPECT_NEAR(trees, 0.3 * sites, 5 * std::sqrt(0.3 * 0.7 * sites));
}

TEST(ForestFire, WhatBurnsHasGrown) {
  // A tree burns for one step. So the sums over all steps of burning sites and of p times the empty
  // sites, the expected number of trees grown, differ by the trees that stand at the end.
  constexpr double growth = 0.02;
  mass::Mass mass(mass::Settings::parse("threads: 1", "test"));
  auto forest = mass.createPlaces<Site>({64, 64});
  const auto count = [&](State state) {
    return static_cast<double>(forest.reduce<&Site::is>(mass::sum, state));
  };
  double grown = 0;
  double burnt = 0;
  for (int step = 0; step < 1000; ++step) {
    grown += growth * count(State::empty);
    forest.callAll<&Site::burn>(growth, 0.0005);
    burnt += count(State::burning);
  }
  EXPECT_GT(burnt, 10 * 64 * 64);
  EXPECT_NEAR(burnt + count(State::tree), grown, 5 * std::sqrt(grown));
}

/// Site on which wind carries fire over a gap of one site: its rule reads two sites far.
class WindySite : public mass::Place<2> {
 public:
  static constexpr int reach = 2;
  State state = State::empty;
  using Attributes = mass::Attributes<&WindySite::state>;

  MASS_FN void catchFire(const mass::Neighborhood<WindySite>& near) {
    const bool fire = near(0, -1).state == State::burning || near(0, -2).state == State::burning;
    if (fire && state == State::tree) state = State::burning;
  }
};

TEST(WindySite, IsRefusedByAMaxPlaceExchangeOfOne) {
  mass::Mass narrow(mass::Settings::parse("MAX_PLACE_EXCHANGE: 1", "test"));
  EXPECT_THROW(narrow.createPlaces<WindySite>({8, 8}), mass::SettingsError);

  mass::Mass mass(mass::Settings::parse("devices: 2", "test"));
  auto forest = mass.createPlaces<WindySite>({2, 8}, mass::borders<WindySite>(mass::Border::fixed));
  forest.initialise<&WindySite::state>([](const mass::Coordinates<2>& at) {
    return at[1] == 0 ? State::burning : at[1] % 2 == 0 ? State::tree : State::empty;
  });
  forest.callAll<&WindySite::catchFire>(mass::steps(3));
  const auto states = forest.download<&WindySite::state>();
  for (std::size_t column = 0; column < 8; column += 2) {
    EXPECT_EQ(states[column], State::burning) << "column " << column;
  }
}

}  // namespace
}  // namespace forest_fire

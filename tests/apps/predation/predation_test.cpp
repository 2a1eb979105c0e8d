#include <apps/predation/setup.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"
#include "../outputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace predation {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using Place = mass::Coordinates<2>;
using Ids = std::vector<std::uint64_t>;

mass::Settings settingsFor(int devices, const std::vector<std::string>& more = {}) {
  mass::Settings settings(schema());
  mass::testing::setDevices(settings, devices, std::max(devices, 2));
  for (const std::string& assignment : more) settings.set(assignment);
  return settings;
}

TEST(Ahead, AreTheEightPlacesAroundOneAfterTheOther) {
  std::set<std::pair<int, int>> all;
  for (int direction = 0; direction < 8; ++direction) {
    const auto here = ahead(direction);
    const auto next = ahead((direction + 1) % 8);
    EXPECT_EQ(std::max(std::abs(here[0]), std::abs(here[1])), 1);
    EXPECT_EQ(std::abs(here[0] - next[0]) + std::abs(here[1] - next[1]), 1);
    all.emplace(here[0], here[1]);
  }
  EXPECT_EQ(all.size(), 8U);
}

/// World with animals on given places.
struct Scene {
  explicit Scene(const std::vector<Place>& sheepAt, const std::vector<Place>& wolvesAt = {},
                 int devices = 2)
      : mass(settingsFor(devices)),
        meadows(mass.createPlaces<Meadow>({6, 7})),
        sheep(mass.createAgents<Sheep>(meadows, sheepAt)),
        wolves(mass.createAgents<Wolf>(meadows, wolvesAt)) {
    sheep.initialise<&Sheep::energy>([](std::uint64_t) { return 5.0F; });
    wolves.initialise<&Wolf::energy>([](std::uint64_t) { return 5.0F; });
  }

  mass::Mass mass;
  mass::Places<Meadow> meadows;
  mass::Agents<Sheep> sheep;
  mass::Agents<Wolf> wolves;
};

TEST(Sheep, TheEldestOnAMeadowGetsTheGrassWhichGrowsBack) {
  const Scene scene({{2, 3}, {2, 3}, {4, 4}});
  const Species species{4, 0};
  scene.sheep.callAll<&Sheep::graze>(species, 3);
  scene.meadows.callAll<&Meadow::grow>();
  EXPECT_EQ(scene.sheep.ids(), (Ids{0, 1, 2}));
  EXPECT_EQ(scene.sheep.download<&Sheep::energy>(), (std::vector<float>{9, 5, 9}));
  EXPECT_EQ(scene.meadows.reduce<&Meadow::hasGrass>(mass::sum), 6 * 7 - 2);
  for (int step = 0; step < 3; ++step) {
    scene.sheep.callAll<&Sheep::graze>(species, 3);  // no grass is left
    scene.meadows.callAll<&Meadow::grow>();
  }
  EXPECT_EQ(scene.sheep.download<&Sheep::energy>(), (std::vector<float>{9, 5, 9}));
  EXPECT_EQ(scene.meadows.reduce<&Meadow::hasGrass>(mass::sum), 6 * 7);
}

TEST(Sheep, StarveBelowZero) {
  const Scene scene({{0, 0}, {0, 1}, {0, 2}});
  scene.meadows.initialise<&Meadow::bareFor>([](const Place&) { return 9; });
  scene.sheep.initialise<&Sheep::energy>([](std::uint64_t id) {
    return std::array{-0.5F, 0.0F, 0.5F}.at(id);
  });
  scene.sheep.callAll<&Sheep::graze>(Species{4, 0}, 30);
  scene.sheep.manageAll();
  EXPECT_EQ(scene.sheep.census().died, 1);
  EXPECT_EQ(scene.sheep.ids(), (Ids{1, 2}));
}

TEST(Sheep, GiveHalfOfTheirEnergyToALamb) {
  const Scene scene({{0, 0}, {3, 3}});
  scene.meadows.initialise<&Meadow::bareFor>([](const Place&) { return 9; });
  scene.sheep.callAll<&Sheep::graze>(Species{4, 1}, 30);
  scene.sheep.manageAll();
  EXPECT_EQ(scene.sheep.census().born, 2);
  EXPECT_EQ(scene.sheep.download<&Sheep::energy>(), std::vector<float>(4, 2.5F));
  const auto ids = scene.sheep.ids();
  const auto places = scene.sheep.coordinates();
  const mass::Space<2> world{1, {6, 7}, {true, true}};
  std::map<std::uint64_t, std::array<float, 2>> at;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    at[ids[i]] = {static_cast<float>(places[i][0]), static_cast<float>(places[i][1])};
  }
  for (const std::uint64_t mother : {0U, 1U}) {  // lambs are born on adjacent places
    const auto way = world.way(at.at(mother), at.at(mother + 2));
    EXPECT_TRUE(way.squared == 1 || way.squared == 2) << way.squared;
  }
}

TEST(Wolves, EatOneSheepEachWhereThereAreMoreSheep) {
  const Scene scene({{1, 1}, {1, 1}, {5, 5}, {1, 1}, {0, 6}}, {{1, 1}, {1, 1}, {3, 3}, {0, 6}});
  scene.wolves.callAll<&Wolf::hunt>(scene.sheep, Species{20, 0});
  scene.wolves.manageAll();
  scene.sheep.manageAll();
  EXPECT_EQ(scene.sheep.census().died, 3);
  EXPECT_EQ(scene.sheep.ids(), (Ids{3, 2}));  // in the order of places
  EXPECT_EQ(scene.wolves.ids(), (Ids{3, 0, 1, 2}));
  EXPECT_EQ(scene.wolves.download<&Wolf::energy>(), (std::vector<float>{25, 25, 25, 5}));
}

TEST(Wolves, ShareFewSheepByAge) {
  const Scene scene({{1, 1}}, {{1, 1}, {1, 1}, {1, 1}});
  scene.wolves.callAll<&Wolf::hunt>(scene.sheep, Species{20, 0});
  scene.sheep.manageAll();
  EXPECT_EQ(scene.sheep.census().died, 1);
  EXPECT_EQ(scene.wolves.download<&Wolf::energy>(), (std::vector<float>{25, 5, 5}));
}

TEST(Wolves, EatAsManySheepAsAreEaten) {
  std::vector<Place> sheepAt, wolvesAt;
  std::map<std::pair<std::int64_t, std::int64_t>, std::array<std::int64_t, 2>> counts;
  mass::Random random({.seed = 3});
  for (int i = 0; i < 150; ++i) {
    const Place at{random.below(6), random.below(7)};
    (i < 80 ? sheepAt : wolvesAt).push_back(at);
    ++counts[{at[0], at[1]}].at(i < 80 ? 0 : 1);
  }
  std::int64_t meals = 0;
  for (const auto& [place, here] : counts) meals += std::min(here[0], here[1]);
  for (const int devices : {1, 3, 6}) {
    const Scene scene(sheepAt, wolvesAt, devices);
    scene.wolves.callAll<&Wolf::hunt>(scene.sheep, Species{1, 0});
    scene.sheep.manageAll();
    EXPECT_EQ(scene.sheep.census().died, meals);
    EXPECT_EQ(scene.wolves.reduce<&Wolf::energy>(mass::sum), 5.0 * 70 + static_cast<double>(meals));
  }
}

TEST(World, HasAsManyAsWereBornLessThoseThatDied) {
  mass::Mass mass(settingsFor(3));
  const World world(mass, 40, 200, 60);
  std::int64_t sheep = 200;
  std::int64_t wolves = 60;
  StepCounts all;
  for (int step = 0; step < 200; ++step) {
    const StepCounts counts = world.step();
    sheep += counts.lambs - counts.starvedSheep - counts.eatenSheep;
    wolves += counts.cubs - counts.starvedWolves;
    ASSERT_EQ(world.sheep().size(), sheep) << "step " << step;
    ASSERT_EQ(world.wolves().size(), wolves) << "step " << step;
    all.lambs += counts.lambs;
    all.starvedSheep += counts.starvedSheep;
    all.eatenSheep += counts.eatenSheep;
    all.cubs += counts.cubs;
    all.starvedWolves += counts.starvedWolves;
  }
  for (const std::int64_t some :
       {all.lambs, all.starvedSheep, all.eatenSheep, all.cubs, all.starvedWolves}) {
    EXPECT_GT(some, 20);  // every kind of event occurs
  }
}

/// Both populations and the hash of the whole state, at every step.
using History = std::vector<std::array<std::uint64_t, 3>>;

History historyOn(int devices) {
  mass::Mass mass(settingsFor(devices));
  const World world(mass, 31, 150, 60);
  History history;
  for (int step = 0; step < 80; ++step) {
    history.push_back({static_cast<std::uint64_t>(world.sheep().size()),
                       static_cast<std::uint64_t>(world.wolves().size()), mass.hash()});
    world.step();
  }
  return history;
}

TEST(World, IsTheSameAtEveryStepOnEveryNumberOfDevices) {
  const History one = historyOn(1);
  for (const int devices : {2, 3, 4, 5, 8}) {
    const History many = historyOn(devices);
    const auto differ = std::mismatch(one.begin(), one.end(), many.begin()).first;
    EXPECT_EQ(differ, one.end()) << devices << " devices, step " << differ - one.begin();
  }
}

TEST(World, GoesOnFromACheckpointOnOtherDevices) {
  const TemporaryFolder folder;
  mass::Mass straight(settingsFor(2));
  const World world(straight, 33, 150, 60);
  for (int step = 0; step < 40; ++step) world.step();
  straight.saveCheckpoint(folder / "a.h5", "predation");
  for (int step = 0; step < 40; ++step) world.step();
  for (const int devices : {1, 5}) {
    mass::Mass again(settingsFor(devices));
    const World same(again, 33, 150, 60);
    (void)again.restoreCheckpoint(folder / "a.h5", "predation");
    for (int step = 0; step < 40; ++step) same.step();
    EXPECT_EQ(again.hash(), straight.hash()) << devices << " devices";
  }
}

/// Numbers of sheep, wolves and meadows with grass at every step.
struct Curves {
  std::vector<double> sheep, wolves, grass;
};
Curves curvesOf(int steps, std::int64_t size, std::int64_t sheep, std::int64_t wolves) {
  mass::Mass mass(settingsFor(2));
  const World world(mass, size, sheep, wolves);
  Curves curves;
  for (int step = 0; step < steps; ++step) {
    curves.sheep.push_back(static_cast<double>(world.sheep().size()));
    curves.wolves.push_back(static_cast<double>(world.wolves().size()));
    curves.grass.push_back(static_cast<double>(world.grass()));
    world.step();
  }
  return curves;
}

TEST(World, WithoutWolvesSettles) {
  for (const std::int64_t sheep : {40, 400}) {
    const Curves curves = curvesOf(400, 100, sheep, 0);
    for (std::size_t step = 0; step < 400; ++step) {
      EXPECT_EQ(curves.wolves[step], 0);
      if (step < 200) continue;
      EXPECT_NEAR(curves.sheep[step], 1030, 120) << "step " << step;
      EXPECT_NEAR(curves.grass[step], 2560, 300) << "step " << step;
    }
  }
}

TEST(World, WithoutSheepLosesItsWolvesAndHasGrassEverywhere) {
  const Curves curves = curvesOf(100, 40, 0, 200);
  EXPECT_EQ(curves.wolves.front(), 200);
  EXPECT_EQ(curves.wolves.back(), 0);
  EXPECT_EQ(curves.grass.back(), 40 * 40);
}

TEST(World, MayBeEmpty) {
  const Curves curves = curvesOf(40, 10, 0, 0);
  EXPECT_EQ(curves.sheep.back(), 0);
  EXPECT_EQ(curves.wolves.back(), 0);
  EXPECT_EQ(curves.grass.back(), 100);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const double meanA = mean(a);
  const double meanB = mean(b);
  double together = 0, alone = 0, other = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double da = a[i] - meanA;
    const double db = b[i] - meanB;
    together += da * db;
    alone += da * da;
    other += db * db;
  }
  return together / std::sqrt(alone * other);
}

/// Returns the correlation of one population with the change of another one, from 10 steps before
/// to 10 steps after.
double changeWith(const std::vector<double>& changing, const std::vector<double>& other) {
  constexpr std::size_t start = 100, lag = 10;
  std::vector<double> levels, changes;
  for (std::size_t step = start; step + lag < other.size(); ++step) {
    levels.push_back(other[step]);
    changes.push_back(changing[step + lag] - changing[step - lag]);
  }
  return correlation(levels, changes);
}

TEST(World, HasBothForLongAndTheyFollowEachOther) {
  const Curves curves = curvesOf(700, 100, 400, 200);
  EXPECT_GT(*std::ranges::min_element(curves.sheep), 250);
  EXPECT_GT(*std::ranges::min_element(curves.wolves), 60);
  EXPECT_LT(*std::ranges::max_element(curves.sheep), 1000);
  // Lotka and Volterra: many sheep make the wolves increase, many wolves make the sheep decrease.
  EXPECT_GT(changeWith(curves.wolves, curves.sheep), 0.3);
  EXPECT_LT(changeWith(curves.sheep, curves.wolves), -0.3);
}

TEST(World, IsShownAsGrassWithSheepAndThenWolvesOverIt) {
  mass::Mass mass(settingsFor(2));
  const World world(mass, 12, 60, 40);
  std::vector<float> expected;
  for (const std::int32_t bareFor : world.meadows().download<&Meadow::bareFor>())
    expected.push_back(bareFor == 0 ? 1 : 0);
  const auto put = [&](const auto& animals, float value) {
    for (const Place& at : animals.coordinates())
      expected[static_cast<std::size_t>(at[0] * 12 + at[1])] = value;
  };
  put(world.sheep(), 2);
  put(world.wolves(), 3);
  EXPECT_EQ(world.picture().values, expected);
}

TEST(World, IsCountedInTheTableStepByStep) {
  const TemporaryFolder folder;
  const mass::Settings settings = settingsFor(
      2, {"size=20", "sheep=120", "wolves=60", "sheep_birth=0.1", "wolf_gain=10", "regrowth=20"});
  (void)mass::testing::outputsOf(settings, "predation", setUp, folder, 30);
  const auto table = mass::testing::cellsOf(folder / "predation.csv");
  EXPECT_EQ(table.at(0),
            (std::vector<std::string>{"step", "sheep", "wolves", "grass", "lambs", "starved_sheep",
                                      "eaten_sheep", "cubs", "starved_wolves"}));
  mass::Mass mass(settings);
  const World world(mass, 20, 120, 60, {20, {4, 0.1F}, {10, 0.05F}});
  StepCounts counts;
  for (std::size_t row = 1; row < table.size(); ++row) {
    if (row > 1) counts = world.step();
    std::vector<std::int64_t> numbers;
    for (const std::string& cell : table[row]) numbers.push_back(std::stoll(cell));
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{
                           static_cast<std::int64_t>(row) - 1, world.sheep().size(),
                           world.wolves().size(), world.grass(), counts.lambs, counts.starvedSheep,
                           counts.eatenSheep, counts.cubs, counts.starvedWolves}));
  }
}

TEST(World, IsWrittenAsPointsAndRows) {
  const TemporaryFolder folder;
  const auto names = mass::testing::outputsOf(settingsFor(2, {"size=20", "sheep=30", "wolves=1"}),
                                              "predation", setUp, folder);
  EXPECT_TRUE(mass::testing::hasAll(names, {"predation.csv", "sheep.csv", "wolves.csv",
                                            "meadows.vtkhdf", "sheep.vtkhdf", "wolves.vtkhdf"}));
  const auto rows = mass::testing::cellsOf(folder / "sheep.csv");
  EXPECT_EQ(rows.front(), (std::vector<std::string>{"step", "id", "row", "column", "energy"}));
  EXPECT_EQ(std::ranges::count(rows, "0", [](const auto& cells) { return cells.front(); }), 30);
}

TEST(Settings, ThatAreBadAreRefused) {
  for (const std::string assignment :
       {"size=0", "sheep=-1", "wolves=-1", "regrowth=0", "sheep_gain=-1", "wolf_gain=-1",
        "sheep_birth=1.1", "wolf_birth=-0.1"}) {
    const std::string message =
        messageOf<mass::SettingsError>([&] { (void)settingsFor(1, {assignment}); });
    EXPECT_TRUE(contains(message, assignment.substr(0, assignment.find('=')))) << message;
  }
}

}  // namespace
}  // namespace predation

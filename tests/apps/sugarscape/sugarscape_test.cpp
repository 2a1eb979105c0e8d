#include <apps/sugarscape/setup.hpp>
#include <apps/sugarscape/statistics.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"
#include "../outputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sugarscape {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using Place = mass::Coordinates<2>;

mass::Settings settingsFor(int devices, int seed = 1) {
  mass::Settings settings(schema());
  mass::testing::setDevices(settings, devices, std::max(devices, 2));
  settings.set("seed=" + std::to_string(seed));
  return settings;
}

mass::Random numbers(std::uint64_t index) {
  return mass::Random({.seed = 7, .index = index});
}

TEST(Schema, ReadsTruthAsPythonWritesIt) {
  const auto isReplaced = [](std::string_view yaml) {
    return mass::Settings::parse(yaml, "s.yaml", schema()).get<bool>("replacement");
  };
  EXPECT_TRUE(isReplaced("replacement: True\nsteps: 5\n"));
  EXPECT_FALSE(isReplaced("replacement: FALSE\nsteps: 5\n"));
}

TEST(Cell, GrowsUpToItsMaximum) {
  Cell cell;
  cell.maximum = 3;
  cell.grow(2);
  EXPECT_EQ(cell.sugar, 2);
  cell.grow(2);
  EXPECT_EQ(cell.sugar, 3);
  cell.grow(0);
  EXPECT_EQ(cell.sugar, 3);
}

TEST(Cell, AttractsWithSugarHoweverPolluted) {
  Cell cell;
  EXPECT_FALSE(cell.attracts());
  cell.sugar = 1;
  EXPECT_TRUE(cell.attracts());
  cell.pollution = 1e6;
  EXPECT_TRUE(cell.attracts());
}

TEST(BestPlace, IsTheMostSugarThenTheNearest) {
  auto random = numbers(0);
  BestPlace best{.sugar = 1};
  best.consider(1, 1, {0, 1}, random);  // no better than the own place
  EXPECT_EQ(best.distance, 0);
  best.consider(2, 3, {0, 3}, random);
  best.consider(2, 4, {4, 0}, random);
  EXPECT_EQ(best.offset, (mass::Offset<2>{0, 3}));
  best.consider(2, 2, {-2, 0}, random);
  EXPECT_EQ(best.offset, (mass::Offset<2>{-2, 0}));
  best.consider(4, 6, {6, 0}, random);
  EXPECT_EQ(best.offset, (mass::Offset<2>{6, 0}));
  best.consider(3, 1, {1, 0}, random);
  EXPECT_EQ(best.offset, (mass::Offset<2>{6, 0}));
}

TEST(BestPlace, OfEqualPlacesIsEachEquallyLikely) {
  constexpr int draws = 4000;
  std::vector<int> chosen(4);
  for (int draw = 0; draw < draws; ++draw) {
    auto random = numbers(static_cast<std::uint64_t>(draw));
    BestPlace best;
    for (int i = 0; i < 4; ++i) best.consider(2, 1, {i, 0}, random);
    ++chosen.at(static_cast<std::size_t>(best.offset[0]));
  }
  for (const int count : chosen) {
    EXPECT_NEAR(count, draws / 4, 5 * std::sqrt(draws * 0.25 * 0.75));
  }
}

TEST(Ant, EatsBurnsAndStarves) {
  Ant ant;
  ant.wealth = 2;
  ant.metabolism = 3;
  EXPECT_TRUE(ant.metabolise(2));
  EXPECT_EQ(ant.wealth, 1);
  EXPECT_FALSE(ant.metabolise(1));
}

TEST(Forager, DiesOfHungerOrIfMortalOfAge) {
  Forager forager;
  forager.wealth = 3;
  forager.metabolism = 1;
  forager.lifespan = 2;
  EXPECT_TRUE(forager.metabolise(0, true));
  EXPECT_FALSE(forager.metabolise(0, true));
  EXPECT_TRUE(forager.metabolise(0, false));  // a wealth of 0 suffices
  EXPECT_EQ(forager.wealth, 0);
  EXPECT_FALSE(forager.metabolise(0, false));
}

TEST(Forager, IsBornWithWhatItsRulesSay) {
  std::set<int> wealths, metabolisms, visions, lifespans, ants;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Forager forager = Forager::random(numbers(i));
    wealths.insert(forager.wealth);
    metabolisms.insert(forager.metabolism);
    visions.insert(forager.vision);
    lifespans.insert(forager.lifespan);
    ants.insert(Ant::random(numbers(i)).wealth);
  }
  const auto expectRange = [](const std::set<int>& values, int low, int high) {
    EXPECT_EQ(*values.begin(), low);
    EXPECT_EQ(*values.rbegin(), high);
    EXPECT_EQ(values.size(), static_cast<std::size_t>(high - low + 1));
  };
  expectRange(wealths, 5, 25);
  expectRange(metabolisms, 1, 4);
  expectRange(visions, 1, 6);
  expectRange(lifespans, 60, 100);
  expectRange(ants, 1, 10);
}

TEST(Hills, AreTwoWithFourStepsAndMirrored) {
  constexpr std::int64_t size = 48;
  EXPECT_EQ(maximumAt({16, 31}, size), 4);
  EXPECT_EQ(maximumAt({31, 16}, size), 4);
  EXPECT_EQ(maximumAt({0, 0}, size), 0);
  EXPECT_EQ(maximumAt({size - 1, size - 1}, size), 0);
  // On the side away from the other hill a level is size / 8 = 6 places wide.
  const std::vector<int> levels{4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2};
  for (std::size_t distance = 0; distance < levels.size(); ++distance) {
    const auto column = 31 + static_cast<std::int64_t>(distance);
    EXPECT_EQ(maximumAt({16, column}, size), levels[distance]) << distance;
  }
  for (std::int64_t row = 0; row < size; ++row) {
    for (std::int64_t column = 0; column < size; ++column) {
      EXPECT_EQ(maximumAt({row, column}, size), maximumAt({column, row}, size));
    }
  }
}

TEST(Gini, OfKnownDistributions) {
  EXPECT_EQ(gini({}), 0);
  EXPECT_EQ(gini({0, 0, 0}), 0);
  EXPECT_EQ(gini({5}), 0);
  EXPECT_EQ(gini({7, 7, 7, 7}), 0);
  EXPECT_DOUBLE_EQ(gini({0, 0, 12, 0}), 3.0 / 4);
  EXPECT_DOUBLE_EQ(gini({1, 3}), 1.0 / 4);  // |1 - 3| / (2 * 2 * 2)
  std::vector<int> line(1000);
  std::iota(line.begin(), line.end(), 1);
  EXPECT_NEAR(gini(line), 999.0 / 3000, 1e-12);  // (n^2 - 1) / (3 n (n + 1))
}

TEST(Median, IsInTheMiddle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 2}), 2);
}

TEST(Histogram, CountsEachValueOnceAndTheLastBinHasNoEnd) {
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(histogram({}, 20, 3), (Counts{0, 0, 0}));
  EXPECT_EQ(histogram({0, 19, 20, 39, 40, 41, 1000000}, 20, 3), (Counts{2, 2, 3}));
  EXPECT_EQ(histogram({0, 1, 2}, 1, 2), (Counts{1, 2}));
  EXPECT_EQ(histogram({std::numeric_limits<int>::min(), 0}, 20, 2), (Counts{2, 0}));
}

/// Returns a flat world with sugar on some places only.
mass::Places<Cell> bareLand(mass::Mass& mass, std::int64_t size,
                            const std::vector<std::pair<Place, int>>& sugar) {
  auto land = mass.createPlaces<Cell>({size, size});
  land.initialise<&Cell::sugar>([&](const Place& at) {
    const auto found =
        std::find_if(sugar.begin(), sugar.end(), [&](const auto& one) { return one.first == at; });
    return found == sugar.end() ? 0 : found->second;
  });
  land.initialise<&Cell::maximum>([](const Place&) { return 4; });
  return land;
}

/// Returns the place to which an agent at (4, 4) of a world of 9 x 9 moves, with other agents at
/// `others`.
template <class A>
Place destination(const std::vector<std::pair<Place, int>>& sugar, std::vector<Place> others = {},
                  int vision = 3) {
  mass::Mass mass(settingsFor(3));
  const auto land = bareLand(mass, 9, sugar);
  others.insert(others.begin(), Place{4, 4});
  const auto agents = mass.createAgents<A>(land, others);
  if constexpr (std::is_same_v<A, Forager>) {
    agents.template initialise<&Forager::vision>(
        [vision](std::uint64_t id) { return id == 0 ? vision : 0; });
  }
  agents.template callAll<&A::seek>(agents);
  agents.manageAll();
  const auto ids = agents.ids();
  const auto at = std::find(ids.begin(), ids.end(), 0U) - ids.begin();
  return agents.coordinates().at(static_cast<std::size_t>(at));
}

TEST(Ant, GoesToTheFirstSugarToTheRightThenUp) {
  EXPECT_EQ(destination<Ant>({}), (Place{4, 4}));
  EXPECT_EQ(destination<Ant>({{{4, 6}, 1}, {{4, 7}, 4}, {{3, 4}, 4}}), (Place{4, 6}));
  EXPECT_EQ(destination<Ant>({{{3, 4}, 1}, {{4, 3}, 4}, {{5, 4}, 4}}), (Place{3, 4}));
  EXPECT_EQ(destination<Ant>({{{4, 8}, 4}, {{1, 4}, 1}}), (Place{1, 4}));
  EXPECT_EQ(destination<Ant>({{{4, 8}, 4}, {{0, 4}, 4}}), (Place{4, 4}));
}

TEST(Ant, PassesOverPlacesThatAreTaken) {
  // The other agent moves to the right, to (3, 5).
  EXPECT_EQ(destination<Ant>({{{3, 4}, 4}, {{2, 4}, 1}, {{3, 5}, 1}}, {{3, 4}}), (Place{2, 4}));
  EXPECT_EQ(destination<Ant>({{{4, 5}, 4}, {{2, 4}, 1}}, {{4, 5}}), (Place{2, 4}));
}

TEST(Forager, GoesToTheMostSugarThatItSees) {
  EXPECT_EQ(destination<Forager>({}), (Place{4, 4}));
  EXPECT_EQ(destination<Forager>({{{4, 5}, 1}, {{7, 4}, 2}}), (Place{7, 4}));
  EXPECT_EQ(destination<Forager>({{{4, 1}, 2}, {{2, 4}, 2}}), (Place{2, 4}));
  EXPECT_EQ(destination<Forager>({{{4, 8}, 4}, {{4, 3}, 1}}), (Place{4, 3})) << "4 places off";
  EXPECT_EQ(destination<Forager>({{{5, 5}, 4}}), (Place{4, 4})) << "sees along rows and columns";
  EXPECT_EQ(destination<Forager>({{{4, 4}, 2}, {{4, 5}, 2}}), (Place{4, 4})) << "as good here";
  EXPECT_EQ(destination<Forager>({{{4, 5}, 4}, {{4, 6}, 3}}, {{4, 5}}), (Place{4, 6})) << "taken";
}

TEST(Forager, SeesAcrossTheEdgeOfTheWorld) {
  // (4, 0) is 5 places to the right of (4, 4), or 4 to the left.
  EXPECT_EQ(destination<Forager>({{{4, 0}, 1}}, {}, 4), (Place{4, 0}));
  EXPECT_EQ(destination<Forager>({{{0, 4}, 1}, {{8, 4}, 2}}, {}, 6), (Place{8, 4}));
}

TEST(Forager, WhoComesTooLateLooksAgain) {
  mass::Mass mass(settingsFor(2));
  const auto land = bareLand(mass, 9, {{{4, 4}, 4}, {{4, 6}, 2}, {{4, 2}, 2}});
  const auto agents = mass.createAgents<Forager>(land, {{4, 3}, {4, 5}});
  agents.initialise<&Forager::vision>([](std::uint64_t) { return 1; });
  agents.callAll<&Forager::seek>(agents);
  agents.manageAll();
  mass::Census census = agents.census();
  EXPECT_EQ(census.moved, 1);
  EXPECT_EQ(census.blocked, 1);
  agents.callAll<&Forager::seekAgain>(agents);
  agents.manageAll();
  census = agents.census();
  EXPECT_EQ(census.moved, 1);
  EXPECT_EQ(census.blocked, 0);
  const auto places = agents.coordinates();
  EXPECT_EQ(std::count(places.begin(), places.end(), Place{4, 4}), 1);
  EXPECT_EQ(std::count(places.begin(), places.end(), Place{4, 2}) +
                std::count(places.begin(), places.end(), Place{4, 6}),
            1);
}

TEST(World, AFullWorldGoesOn) {
  mass::Mass mass(settingsFor(2));
  const World<Forager> world(mass, 8, 64);
  for (int step = 0; step < 10; ++step) world.step();
  EXPECT_EQ(world.agents().size(), 64);
}

TEST(World, CountsThoseThatMovedAtAnyTryAndThoseThatStayedInTheEnd) {
  for (const int tries : {1, 8}) {
    mass::Mass mass(settingsFor(2));
    const World<Forager> world(mass, 30, 500, {.growth = 1, .replacement = false, .tries = tries});
    const auto placesById = [&] {
      std::map<std::uint64_t, Place> places;
      const auto ids = world.agents().ids();
      const auto at = world.agents().coordinates();
      for (std::size_t i = 0; i < ids.size(); ++i) places[ids[i]] = at[i];
      return places;
    };
    const auto before = placesById();
    const StepCounts counts = world.step();
    const auto after = placesById();
    ASSERT_EQ(after.size(), 500U) << "nobody dies so soon";
    std::int64_t moved = 0;
    for (const auto& [id, place] : after) moved += place != before.at(id) ? 1 : 0;
    EXPECT_EQ(counts.moved, moved);
    std::int64_t blocked = 0;
    const auto leaves = world.agents().download<&Forager::leaves>();
    const auto at = world.agents().coordinates();
    for (std::size_t i = 0; i < at.size(); ++i) blocked += at[i][0] * 30 + at[i][1] == leaves[i];
    EXPECT_EQ(counts.blocked, blocked);
    EXPECT_GT(moved, 100);
  }
}

TEST(World, ShowsSugarAndOverItAgents) {
  mass::Mass mass(settingsFor(2));
  const World<Ant> world(mass, 12, 20);
  const mass::Picture picture = world.picture();
  const auto sugar = world.land().download<&Cell::sugar>();
  std::set<std::size_t> taken;
  for (const Place& at : world.agents().coordinates())
    taken.insert(static_cast<std::size_t>(at[0] * 12 + at[1]));
  ASSERT_EQ(picture.values.size(), 144U);
  for (std::size_t i = 0; i < 144; ++i)
    EXPECT_EQ(picture.values[i], taken.contains(i) ? 5 : static_cast<float>(sugar[i])) << i;
}

TEST(World, AnAgentEatsAllAndAStarvedOneLeavesAnEmptyPlace) {
  mass::Mass mass(settingsFor(2));
  const auto land = bareLand(mass, 4, {{{1, 1}, 3}, {{2, 2}, 1}, {{3, 3}, 2}});
  const auto ants = mass.createAgents<Ant>(land, {{1, 1}, {2, 2}});
  ants.initialise<&Ant::wealth>([](std::uint64_t) { return 1; });
  ants.initialise<&Ant::metabolism>([](std::uint64_t) { return 3; });
  ants.callAll<&Ant::eat>();
  ants.deposit<&Ant::metabolism, &Cell::pollution>();
  ants.manageAll();
  EXPECT_EQ(ants.census().died, 1);
  EXPECT_EQ(ants.download<&Ant::wealth>(), std::vector<int>{1});
  EXPECT_EQ(ants.coordinates(), (std::vector<Place>{{1, 1}}));
  EXPECT_EQ(land.reduce<&Cell::sugar>(mass::sum), 2);
  EXPECT_EQ(land.reduce<&Cell::pollution>(mass::sum), 6);

  land.callAll<&Cell::growAndSpread>();
  EXPECT_EQ(land.reduce<&Cell::sugar>(mass::sum), 16 + 2);
  const auto pollution = land.download<&Cell::pollution>();
  EXPECT_EQ(pollution[5], 1);         // (1, 1): its pollution has spread to its neighbours
  EXPECT_EQ(pollution[1], 1 + 0.75);  // (0, 1): a quarter of that of (1, 1)
  EXPECT_EQ(pollution[6], 1 + 1.5);   // (1, 2): a quarter of those of (1, 1) and (2, 2)
  EXPECT_EQ(land.reduce<&Cell::pollution>(mass::sum), 6 + 16);
}

TEST(World, AChildIsBornWhereItsParentDiedAndGoesElsewhere) {
  mass::Mass mass(settingsFor(2));
  const auto land = bareLand(mass, 40, {});
  const auto agents = mass.createAgents<Forager>(land, {{20, 20}});
  agents.callAll<&Forager::eat>(true);  // its lifespan is 0
  agents.manageAll();
  const mass::Census census = agents.census();
  EXPECT_EQ(census.died, 1);
  EXPECT_EQ(census.born, 1);
  EXPECT_EQ(agents.ids(), std::vector<std::uint64_t>{1});
  EXPECT_EQ(agents.coordinates(), (std::vector<Place>{{20, 20}}));
  EXPECT_GE(agents.download<&Forager::wealth>().at(0), 5);
  agents.callAll<&Forager::seek>(agents);
  agents.manageAll();
  EXPECT_NE(agents.coordinates(), (std::vector<Place>{{20, 20}}));
  const Place there = agents.coordinates().at(0);
  agents.callAll<&Forager::eat>(true);
  agents.callAll<&Forager::seek>(agents);
  agents.manageAll();
  EXPECT_EQ(agents.coordinates().at(0), there) << "there is no sugar to go to";
}

/// Number of agents and hash of the whole state, at every step.
using History = std::vector<std::pair<std::int64_t, std::uint64_t>>;

template <class A>
History historyOn(int devices, const Parameters& parameters, int seed) {
  mass::Mass mass(settingsFor(devices, seed));
  const World<A> world(mass, 37, 37 * 37 / 5, parameters);
  History history;
  for (int step = 0; step < 100; ++step) {
    history.emplace_back(world.agents().size(), mass.hash());
    world.step();
  }
  return history;
}

template <class A>
void expectSameOnAllDevices(const Parameters& parameters) {
  for (const int seed : {1, 2}) {
    const History one = historyOn<A>(1, parameters, seed);
    for (const int devices : {2, 3, 4, 8}) {
      const History many = historyOn<A>(devices, parameters, seed);
      const auto differ = std::mismatch(one.begin(), one.end(), many.begin()).first;
      EXPECT_EQ(differ, one.end())
          << devices << " devices, seed " << seed << ", step " << differ - one.begin();
    }
  }
}

TEST(World, OfAntsIsTheSameAtEveryStepOnEveryNumberOfDevices) {
  expectSameOnAllDevices<Ant>({});
}
TEST(World, OfForagersIsTheSameAtEveryStepOnEveryNumberOfDevices) {
  expectSameOnAllDevices<Forager>({.growth = 1, .replacement = true});
  expectSameOnAllDevices<Forager>({.growth = 4, .replacement = false, .tries = 1});
}

template <class A>
void expectSound(const World<A>& world) {
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  for (const Place& at : world.agents().coordinates()) {
    EXPECT_TRUE(taken.emplace(at[0], at[1]).second) << "two at " << at[0] << ", " << at[1];
  }
  const auto sugar = world.land().template download<&Cell::sugar>();
  const auto maximum = world.land().template download<&Cell::maximum>();
  for (std::size_t i = 0; i < sugar.size(); ++i) {
    EXPECT_GE(sugar[i], 0);
    EXPECT_LE(sugar[i], maximum[i]);
  }
  EXPECT_GE(world.agents().template reduce<&A::wealth>(mass::minimum), 0);
}

template <class A>
void expectSoundFor(int steps) {
  mass::Mass mass(settingsFor(3));
  const World<A> world(mass, 31, 250);
  std::int64_t alive = 250;
  for (int step = 0; step < steps; ++step) {
    const StepCounts counts = world.step();
    alive += counts.born - counts.died;
    EXPECT_EQ(world.agents().size(), alive);
    expectSound(world);
  }
}

TEST(World, HasOneAgentAPlaceAndNoSugarBeyondTheMaximum) {
  expectSoundFor<Ant>(60);
  expectSoundFor<Forager>(120);
}

template <class A>
void expectSameAfterRestart() {
  const TemporaryFolder folder;
  mass::Mass straight(settingsFor(2));
  const World<A> world(straight, 33, 200);
  for (int step = 0; step < 70; ++step) world.step();
  straight.saveCheckpoint(folder / "a.h5", "sugarscape");
  for (int step = 0; step < 40; ++step) world.step();
  for (const int devices : {1, 2, 5}) {
    mass::Mass again(settingsFor(devices));
    const World<A> same(again, 33, 200);
    (void)again.restoreCheckpoint(folder / "a.h5", "sugarscape");
    for (int step = 0; step < 40; ++step) same.step();
    EXPECT_EQ(again.hash(), straight.hash()) << devices << " devices";
  }
}

TEST(World, GoesOnFromACheckpointOnOtherDevices) {
  expectSameAfterRestart<Ant>();
  expectSameAfterRestart<Forager>();
}

TEST(World, WithReplacementKeepsItsAgentsAndBecomesUnequal) {
  mass::Mass mass(settingsFor(1));
  const World<Forager> world(mass, 50, 250);
  const auto inequality = [&] { return gini(world.agents().download<&Forager::wealth>()); };
  EXPECT_NEAR(inequality(), 0.233, 0.03);  // that of the numbers 5 to 25
  std::vector<double> later;
  for (int step = 0; step < 500; ++step) {
    world.step();
    EXPECT_EQ(world.agents().size(), 250);
    if (step >= 200) later.push_back(inequality());
  }
  for (const double value : later) EXPECT_NEAR(value, 0.485, 0.08);
}

TEST(World, ForagersGatherOnTheHills) {
  mass::Mass mass(settingsFor(1));
  const World<Forager> world(mass, 50, 250, {.growth = 1, .replacement = false});
  const auto meanHeight = [&] {
    double sum = 0;
    for (const Place& at : world.agents().coordinates()) sum += maximumAt(at, 50);
    return sum / static_cast<double>(world.agents().size());
  };
  EXPECT_NEAR(meanHeight(), 2.1, 0.2);  // mean of all land: 2.1
  for (int step = 0; step < 100; ++step) world.step();
  EXPECT_GT(meanHeight(), 3.0);
}

/// Returns the numbers of a table row by the names of their columns.
std::map<std::string, double> numbersOf(const std::vector<std::string>& columns,
                                        const std::vector<std::string>& cells) {
  std::map<std::string, double> numbers;
  for (std::size_t i = 0; i < columns.size(); ++i) numbers[columns[i]] = std::stod(cells.at(i));
  return numbers;
}

TEST(Program, WritesAHistogramOfAllAgentsAndItsGini) {
  for (const std::string rules : {"classic", "mass"}) {
    const TemporaryFolder folder;
    mass::Settings settings = settingsFor(2);
    for (const std::string& more :
         {"rules=" + rules, std::string("wealth_bin=5"), std::string("size=30"),
          std::string("output.frame_every=0"), std::string("output.data_every=60")}) {
      settings.set(more);
    }
    const auto names = mass::testing::outputsOf(settings, "sugarscape", setUp, folder, 60);
    EXPECT_TRUE(mass::testing::hasAll(names, {"agents.csv", "agents.vtkhdf", "land.vtkhdf"}));
    const auto table = mass::testing::cellsOf(folder / "sugarscape.csv");
    const auto agents = mass::testing::cellsOf(folder / "agents.csv");
    ASSERT_EQ(table.size(), 62U);
    for (std::size_t i = 1; i < table.size(); ++i) {
      const auto row = numbersOf(table[0], table[i]);
      std::map<std::string, double> expected;
      std::vector<int> wealths;
      for (const auto& cells : agents) {
        if (cells[0] != table[i][0]) continue;
        wealths.push_back(std::stoi(cells.at(4)));
        expected["wealth_" + std::to_string(std::min(wealths.back() / 5 * 5, 45))] += 1;
      }
      EXPECT_EQ(row.at("agents"), static_cast<double>(wealths.size()));
      double all = 0;
      for (int low = 0; low < 50; low += 5) {
        const std::string column = "wealth_" + std::to_string(low);
        EXPECT_EQ(row.at(column), expected[column]) << "step " << i - 1;
        all += row.at(column);
      }
      EXPECT_EQ(all, row.at("agents"));
      EXPECT_DOUBLE_EQ(row.at("gini"), gini(wealths));
    }
  }
}

template <class A>
void expectTableOf(const std::string& rules) {
  const TemporaryFolder folder;
  mass::Settings settings = settingsFor(2);
  for (const std::string& more : {"rules=" + rules, std::string("size=31")}) settings.set(more);
  (void)mass::testing::outputsOf(settings, "sugarscape", setUp, folder, 60);
  const auto table = mass::testing::cellsOf(folder / "sugarscape.csv");
  ASSERT_EQ(table.size(), 62U);
  mass::Mass mass(settings);
  const World<A> world(mass, 31, 31 * 31 / 5);
  StepCounts counts;
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (i > 1) counts = world.step();
    const auto row = numbersOf(table[0], table[i]);
    const auto agents = static_cast<double>(world.agents().size());
    EXPECT_EQ(row.at("agents"), agents);
    EXPECT_EQ(row.at("moved"), static_cast<double>(counts.moved));
    EXPECT_EQ(row.at("blocked"), static_cast<double>(counts.blocked));
    EXPECT_EQ(row.at("died"), static_cast<double>(counts.died));
    EXPECT_EQ(row.at("born"), static_cast<double>(counts.born));
    EXPECT_EQ(row.at("sugar"),
              static_cast<double>(world.land().template reduce<&Cell::sugar>(mass::sum)));
    const auto wealth = static_cast<double>(world.agents().template reduce<&A::wealth>(mass::sum));
    EXPECT_DOUBLE_EQ(row.at("mean_wealth"), wealth / agents);
  }
}

TEST(Program, WritesWhatHappenedInEachStep) {
  expectTableOf<Forager>("classic");
  expectTableOf<Ant>("mass");
}

TEST(Program, RefusesMoreAgentsThanPlaces) {
  const auto refusal = [](const std::string& agents) {
    mass::Settings settings = settingsFor(1);
    settings.set("size=4");
    settings.set("agents=" + agents);
    mass::Mass mass(settings);
    mass::Simulation run(mass, "sugarscape");
    setUp(mass, run);
  };
  EXPECT_NO_THROW(refusal("16"));
  EXPECT_TRUE(contains(messageOf<mass::SettingsError>([&] { refusal("17"); }),
                       "agents=17: 4 x 4 places hold 16 agents at most"));
}

}  // namespace
}  // namespace sugarscape

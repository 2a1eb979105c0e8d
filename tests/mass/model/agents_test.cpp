#include <mass/model/agents.hpp>

#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Agents;
using mass::Border;
using mass::Census;
using mass::Intent;
using mass::Mass;
using mass::Neighborhood;
using mass::Neighbors;
using mass::Offset;
using mass::Places;
using mass::Residents;
using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;

/// Devices with several threads in all.
Mass makeMass(int devices, const std::vector<std::string>& more = {}) {
  return mass::testing::makeMass(devices, std::max(devices, 2), {}, more);
}
bool onGpus() {
  return mass::testing::testBackend() == "cuda";
}

template <int Capacity>
class Ant;

/// Place with food in D dimensions.
template <int D>
class Ground : public mass::Place<D> {
 public:
  static constexpr int reach = 2;
  int food = 3;
  int visits = 0;
  double weight = 0;
  using Attributes = mass::Attributes<&Ground::food, &Ground::visits, &Ground::weight>;

  MASS_FN void grow() { food += 2; }
  template <class A>
  MASS_FN void feed(const Residents<A>& here) {
    visits += static_cast<int>(here.size());
    if (!here.empty()) food = 0;
    for (const A agent : here) weight += 0.1 * agent.energy;
  }
  template <class A>
  MASS_FN int counted(const Residents<A>& here) const {
    return static_cast<int>(here.size());
  }
};

/// Agent whose attributes and choices depend on everything that its rule can read.
template <int D, int Capacity>
class Walker : public mass::Agent<Ground<D>> {
 public:
  static constexpr std::int64_t capacity = Capacity;
  static constexpr int travel = 2, reach = 2, offspring = 2;
  int energy = 4;
  double mood = 0.25;
  std::int16_t marks[3] = {1, 2, 3};
  bool restless = true;
  using Attributes = mass::Attributes<&Walker::energy, &Walker::mood, &Walker::marks,
                                      mass::constant<&Walker::restless>>;

  MASS_FN static Offset<D> randomOffset(mass::Random& random) {
    Offset<D> offset{};
    for (int axis = 0; axis < D; ++axis) offset[axis] = static_cast<int>(random.below(5)) - 2;
    return offset;
  }
  MASS_FN void act(const Neighborhood<Ground<D>>& near, const Neighbors<Walker>& others,
                   Intent<Walker>& intent, int appetite) {
    auto random = intent.random();
    energy += std::min(near(Offset<D>{}).food, appetite) - 2;
    for (int look = 0; look < 4; ++look) {
      for (const Walker other : others(randomOffset(random))) {
        mood = 0.5 * mood + 0.01 * other.energy + 0.001 * other.marks[look % 3];
      }
    }
    marks[intent.step() % 3] = static_cast<std::int16_t>(energy + (restless ? 1 : 0));
    intent.move(randomOffset(random));
    for (int child = 0; child < 2 && energy > 9; ++child) {
      Walker young;
      young.energy = energy / 3;
      young.restless = child == 0;
      energy -= young.energy;
      intent.spawn(young, randomOffset(random));
    }
    if (energy < 0 || random.bernoulli(0.02)) intent.kill();
  }
  MASS_FN double score(double factor) const { return factor * mood + energy; }
};

/// Results of a run.
struct Result {
  std::uint64_t hash = 0;
  std::vector<std::array<std::int64_t, 6>> censuses;
  double score = 0;
  std::vector<std::uint64_t> ids;
  friend bool operator==(const Result&, const Result&) = default;
};

template <class P, class A>
void advance(Places<P>& ground, Agents<A>& walkers, int steps, Result& result) {
  for (int step = 0; step < steps; ++step) {
    walkers.template callAll<&A::act>(walkers, 3 + step % 3);
    walkers.manageAll();
    const Census census = walkers.census();
    result.censuses.push_back(
        {census.alive, census.died, census.moved, census.blocked, census.born, census.unborn});
    ground.template callAll<&P::template feed<A>>(walkers);
    ground.template callAll<&P::grow>();
  }
}

template <int D, int Capacity>
Result run(Mass& mass, mass::Shape<D> shape, Border border, std::int64_t agents) {
  using P = Ground<D>;
  using A = Walker<D, Capacity>;
  auto ground = mass.createPlaces<P>(shape, mass::borders<P>(border));
  auto walkers = mass.createAgents<A>(ground, agents);
  Result result;
  advance(ground, walkers, 12, result);
  result.hash = mass.hash();
  result.score = walkers.template reduce<&A::score>(mass::sum, 0.3);
  result.ids = walkers.ids();
  return result;
}

template <int D, int Capacity>
void expectSame(mass::Shape<D> shape, std::int64_t agents) {
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
    Mass one = makeMass(1);
    const Result expected = run<D, Capacity>(one, shape, border, agents);
    EXPECT_NE(expected.hash, 0U);
    for (const int devices : {2, 3, 8}) {
      if (devices > shape[0]) continue;
      Mass many = makeMass(devices);
      EXPECT_EQ((run<D, Capacity>(many, shape, border, agents)), expected)
          << devices << " devices, border " << static_cast<int>(border);
    }
    const mass::testing::RankSetup ranks{.devices = {1, 3, 2}, .threads = 4};
    if (ranks.deviceCount() > shape[0]) continue;
    mass::testing::onRanks(ranks, [&](Mass& many) {
      EXPECT_EQ((run<D, Capacity>(many, shape, border, agents)), expected)
          << "border " << static_cast<int>(border);
    });
  }
}

TEST(Agents, AreTheSameOnEverySplitIn1D) {
  expectSame<1, 1>({1}, 1);
  expectSame<1, 1>({8}, 8);
  expectSame<1, 0>({8}, 20);
  expectSame<1, 2>({97}, 60);
}

TEST(Agents, AreTheSameOnEverySplitIn2D) {
  expectSame<2, 1>({1, 1}, 1);
  expectSame<2, 1>({8, 1}, 5);
  expectSame<2, 1>({23, 19}, 200);
  expectSame<2, 3>({8, 30}, 250);
  expectSame<2, 0>({17, 13}, 150);
}

TEST(Agents, AreTheSameOnEverySplitIn3D) {
  expectSame<3, 1>({9, 5, 7}, 120);
  expectSame<3, 0>({8, 1, 6}, 60);
}

TEST(Agents, SoManyThatEveryDeviceHasItsThreadAreTheSameOnEverySplit) {
  Mass one = makeMass(1);
  const Result expected = run<2, 2>(one, {160, 100}, Border::periodic, 9000);
  for (const int devices : {2, 5}) {
    Mass many = makeMass(devices);
    EXPECT_EQ((run<2, 2>(many, {160, 100}, Border::periodic, 9000)), expected) << devices;
  }
  for (const std::vector<int>& devices : std::vector<std::vector<int>>{{1, 1}, {2, 1, 3}}) {
    mass::testing::onRanks({.devices = devices, .threads = 4}, [&](Mass& many) {
      EXPECT_EQ((run<2, 2>(many, {160, 100}, Border::periodic, 9000)), expected);
    });
  }
}

TEST(Agents, NobodyIsLostOrDoubled) {
  for (const int devices : {1, 2, 4}) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({16, 12});
    auto walkers = mass.createAgents<Walker<2, 1>>(ground, 90);
    std::int64_t alive = 90;
    for (int step = 0; step < 40; ++step) {
      walkers.callAll<&Walker<2, 1>::act>(walkers, 4);
      walkers.manageAll();
      const Census census = walkers.census();
      alive += census.born - census.died;
      EXPECT_EQ(census.alive, alive);
      EXPECT_EQ(walkers.size(), alive);
      const auto ids = walkers.ids();
      EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
      std::set<std::pair<std::int64_t, std::int64_t>> taken;
      for (const auto& at : walkers.coordinates()) {
        EXPECT_TRUE(taken.emplace(at[0], at[1]).second) << "two on one place";
      }
      ground.callAll<&Ground<2>::feed<Walker<2, 1>>>(walkers);
      ground.callAll<&Ground<2>::grow>();
    }
  }
}

/// Agent that moves to the place given.
class Pawn : public mass::Agent<Ground<2>> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = 3, reach = 1, offspring = 1;
  int value = 0, energy = 1;
  bool chosen = false;
  using Attributes = mass::Attributes<&Pawn::value, &Pawn::energy, &Pawn::chosen>;

  MASS_FN void go(Intent<Pawn>& intent, std::int64_t row, std::int64_t column) {
    const auto shape = intent.shape();
    const auto at = intent.coordinates();
    const auto way = [](std::int64_t from, std::int64_t to, std::int64_t length) {
      std::int64_t distance = ((to - from) % length + length) % length;
      if (2 * distance > length) distance -= length;
      return static_cast<int>(distance);
    };
    value = intent.move({way(at[0], row, shape[0]), way(at[1], column, shape[1])}) ? 1 : 2;
  }
  MASS_FN void leap(Intent<Pawn>& intent, int rows) { intent.move({rows, 0}); }
  MASS_FN void multiply(Intent<Pawn>& intent) { intent.spawn(Pawn{}); }
  MASS_FN void multiplyTwice(Intent<Pawn>& intent) {
    intent.spawn(Pawn{});
    intent.spawn(Pawn{});
  }
  MASS_FN void drawNumber(Intent<Pawn>& intent) {
    value = static_cast<int>(intent.random().below(1000)) + static_cast<int>(intent.id());
  }
  MASS_FN void drawOnly(const Intent<Pawn>& intent) {
    value = static_cast<int>(intent.random().below(1000));
  }
  MASS_FN void look(const Residents<Pawn>& here, const Neighbors<Pawn>& near) {
    value = static_cast<int>(10 * here.size() + near(0, 1).size());
  }
  MASS_FN int companions(const Residents<Pawn>& here) const {
    return static_cast<int>(here.size());
  }
  MASS_FN void fail(Intent<Pawn>& intent, std::uint64_t victim) {
    intent.kill();
    intent.spawn(Pawn{});
#if !defined(__CUDA_ARCH__)
    if (intent.id() == victim) throw std::runtime_error("this one");
#endif
  }
  MASS_FN void taste(const Neighborhood<Ground<2>>& near) {
    value = 0;
    for (int i = 0; i < near.size(); ++i) value = 10 * value + near[i].food;
  }
  MASS_FN void perish(Intent<Pawn>& intent) {
    intent.kill();
    intent.move({1, 0});
  }
};

/// Returns all places within the travel of (row, column) on a torus.
std::vector<mass::Coordinates<2>> around(std::int64_t row, std::int64_t column, std::int64_t rows,
                                         std::int64_t columns) {
  std::vector<mass::Coordinates<2>> places;
  for (std::int64_t dy = -3; dy <= 3; ++dy) {
    for (std::int64_t dx = -3; dx <= 3; ++dx) {
      if (dy == 0 && dx == 0) continue;
      places.push_back({(row + dy + rows) % rows, (column + dx + columns) % columns});
    }
  }
  return places;
}

TEST(Agents, OneOfAllThatClaimAPlaceComesInTheSameOnEverySplit) {
  // In the middle, at a cut between devices, and at the periodic border.
  for (const auto& [row, column] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {6, 6}, {7, 6}, {0, 0}, {11, 11}, {3, 0}}) {
    std::uint64_t winner = 0;
    for (const int devices : {1, 2, 3, 4, 12}) {
      Mass mass = makeMass(devices);
      auto ground = mass.createPlaces<Ground<2>>({12, 12});
      auto pawns = mass.createAgents<Pawn>(ground, around(row, column, 12, 12));
      pawns.callAll<&Pawn::go>(row, column);
      pawns.manageAll();
      const Census census = pawns.census();
      EXPECT_EQ(census.alive, 48);
      EXPECT_EQ(census.moved, 1);
      EXPECT_EQ(census.blocked, 47);
      const auto ids = pawns.ids();
      const auto places = pawns.coordinates();
      const auto at = std::find(places.begin(), places.end(), mass::Coordinates<2>{row, column});
      ASSERT_NE(at, places.end());
      const std::uint64_t id = ids[static_cast<std::size_t>(at - places.begin())];
      if (devices == 1) winner = id;
      EXPECT_EQ(id, winner) << devices << " devices";
    }
  }
}

TEST(Agents, PrioritiesChangeFromStepToStep) {
  std::set<std::uint64_t> winners;
  for (int seed = 0; seed < 20; ++seed) {
    Mass mass = makeMass(2, {fmt::format("seed={}", seed)});
    auto ground = mass.createPlaces<Ground<2>>({12, 12});
    auto pawns = mass.createAgents<Pawn>(ground, around(6, 6, 12, 12));
    pawns.callAll<&Pawn::go>(std::int64_t{6}, std::int64_t{6});
    pawns.manageAll();
    const auto places = pawns.coordinates();
    const auto at = std::find(places.begin(), places.end(), mass::Coordinates<2>{6, 6});
    winners.insert(pawns.ids()[static_cast<std::size_t>(at - places.begin())]);
  }
  EXPECT_GT(winners.size(), 10U);
}

TEST(Agents, WhoLeavesAPlaceHoldsItUntilHeHasLeft) {
  Mass mass = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({8, 3});
  auto pawns = mass.createAgents<Pawn>(ground, {{3, 1}, {4, 1}});
  pawns.callAll<&Pawn::leap>(1);
  pawns.manageAll();
  const Census census = pawns.census();
  EXPECT_EQ(census.moved, 1);
  EXPECT_EQ(census.blocked, 1);
  EXPECT_EQ(pawns.coordinates(), (std::vector<mass::Coordinates<2>>{{3, 1}, {5, 1}}));
}

TEST(Agents, TheDeadMakeRoomAndDoNotMove) {
  Mass mass = makeMass(3);
  auto ground = mass.createPlaces<Ground<2>>({9, 2});
  auto pawns = mass.createAgents<Pawn>(ground, 18);
  pawns.callAll<&Pawn::perish>();
  pawns.manageAll();
  Census census = pawns.census();
  EXPECT_EQ(census.died, 18);
  EXPECT_EQ(census.alive, 0);
  // Rules and manageAll work without agents.
  pawns.callAll<&Pawn::leap>(1);
  pawns.manageAll();
  census = pawns.census();
  EXPECT_EQ(census.alive, 0);
  ground.callAll<&Ground<2>::grow>();
  const std::uint64_t step = pawns.step();
  EXPECT_EQ(pawns.reduce<&Pawn::value>(mass::sum), 0);
  EXPECT_EQ(pawns.step(), step) << "to read is no step";
}

TEST(Agents, ARuleThatFailsLeavesTheIntentsAsTheyWere) {
  if (onGpus()) GTEST_SKIP() << "rules do not throw on GPUs";
  for (const bool earlier : {false, true}) {
    for (const int devices : {1, 3}) {
      Mass mass = makeMass(devices);
      auto ground = mass.createPlaces<Ground<2>>({9, 2});
      auto pawns = mass.createAgents<Pawn>(ground, {{1, 0}, {4, 1}, {7, 1}});
      if (earlier) pawns.callAll<&Pawn::leap>(1);
      EXPECT_THROW(pawns.callAll<&Pawn::fail>(std::uint64_t{1}), std::runtime_error);
      pawns.manageAll();
      const Census census = pawns.census();
      EXPECT_EQ(census.alive, 3);
      EXPECT_EQ(census.died + census.born + census.unborn, 0);
      EXPECT_EQ(census.moved, earlier ? 3 : 0);
    }
  }
}

TEST(Agents, AWallStopsThem) {
  Mass mass = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({4, 4}, mass::borders<Ground<2>>(Border::mirrored));
  auto pawns = mass.createAgents<Pawn>(ground, {{0, 0}, {3, 3}});
  pawns.callAll<&Pawn::leap>(-1);
  pawns.manageAll();
  EXPECT_EQ(pawns.census().moved, 1);
  EXPECT_EQ(pawns.coordinates(), (std::vector<mass::Coordinates<2>>{{0, 0}, {2, 3}}));
}

TEST(Agents, ARuleReadsTheSameAgentsInTwoWays) {
  Mass mass = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({4, 4});
  auto pawns = mass.createAgents<Pawn>(ground, {{0, 0}, {0, 1}, {3, 2}});
  pawns.callAll<&Pawn::look>(pawns, pawns);
  EXPECT_EQ(pawns.download<&Pawn::value>(), (std::vector<int>{11, 10, 10}));
}

TEST(Agents, ARuleReadsNeighborsChosenAtRunTime) {
  for (const int devices : {1, 4}) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({4, 4});
    ground.initialise<&Ground<2>::food>([](auto at) { return static_cast<int>(at[0] + at[1]); });
    auto pawns = mass.createAgents<Pawn>(ground, {{0, 0}, {1, 2}});
    pawns.callAll<&Pawn::taste>();
    EXPECT_EQ(pawns.download<&Pawn::value>(), (std::vector<int>{0, 0}));
    ground.setNeighbors({{1, 0}, {-1, 2}, {0, 0}});
    pawns.callAll<&Pawn::taste>();
    EXPECT_EQ(pawns.download<&Pawn::value>(), (std::vector<int>{150, 403})) << devices;
  }
}

TEST(Agents, ARuleReadsOnlyAgentsOnPlacesOfItsShapeAndMass) {
  Mass mass = makeMass(2);
  Mass another = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({4, 4});
  auto pawns = mass.createAgents<Pawn>(ground, 3);
  auto elsewhere = another.createPlaces<Ground<2>>({8, 8});
  auto strangers = another.createAgents<Pawn>(elsewhere, 3);
  mass::PlacesOptions<Ground<2>> options;
  options.name = "beside";
  auto beside = mass.createPlaces<Ground<2>>({9, 9}, options);
  const auto says = [&](auto&& call, const char* text) {
    return contains(messageOf<mass::UsageError>(call), text);
  };
  const char* const another_ = "which belong to another Mass";
  const char* const shape = "of shape [4, 4]: both must have the same shape";
  EXPECT_TRUE(says([&] { pawns.callAll<&Pawn::look>(pawns, strangers); }, another_));
  EXPECT_TRUE(says([&] { beside.callAll<&Ground<2>::feed<Pawn>>(pawns); }, shape));
  EXPECT_TRUE(says([&] { (void)pawns.map<&Pawn::companions>(strangers); }, another_));
  EXPECT_TRUE(says([&] { (void)beside.map<&Ground<2>::counted<Pawn>>(pawns); }, shape));
  EXPECT_TRUE(
      says([&] { (void)beside.reduce<&Ground<2>::counted<Pawn>>(mass::sum, pawns); }, shape));
  EXPECT_EQ(ground.reduce<&Ground<2>::counted<Pawn>>(mass::sum, pawns), 3);
}

TEST(Agents, ChildrenOnFullPlacesAreNotBornAndCounted) {
  Mass mass = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({6, 6});
  auto pawns = mass.createAgents<Pawn>(ground, 10);
  pawns.callAll<&Pawn::multiply>();
  pawns.manageAll();
  const Census census = pawns.census();
  EXPECT_EQ(census.born, 0);
  EXPECT_EQ(census.unborn, 10);
  EXPECT_EQ(census.alive, 10);
}

TEST(Agents, IdentitiesAreNeverUsedAgain) {
  Mass mass = makeMass(3);
  auto ground = mass.createPlaces<Ground<2>>({9, 9});
  auto walkers = mass.createAgents<Walker<2, 0>>(ground, 50);
  std::set<std::uint64_t> seen;
  for (const auto id : walkers.ids()) seen.insert(id);
  std::set<std::uint64_t> before = seen;
  for (int step = 0; step < 30; ++step) {
    walkers.callAll<&Walker<2, 0>::act>(walkers, 5);
    walkers.manageAll();
    std::set<std::uint64_t> now;
    for (const auto id : walkers.ids()) now.insert(id);
    for (const auto id : now) {
      const bool isNew = !before.contains(id);
      EXPECT_TRUE(!isNew || seen.insert(id).second) << id << " came again";
    }
    before = now;
  }
  EXPECT_GT(seen.size(), 100U);
}

TEST(Agents, IdentitiesAreInAnOrderDrawnAtRandomOnRequest) {
  std::vector<std::uint64_t> first;
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({9, 9});
    const auto byPlace = mass.createAgents<Walker<2, 0>>(ground, 50, "byPlace");
    const auto shuffled =
        mass.createAgents<Walker<2, 0>>(ground, 50, Mass::IdentityOrder::shuffled, "shuffled");
    std::vector<std::uint64_t> ids = byPlace.ids();
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    ids = shuffled.ids();
    EXPECT_FALSE(std::is_sorted(ids.begin(), ids.end()));
    if (devices == 1) first = ids;
    EXPECT_EQ(ids, first);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, byPlace.ids());
    EXPECT_EQ(mass.createAgents<Pawn>(ground, 0, Mass::IdentityOrder::shuffled).size(), 0);
  }
}

TEST(Agents, AttributesAreSetAndReadInTheOrderOfPlaces) {
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({5, 4});
    auto walkers = mass.createAgents<Walker<2, 0>>(ground, [](mass::Coordinates<2> at) {
      return at[0] == 2 ? 2 : at[1] == 3 ? 1 : 0;
    });
    EXPECT_EQ(walkers.size(), 12);
    walkers.initialise<&Walker<2, 0>::energy>(
        [](std::uint64_t id) { return static_cast<int>(id) * 10; });
    const auto energies = walkers.download<&Walker<2, 0>::energy>();
    const auto ids = walkers.ids();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(ids[i], i);
      EXPECT_EQ(energies[i], static_cast<int>(i) * 10);
    }
    EXPECT_EQ(walkers.coordinates()[0], (mass::Coordinates<2>{0, 3}));
    EXPECT_EQ(walkers.coordinates()[2], (mass::Coordinates<2>{2, 0}));
    EXPECT_EQ((walkers.reduce<&Walker<2, 0>::energy>(mass::sum)), 660);
    const auto marks = walkers.download<&Walker<2, 0>::marks>();
    EXPECT_EQ(marks[5], (std::array<std::int16_t, 3>{1, 2, 3}));
  }
}

TEST(Agents, NonzeroMakesABoolTrue) {
  Mass mass = makeMass(2);
  auto pawns = mass.createAgents<Pawn>(mass.createPlaces<Ground<2>>({4, 4}), 3);
  pawns.initialise<&Pawn::chosen>([](std::uint64_t id) { return 0.5 * static_cast<double>(id); });
  EXPECT_EQ(pawns.download<&Pawn::chosen>(), (std::vector<bool>{false, true, true}));
}

TEST(Agents, ACheckpointGoesOnOnOtherDevices) {
  TemporaryFolder folder;
  Result ignored;
  Mass straight = makeMass(2);
  auto ground = straight.createPlaces<Ground<2>>({19, 11});
  auto walkers = straight.createAgents<Walker<2, 1>>(ground, 70);
  advance(ground, walkers, 10, ignored);
  straight.saveCheckpoint(folder / "a.h5", "walk");
  advance(ground, walkers, 12, ignored);
  for (const int devices : {1, 2, 5}) {
    Mass again = makeMass(devices);
    auto sameGround = again.createPlaces<Ground<2>>({19, 11});
    auto sameWalkers = again.createAgents<Walker<2, 1>>(sameGround, 0);
    (void)again.restoreCheckpoint(folder / "a.h5", "walk");
    advance(sameGround, sameWalkers, 12, ignored);
    EXPECT_EQ(again.hash(), straight.hash()) << devices;
  }
}

/// Agent that moves to the next row and has two children there.
class Emigrant : public mass::Agent<Ground<2>> {
 public:
  static constexpr int travel = 1, offspring = 2;
  int energy = 1;
  using Attributes = mass::Attributes<&Emigrant::energy>;

  MASS_FN void leave(Intent<Emigrant>& intent) {
    intent.move({1, 0});
    for (int child = 0; child < 2; ++child) intent.spawn(Emigrant{}, {1, 0});
  }
  /// Kills those with identities below `first`.
  MASS_FN void end(Intent<Emigrant>& intent, std::uint64_t first) {
    if (intent.id() < first) intent.kill();
  }
};

TEST(Agents, ACheckpointKeepsStepNumberAndNextIdentityApart) {
  TemporaryFolder folder;
  const auto create = [](Mass& mass) {
    auto ground = mass.createPlaces<Ground<2>>({9, 5});
    return mass.createAgents<Emigrant>(ground, {{0, 1}, {3, 2}, {7, 4}});
  };
  Mass straight = makeMass(2);
  auto emigrants = create(straight);
  emigrants.callAll<&Emigrant::leave>();
  emigrants.manageAll();
  emigrants.callAll<&Emigrant::end>(std::uint64_t{4});
  emigrants.manageAll();
  straight.saveCheckpoint(folder / "a.h5", "emigrants");
  EXPECT_EQ(emigrants.size(), 5) << "of 9 identities, after 4 steps";
  for (const int devices : {1, 3}) {
    Mass again = makeMass(devices);
    auto same = create(again);
    (void)again.restoreCheckpoint(folder / "a.h5", "emigrants");
    EXPECT_EQ(same.step(), 4U);
    EXPECT_EQ(again.hash(), straight.hash());
    same.callAll<&Emigrant::leave>();
    same.manageAll();
    auto ids = same.ids();
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids,
              (std::vector<std::uint64_t>{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}));
  }
}

TEST(Agents, ACheckpointWithoutAgentsIsOneToo) {
  TemporaryFolder folder;
  Mass mass = makeMass(1);
  auto ground = mass.createPlaces<Ground<2>>({4, 4});
  auto pawns = mass.createAgents<Pawn>(ground, 0);
  mass.saveCheckpoint(folder / "a.h5", "none");
  Mass again = makeMass(2);
  auto sameGround = again.createPlaces<Ground<2>>({4, 4});
  auto samePawns = again.createAgents<Pawn>(sameGround, 3);
  (void)again.restoreCheckpoint(folder / "a.h5", "none");
  EXPECT_EQ(samePawns.size(), 0);
  EXPECT_EQ(again.hash(), mass.hash());
}

TEST(Agents, IntentsThatAreOpenAreNotForACheckpoint) {
  TemporaryFolder folder;
  Mass mass = makeMass(1);
  auto ground = mass.createPlaces<Ground<2>>({4, 4});
  auto pawns = mass.createAgents<Pawn>(ground, 2);
  pawns.callAll<&Pawn::leap>(1);
  EXPECT_TRUE(
      contains(messageOf<mass::UsageError>([&] { mass.saveCheckpoint(folder / "a.h5", "open"); }),
               "manageAll"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
}

TEST(Agents, AnIntentThatRequestsNothingIsNotPending) {
  TemporaryFolder folder;
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({7, 4});
    auto pawns = mass.createAgents<Pawn>(ground, 5);
    pawns.callAll<&Pawn::drawNumber>();
    pawns.callAll<&Pawn::drawOnly>();
    EXPECT_EQ(mass.pendingAgents(), std::vector<std::string>{});
    EXPECT_NO_THROW(mass.saveCheckpoint(folder / "a.h5", "drawn"));
    pawns.callAll<&Pawn::multiply>();
    EXPECT_EQ(mass.pendingAgents(), std::vector<std::string>{"Pawn"});
    EXPECT_THROW(mass.saveCheckpoint(folder / "a.h5", "drawn"), mass::UsageError);
    pawns.manageAll();
    EXPECT_EQ(mass.pendingAgents(), std::vector<std::string>{});
  }
}

TEST(Agents, ARuleWithoutIntentsLeavesThoseThatAreOpen) {
  TemporaryFolder folder;
  Mass mass = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({4, 4});
  auto pawns = mass.createAgents<Pawn>(ground, {{0, 0}, {2, 3}});
  pawns.callAll<&Pawn::leap>(1);
  pawns.callAll<&Pawn::look>(pawns, pawns);
  EXPECT_THROW(mass.saveCheckpoint(folder / "a.h5", "open"), mass::UsageError);
  pawns.manageAll();
  EXPECT_EQ(pawns.coordinates(), (std::vector<mass::Coordinates<2>>{{1, 0}, {3, 3}}));
}

TEST(Agents, ACheckpointTakesThePlaceOfIntentsToo) {
  TemporaryFolder folder;
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({8, 3});
    auto pawns = mass.createAgents<Pawn>(ground, {{1, 1}, {6, 1}});
    mass.saveCheckpoint(folder / "a.h5", "pawns");
    const auto hash = mass.hash();
    pawns.callAll<&Pawn::leap>(1);
    pawns.callAll<&Pawn::multiply>();
    (void)mass.restoreCheckpoint(folder / "a.h5", "pawns");
    EXPECT_NO_THROW(mass.saveCheckpoint(folder / "b.h5", "pawns"));
    EXPECT_EQ(mass.hash(), hash);
    pawns.manageAll();
    const Census census = pawns.census();
    EXPECT_EQ(census.moved, 0);
    EXPECT_EQ(census.born + census.unborn, 0);
    EXPECT_EQ(pawns.coordinates(), (std::vector<mass::Coordinates<2>>{{1, 1}, {6, 1}}));
  }
}

/// Agent that reads its neighbours without changes.
class Watcher : public mass::Agent<Ground<2>> {
 public:
  static constexpr int reach = 1;
  int value = 1;
  double drawn = 0;
  using Attributes = mass::Attributes<&Watcher::value, &Watcher::drawn>;

  MASS_FN int seen(const Neighbors<Watcher>& others) const {
    int sum = 0;
    for (const int row : {-1, 1}) {
      for (const Watcher other : others(row, 0)) sum += other.value;
    }
    return sum;
  }
  MASS_FN void draw(const mass::Here<2>& here) { drawn = here.random().uniform(); }
  MASS_FN double drawing(const mass::Here<2>& here) const { return here.random().uniform(); }
};

TEST(Agents, UploadedValuesAreReadOnOtherDevices) {
  TemporaryFolder folder;
  for (const int devices : {1, 2, 4}) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({8, 2});
    auto watchers = mass.createAgents<Watcher>(ground, [](auto) { return 1; });
    mass.saveCheckpoint(folder / "a.h5", "watch");
    const std::vector<int> ones(16, 2), many(16, 20);
    EXPECT_EQ(watchers.map<&Watcher::seen>(watchers), ones);
    watchers.initialise<&Watcher::value>([](std::uint64_t) { return 10; });
    EXPECT_EQ(watchers.map<&Watcher::seen>(watchers), many) << devices;
    (void)mass.restoreCheckpoint(folder / "a.h5", "watch");
    EXPECT_EQ(watchers.map<&Watcher::seen>(watchers), ones) << "after a restart on " << devices;
  }
}

TEST(Agents, RandomNumbersOfRulesThatReadAreOthers) {
  Mass mass = makeMass(2);
  auto watchers = mass.createAgents<Watcher>(mass.createPlaces<Ground<2>>({6, 5}), 40);
  const auto read = watchers.map<&Watcher::drawing>();
  EXPECT_EQ(watchers.map<&Watcher::drawing>(), read);
  watchers.callAll<&Watcher::draw>();
  const auto drawn = watchers.download<&Watcher::drawn>();
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_NE(drawn[i], read[i]);
}

TEST(Agents, PlacesDrawnForThemAreTheirOwn) {
  Mass mass = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({20, 20});
  auto some = mass.createAgents<Pawn>(ground, 30, "some");
  auto others = mass.createAgents<Pawn>(ground, 30, "others");
  EXPECT_NE(some.coordinates(), others.coordinates()) << "one a place";
  auto watchers = mass.createAgents<Watcher>(ground, 30, "watchers");
  auto guards = mass.createAgents<Watcher>(ground, 30, "guards");
  EXPECT_NE(watchers.coordinates(), guards.coordinates()) << "any number a place";
  // The first random numbers of their rules do not correlate with their places either.
  watchers.callAll<&Watcher::draw>();
  std::vector<std::int64_t> places, drawn;
  for (const auto& at : watchers.coordinates()) places.push_back(at[0] * 20 + at[1]);
  for (const double one : watchers.download<&Watcher::drawn>()) {
    drawn.push_back(static_cast<std::int64_t>(one * 400));
  }
  std::sort(drawn.begin(), drawn.end());
  EXPECT_NE(drawn, places);
}

class FarTraveller : public mass::Agent<Ground<2>> {
 public:
  static constexpr int travel = 4;
  int value = 0;
  using Attributes = mass::Attributes<&FarTraveller::value>;
};

class FarSighted : public mass::Agent<Ground<2>> {
 public:
  static constexpr int reach = 9;
  int value = 0;
  using Attributes = mass::Attributes<&FarSighted::value>;
};

class Backward : public mass::Agent<Ground<2>> {
 public:
  static constexpr int reach = -1;
  int value = 0;
  using Attributes = mass::Attributes<&Backward::value>;
};

class Barren : public mass::Agent<Ground<2>> {
 public:
  static constexpr int offspring = -1;
  int value = 0;
  using Attributes = mass::Attributes<&Barren::value>;
};

class Bird : public mass::Agent<Ground<2>> {
 public:
  static constexpr int travel = mass::anywhere;
  int value = 0;
  using Attributes = mass::Attributes<&Bird::value>;

  MASS_FN void fly(Intent<Bird>& intent, std::int64_t row, std::int64_t column) {
    intent.moveTo({row, column});
  }
};

TEST(Agents, MoveToAnyPlaceThatThereIs) {
  Mass mass = makeMass(3);
  auto ground = mass.createPlaces<Ground<2>>({9, 5});
  auto birds = mass.createAgents<Bird>(ground, {{0, 0}, {8, 4}});
  birds.callAll<&Bird::fly>(std::int64_t{8}, std::int64_t{4});
  birds.manageAll();
  EXPECT_EQ(birds.census().moved, 1);
  EXPECT_EQ(birds.coordinates(), (std::vector<mass::Coordinates<2>>{{8, 4}, {8, 4}}));
  for (const auto& [row, column] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {-1, 4}, {0, -1}, {0, -2}, {9, 0}, {3, 5}}) {
    const std::string message = messageOf<mass::UsageError>([&, r = row, c = column] {
      birds.callAll<&Bird::fly>(r, c);
      birds.manageAll();  // GPUs throw here
      birds.census();     // or here
    });
    EXPECT_TRUE(contains(message, onGpus() ? "2 agents of class Bird" : "there is no such place"));
  }
}

/// Agent that moves to a row if its identity is a multiple of `every`.
class Pilgrim : public mass::Agent<Ground<2>> {
 public:
  static constexpr int travel = mass::anywhere;
  std::uint64_t name = 0;
  using Attributes = mass::Attributes<&Pilgrim::name>;

  MASS_FN void go(Intent<Pilgrim>& intent, std::int64_t row, std::uint64_t every) {
    if (intent.id() % every == 0) intent.moveTo({row, 1});
  }
};

/// Expects agents that move to one place in one step to be in the order of identities there.
void expectOrderedCrowds(int devices, std::int64_t count) {
  Mass mass = makeMass(devices);
  const auto pilgrims = mass.createAgents<Pilgrim>(mass.createPlaces<Ground<2>>({6, 40}), count);
  pilgrims.initialise<&Pilgrim::name>([](std::uint64_t id) { return 7 * id; });
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  for (const auto& [row, every] : std::vector<std::pair<std::int64_t, std::uint64_t>>{
           {3, 1}, {0, 3}, {5, 2}, {3, 5}, {0, 1}}) {
    pilgrims.callAll<&Pilgrim::go>(row, every);
    pilgrims.manageAll();
    for (std::size_t id = 0; id < rows.size(); id += every) rows[id] = row;
    std::vector<std::pair<std::int64_t, std::uint64_t>> expected;
    for (std::size_t id = 0; id < rows.size(); ++id) expected.emplace_back(rows[id], id);
    std::ranges::sort(expected);
    const auto places = pilgrims.coordinates();
    const auto ids = pilgrims.ids();
    const auto names = pilgrims.download<&Pilgrim::name>();
    ASSERT_EQ(ids.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(std::pair(places[i][0], ids[i]), expected[i]) << i << " of " << count;
      ASSERT_EQ(names[i], 7 * ids[i]);
    }
  }
}

TEST(Agents, AreOrderedByIdentityInCrowdedBins) {
  for (const int devices : {1, 3}) {
    for (const std::int64_t count : {255, 256, 257, 258, 1000, 5003}) {
      expectOrderedCrowds(devices, count);
    }
  }
}
TEST(Agents, AreOrderedByIdentityInLargeBins) {
  expectOrderedCrowds(2, 100'000);
}

/// Agent that moves to a free place if its identity is selected.
class Nomad : public mass::Agent<Ground<2>> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = mass::anywhere;
  static constexpr bool seeksFreePlaces = true;
  int moves = 0;
  std::int64_t last = -1;
  using Attributes = mass::Attributes<&Nomad::moves, &Nomad::last>;

  MASS_FN void wander(const Neighborhood<Ground<2>>& near, Intent<Nomad>& intent,
                      std::uint64_t every) {
    if (near.index() != last && last >= 0) ++moves;
    last = near.index();
    if (intent.id() % every == 0) intent.moveToFree();
  }
};

TEST(Agents, SeekersFindAFreePlaceIfThereIsOne) {
  std::uint64_t hash = 0;
  for (const int devices : {1, 2, 3, 8}) {
    Mass mass = makeMass(devices);
    auto nomads = mass.createAgents<Nomad>(mass.createPlaces<Ground<2>>({20, 17}), 300);
    const auto before = nomads.coordinates();
    nomads.callAll<&Nomad::wander>(std::uint64_t{1});
    nomads.manageAll();
    Census census = nomads.census();
    EXPECT_EQ(census.moved, 40);
    EXPECT_EQ(census.blocked, 260);
    const auto after = nomads.coordinates();
    EXPECT_TRUE(std::is_sorted(after.begin(), after.end(), [](const auto& a, const auto& b) {
      return std::pair(a[0], a[1]) < std::pair(b[0], b[1]);
    })) << "no two on one place";
    const auto wereThere = std::count_if(after.begin(), after.end(), [&](const auto& at) {
      return std::find(before.begin(), before.end(), at) != before.end();
    });
    EXPECT_EQ(wereThere, 260) << "the 40 places that were free are taken";
    // Only ten agents seek a free place, and there are more.
    for (int step = 0; step < 5; ++step) {
      nomads.callAll<&Nomad::wander>(std::uint64_t{30});
      nomads.manageAll();
      census = nomads.census();
      EXPECT_EQ(census.moved, 10);
      EXPECT_EQ(census.blocked, 0);
    }
    if (devices == 1) hash = mass.hash();
    EXPECT_EQ(mass.hash(), hash) << devices;
  }
}

TEST(Agents, FreePlacesAreDrawnEvenly) {
  Mass mass = makeMass(2);
  auto nomads = mass.createAgents<Nomad>(mass.createPlaces<Ground<2>>({10, 10}), 50);
  std::array<int, 10> inRow{};
  constexpr int steps = 400;
  for (int step = 0; step < steps; ++step) {
    nomads.callAll<&Nomad::wander>(std::uint64_t{1});
    nomads.manageAll();
    EXPECT_EQ(nomads.census().moved, 50);
    for (const auto& at : nomads.coordinates()) ++inRow[static_cast<std::size_t>(at[0])];
  }
  for (const int count : inRow) EXPECT_NEAR(count, steps * 5, steps / 5);
  EXPECT_EQ(nomads.reduce<&Nomad::moves>(mass::sum), 50 * (steps - 1));
}

/// Claims of one place, free places, crowds of several threads, and a device that all agents leave.
TEST(Agents, AreTheSameOnRanks) {
  mass::testing::expectSameOnRanks(mass::testing::usualRanks(), [](Mass& mass,
                                                                   mass::testing::Record& record) {
    auto ground = mass.createPlaces<Ground<2>>({12, 12});
    const auto pawns = mass.createAgents<Pawn>(ground, around(11, 3, 12, 12), "pawns");
    const auto nomads = mass.createAgents<Nomad>(ground, 110, "nomads");
    const auto pilgrims = mass.createAgents<Pilgrim>(ground, 5003, "pilgrims");
    const auto recordStep = [&](const auto& agents) {
      agents.manageAll();
      record.add("census of " + agents.name(), agents.census());
      record.add("identities of " + agents.name(), agents.ids());
    };
    for (int step = 0; step < 4; ++step) {
      pawns.callAll<&Pawn::go>(std::int64_t{11}, std::int64_t{3});
      recordStep(pawns);
      pawns.callAll<&Pawn::multiply>();
      recordStep(pawns);
      nomads.callAll<&Nomad::wander>(static_cast<std::uint64_t>(1 + 4 * step));
      recordStep(nomads);
      pilgrims.callAll<&Pilgrim::go>(std::int64_t{3 * step}, static_cast<std::uint64_t>(4 - step));
      recordStep(pilgrims);
    }
    record.add("hash", mass.hash());
  });
}

TEST(Agents, MayAllLeaveADeviceWithMoreChildrenThanItHasAgents) {
  const auto run = [](int devices) {
    Mass mass = makeMass(devices);
    auto ground = mass.createPlaces<Ground<2>>({4, 64});
    auto emigrants =
        mass.createAgents<Emigrant>(ground, [](const auto& at) { return at[0] == 1 ? 10 : 0; });
    emigrants.callAll<&Emigrant::leave>();
    emigrants.manageAll();
    EXPECT_EQ(emigrants.size(), 64 * 10 * 3);
    return mass.hash();
  };
  EXPECT_EQ(run(2), run(1));
}

TEST(Agents, HashDependsOnThePopulationOfEachAgent) {
  const auto hashWith = [](std::int64_t oneRow, std::int64_t otherRow) {
    Mass mass = makeMass(2);
    auto ground = mass.createPlaces<Ground<2>>({4, 5});
    auto one = mass.createAgents<Walker<2, 1>>(ground, {{oneRow, 2}});
    auto other = mass.createAgents<Walker<2, 3>>(ground, {{otherRow, 2}});
    return mass.hash();
  };
  EXPECT_EQ(hashWith(1, 3), hashWith(1, 3));
  EXPECT_NE(hashWith(1, 3), hashWith(3, 1));
}

TEST(Agents, RefuseInvalidCalls) {
  Mass mass = makeMass(2);
  auto ground = mass.createPlaces<Ground<2>>({4, 5});
  EXPECT_TRUE(contains(
      messageOf<mass::SettingsError>([&] { (void)mass.createAgents<FarTraveller>(ground, 1); }),
      "MAX_AGENT_TRAVEL"));
  EXPECT_TRUE(
      contains(messageOf<mass::UsageError>([&] { (void)mass.createAgents<Pawn>(ground, 21); }),
               "21 agents 'Pawn' do not fit on 20 places"));
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                         (void)mass.createAgents<Pawn>(ground, {{1, 1}, {4, 0}});
                       }),
                       "agent 1 has coordinate 4 along axis 0"));
  EXPECT_TRUE(
      contains(messageOf<mass::UsageError>([&] {
                 (void)mass.createAgents<Pawn>(ground, {{1, 1}, {1, 1}});
               }),
               "place (1, 1) holds at most 1 agent of class Pawn, but more are assigned to it"));
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                         (void)mass.createAgents<Pawn>(ground, [](const mass::Coordinates<2>& at) {
                           return at[0] == 3 && at[1] == 2 ? -1 : 0;
                         });
                       }),
                       "the number of agents of place (3, 2) is -1"));
  EXPECT_TRUE(contains(
      messageOf<mass::SettingsError>([&] { (void)mass.createAgents<FarSighted>(ground, 1); }),
      "rules read agents 'FarSighted' up to 9 places away: set it to at least 9"));
  EXPECT_TRUE(
      contains(messageOf<mass::UsageError>([&] { (void)mass.createAgents<Backward>(ground, 1); }),
               "each must be 0 or more"));
  EXPECT_THROW((void)mass.createAgents<Barren>(ground, 1), mass::UsageError);
  EXPECT_EQ(mass.hash(), makeMass(2).createPlaces<Ground<2>>({4, 5}).hash()) << "none were created";
  auto pawns = mass.createAgents<Pawn>(ground, 3);
  EXPECT_TRUE(contains(
      messageOf<mass::UsageError>([&] { (void)mass.createAgents<Pawn>(ground, 3); }), "'Pawn'"));
  EXPECT_TRUE(contains(
      messageOf<mass::UsageError>([&] { (void)mass.createAgents<Pawn>(ground, 3, "Pawn.agents"); }),
      "'Pawn.agents': checkpoints reserve"));
  const auto messageOfAct = [&](auto&& call) {
    return messageOf<mass::UsageError>([&] {
      call();
      pawns.manageAll();  // GPUs throw here
    });
  };
  EXPECT_TRUE(contains(messageOfAct([&] { pawns.callAll<&Pawn::leap>(4); }),
                       onGpus() ? "3 agents of class Pawn requested" : "its travel is 3"));
  EXPECT_TRUE(contains(messageOfAct([&] { pawns.callAll<&Pawn::multiplyTwice>(); }),
                       onGpus() ? "3 agents of class Pawn requested" : "more children than 1"));
  EXPECT_EQ(pawns.size(), 3);
}

}  // namespace

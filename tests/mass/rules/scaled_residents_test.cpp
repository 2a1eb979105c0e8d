// Compares rules that read agents on finer or coarser places, and deposits of such agents, with
// loops on the host, bit for bit.
#include <mass/rules/scaled_residents.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Shape;
using mass::testing::makeMass;

/// Edge of the finer places. Rounding puts some multiples of it, and of the edge of coarser places,
/// into the bin before.
constexpr float edge = 0.1F;

template <int D>
class Mite;

/// Returns a number that depends on the order of all numbers so far.
MASS_FN inline std::uint64_t chained(std::uint64_t code, std::uint64_t id, std::int32_t load) {
  return code * 31 + id * 7 + static_cast<std::uint64_t>(load + 1000);
}

/// Places on which mites live.
template <int D>
class Soil : public mass::Place<D> {
 public:
  std::int32_t food = 1;
  using Attributes = mass::Attributes<&Soil::food>;
};

/// Places of another shape, which read mites.
template <int D>
class Tile : public mass::Place<D> {
 public:
  std::uint64_t code = 3;
  double weight = 0.25;
  std::int16_t count = 0;
  using Attributes = mass::Attributes<&Tile::code, &Tile::weight, &Tile::count>;

  MASS_FN void readFiner(const mass::FinerResidents<Mite<D>>& mites,
                         const mass::Neighborhood<Tile>& near) {
    code += codeBefore(near);
    for (auto mite = mites.begin(); mite != mites.end(); ++mite)
      code = chained(code, mite.id(), (*mite).load);
    count = static_cast<std::int16_t>(count + mites.size() + (mites.empty() ? 1000 : 0));
    for (int axis = 0; axis < D; ++axis)
      code += static_cast<std::uint64_t>((axis + 2) * mites.block()[axis]);
  }
  MASS_FN void readCoarser(const mass::CoarserResidents<Mite<D>>& mites, mass::Space<D> space,
                           const mass::Neighborhood<Tile>& near) {
    code += codeBefore(near);
    for (std::int64_t i = 0; i < mites.size(); ++i) {
      const bool isHere = mites.template isHere<&Mite<D>::position>(space, mites[i]);
      code = chained(code, mites.id(i), mites[i].load) + (isHere ? 1 : 0);
      count = static_cast<std::int16_t>(count + (isHere ? 1 : 0));
    }
  }
  MASS_FN void readSame(const mass::Residents<Mite<D>>& mites) {
    count = static_cast<std::int16_t>(mites.size());
  }
  MASS_FN std::uint64_t total(const mass::FinerResidents<Mite<D>>& mites) const {
    std::uint64_t sum = 0;
    for (const Mite<D> mite : mites) sum += static_cast<std::uint64_t>(mite.load + 1000);
    return sum;
  }

 private:
  MASS_FN static std::uint64_t codeBefore(const mass::Neighborhood<Tile>& near) {
    mass::Offset<D> offset{};
    offset[0] = -1;
    return near(offset).code % 1000;
  }
};

template <int D>
class Mite : public mass::Agent<Soil<D>> {
 public:
  static constexpr int travel = mass::anywhere;
  mass::Point<D> position{};
  std::int32_t load = 0;
  float weight = 0;
  std::uint64_t seen = 0;
  using Attributes = mass::Attributes<&Mite::position, &Mite::load, &Mite::weight, &Mite::seen>;

  MASS_FN double square() const { return 0.1 * load * load; }
  MASS_FN std::int16_t one() const { return 1; }
  /// Moves to any position; half of the mites to borders of bins and positions close to them.
  MASS_FN void jump(mass::Space<D> space, mass::Intent<Mite>& intent) {
    auto random = intent.random();
    for (int axis = 0; axis < D; ++axis) {
      const auto bins = static_cast<std::uint32_t>(space.bins[axis]);
      float at = space.length(axis) * random.template uniform<float>();
      if (random.below(2) == 0) {
        at = space.edge * static_cast<float>(random.below(bins));
        at *= 1 + (static_cast<float>(random.below(3)) - 1) * 1e-7F;
      }
      position[axis] = at < space.length(axis) ? at : 0;
    }
    intent.moveTo(space, position);
  }
  /// Reads the mites of other agents, whose places are coarser than its own.
  MASS_FN void look(const mass::CoarserResidents<Mite>& others) {
    for (std::int64_t i = 0; i < others.size(); ++i)
      seen = chained(seen, others.id(i), others[i].load);
  }
};

/// Mites as a sequential program has them: in the order of their places, then identities.
template <int D>
struct Mites {
  std::vector<std::uint64_t> ids;
  std::vector<Coordinates<D>> places;
  std::vector<std::int32_t> loads;
  std::vector<float> weights;
  std::vector<mass::Point<D>> positions;

  explicit Mites(const mass::Agents<Mite<D>>& mites)
      : ids(mites.ids()),
        places(mites.coordinates()),
        loads(mites.template download<&Mite<D>::load>()),
        weights(mites.template download<&Mite<D>::weight>()),
        positions(mites.template download<&Mite<D>::position>()) {}
  /// Numbers of the mites on a place, by identity.
  std::vector<std::size_t> on(const Coordinates<D>& place) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (places[i] == place) found.push_back(i);
    return found;
  }
};

template <int D>
Coordinates<D> times(const Coordinates<D>& a, const Shape<D>& b) {
  Coordinates<D> product{};
  for (int axis = 0; axis < D; ++axis) product[axis] = a[axis] * b[axis];
  return product;
}
template <int D>
Coordinates<D> over(const Coordinates<D>& a, const Shape<D>& b) {
  Coordinates<D> quotient{};
  for (int axis = 0; axis < D; ++axis) quotient[axis] = a[axis] / b[axis];
  return quotient;
}

/// Numbers of the mites on the block below a tile, in the order of its places.
template <int D>
std::vector<std::size_t> below(const Mites<D>& mites, const Coordinates<D>& tile,
                               const Shape<D>& ratio) {
  std::vector<std::size_t> found;
  for (std::int64_t k = 0; k < mass::count<D>(ratio); ++k) {
    const auto on = mites.on(times<D>(tile, ratio) + mass::coordinatesOf<D>(k, ratio));
    found.insert(found.end(), on.begin(), on.end());
  }
  return found;
}

/// Returns the finer place of a block below `above` that contains a position, or the nearest one.
template <int D>
Coordinates<D> placeOf(const mass::Point<D>& position, const Coordinates<D>& above,
                       const Shape<D>& ratio) {
  Coordinates<D> place = times<D>(above, ratio);
  for (int axis = 0; axis < D; ++axis) {
    const auto bin = static_cast<std::int64_t>(std::floor(position[axis] / edge));
    place[axis] = std::clamp(bin, place[axis], place[axis] + ratio[axis] - 1);
  }
  return place;
}

/// Soil with mites, and tiles; the shape of one is a multiple of the other.
template <int D>
struct World {
  mass::Places<Soil<D>> soil;
  mass::Places<Tile<D>> tiles;
  mass::Agents<Mite<D>> mites;
  bool isPeriodic;

  World(mass::Mass& mass, const Shape<D>& soilShape, const Shape<D>& tileShape, bool isPeriodic_,
        std::int64_t agents)
      : soil(mass.createPlaces<Soil<D>>(
            soilShape, mass::borders<Soil<D>>(isPeriodic_ ? Border::periodic : Border::fixed))),
        tiles(mass.createPlaces<Tile<D>>(
            tileShape, mass::borders<Tile<D>>(isPeriodic_ ? Border::periodic : Border::fixed))),
        mites(mass.createAgents<Mite<D>>(soil, agents)),
        isPeriodic(isPeriodic_) {
    mites.template initialise<&Mite<D>::load>(
        [](std::uint64_t id) { return static_cast<int>(id * id % 1000) - 300; });
    mites.template initialise<&Mite<D>::weight>(
        [](std::uint64_t id) { return 1.0F / static_cast<float>(3 * id + 1); });
  }
  void jump(float edgeOfSoil) const {
    mites.template callAll<&Mite<D>::jump>(mass::spaceOf(soil, edgeOfSoil));
    mites.manageAll();
  }
  auto codes() const { return tiles.template download<&Tile<D>::code>(); }
  auto counts() const { return tiles.template download<&Tile<D>::count>(); }
  auto weights() const { return tiles.template download<&Tile<D>::weight>(); }
  /// Coordinates of tile number i.
  Coordinates<D> tile(std::size_t i) const {
    return mass::coordinatesOf<D>(static_cast<std::int64_t>(i), tiles.shape());
  }
  /// Number of the tile at a place.
  std::size_t number(const Coordinates<D>& place) const {
    return static_cast<std::size_t>(mass::indexOf<D>(place, tiles.shape()));
  }
  /// Code of the tile before another one along axis 0.
  std::uint64_t codeBefore(const std::vector<std::uint64_t>& codes, Coordinates<D> at) const {
    const std::int64_t rows = tiles.shape()[0];
    if (--at[0] < 0 && !isPeriodic) return 3;
    at[0] = (at[0] + rows) % rows;
    return codes[number(at)] % 1000;
  }
};

/// World with tiles of a coarser shape than the soil.
template <int D>
void expectFiner(const Shape<D>& shape, const Shape<D>& ratio, int devices, bool isPeriodic,
                 std::int64_t agents) {
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, times<D>(shape, ratio), shape, isPeriodic, agents);
  for (int step = 0; step < 2; ++step) {
    world.jump(edge);
    const Mites<D> mites(world.mites);
    auto codes = world.codes();
    auto counts = world.counts();
    for (int turn = 0; turn < 3; ++turn) {
      const auto before = codes;
      for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] += world.codeBefore(before, world.tile(i));
        const auto found = below<D>(mites, world.tile(i), ratio);
        for (const std::size_t k : found)
          codes[i] = chained(codes[i], mites.ids[k], mites.loads[k]);
        const auto size = static_cast<int>(found.size());
        counts[i] = static_cast<std::int16_t>(counts[i] + size + (size == 0 ? 1000 : 0));
        for (int axis = 0; axis < D; ++axis)
          codes[i] += static_cast<std::uint64_t>((axis + 2) * ratio[axis]);
      }
    }
    world.tiles.template callAll<&Tile<D>::readFiner>(mass::steps(3), world.mites);
    ASSERT_EQ(world.codes(), codes) << devices << " devices, step " << step;
    ASSERT_EQ(world.counts(), counts) << devices << " devices, step " << step;
  }
}

TEST(FinerResidents, AreTheAgentsOfTheBlockInTheOrderOfPlacesThenIdentities) {
  for (const int devices : {1, 2, 3, 4}) {
    for (const bool isPeriodic : {true, false}) {
      expectFiner<1>({7}, {3}, devices, isPeriodic, 60);
      expectFiner<2>({5, 4}, {2, 3}, devices, isPeriodic, 90);
      expectFiner<2>({5, 4}, {1, 2}, devices, isPeriodic, 40);
      expectFiner<3>({4, 3, 2}, {2, 1, 3}, devices, isPeriodic, 90);
      expectFiner<3>({5, 2, 1}, {1, 3, 2}, devices, isPeriodic, 0);
    }
  }
  expectFiner<2>({1, 1}, {5, 7}, 1, true, 50);
  expectFiner<2>({8, 1}, {1, 3}, 8, false, 50);
}

/// World with tiles of a finer shape than the soil.
template <int D>
void expectCoarser(const Shape<D>& shape, std::int64_t ratio, int devices, bool isPeriodic,
                   std::int64_t agents) {
  Shape<D> ratios{};
  for (int axis = 0; axis < D; ++axis) ratios[axis] = ratio;
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, shape, times<D>(shape, ratios), isPeriodic, agents);
  const auto space = mass::spaceOf(world.tiles, edge);
  std::int64_t here = 0;
  for (int step = 0; step < 2; ++step) {
    world.jump(edge * static_cast<float>(ratio));
    const Mites<D> mites(world.mites);
    auto codes = world.codes();
    auto counts = world.counts();
    const auto before = codes;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] += world.codeBefore(before, world.tile(i));
      const auto above = over<D>(world.tile(i), ratios);
      for (const std::size_t k : mites.on(above)) {
        const bool isHere = placeOf<D>(mites.positions[k], above, ratios) == world.tile(i);
        codes[i] = chained(codes[i], mites.ids[k], mites.loads[k]) + (isHere ? 1 : 0);
        counts[i] = static_cast<std::int16_t>(counts[i] + (isHere ? 1 : 0));
        here += isHere ? 1 : 0;
      }
    }
    world.tiles.template callAll<&Tile<D>::readCoarser>(world.mites, space);
    ASSERT_EQ(world.codes(), codes) << devices << " devices, step " << step;
    ASSERT_EQ(world.counts(), counts) << devices << " devices, step " << step;
    EXPECT_EQ(here, (step + 1) * agents) << "each agent is in one place";
  }
}

TEST(CoarserResidents, AreTheAgentsOfThePlaceAboveEachInOneOfItsPlaces) {
  for (const int devices : {1, 2, 3, 4}) {
    for (const bool isPeriodic : {true, false}) {
      expectCoarser<1>({7}, 3, devices, isPeriodic, 200);
      expectCoarser<2>({5, 4}, 3, devices, isPeriodic, 200);
      expectCoarser<3>({4, 3, 2}, 2, devices, isPeriodic, 200);
    }
  }
  expectCoarser<2>({8, 1}, 7, 8, true, 100);
  expectCoarser<2>({1, 1}, 5, 1, false, 100);
}

TEST(CoarserResidents, RoundingPutsSomePositionsOutsideTheBlock) {
  // Otherwise the tests above do not test isHere() at the borders of blocks.
  int outside = 0;
  const float edgeOfSoil = edge * 3;
  for (int k = 1; k < 100; ++k) {
    const float at = edgeOfSoil * static_cast<float>(k);
    const auto bin = static_cast<int>(std::floor(at / edge));
    outside += bin / 3 != static_cast<int>(std::floor(at / edgeOfSoil)) ? 1 : 0;
  }
  EXPECT_GT(outside, 0);
}

TEST(CoarserResidents, AreReadByRulesOfAgentsOfTheSameClass) {
  for (const int devices : {1, 2, 3}) {
    mass::Mass mass = makeMass(devices);
    const auto coarse = mass.createPlaces<Soil<2>>({3, 5});
    const auto fine = mass.createPlaces<Soil<2>>({6, 20}, {.name = "fine"});
    const auto others = mass.createAgents<Mite<2>>(coarse, 40);
    const auto mites = mass.createAgents<Mite<2>>(fine, 60, "small");
    others.initialise<&Mite<2>::load>([](std::uint64_t id) { return static_cast<int>(id % 17); });
    const Mites<2> above(others), own(mites);
    std::vector<std::uint64_t> seen(own.ids.size());
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (const std::size_t k : above.on(over<2>(own.places[i], {2, 4})))
        seen[i] = chained(seen[i], above.ids[k], above.loads[k]);
    mites.callAll<&Mite<2>::look>(others);
    EXPECT_EQ(mites.download<&Mite<2>::seen>(), seen);
  }
}

template <int D>
void expectDepositOnCoarser(const Shape<D>& shape, const Shape<D>& ratio, int devices) {
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, times<D>(shape, ratio), shape, true, 300);
  for (int call = 0; call < 2; ++call) {
    world.jump(edge);
    const Mites<D> mites(world.mites);
    auto weights = world.weights();
    auto counts = world.counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (const std::size_t k : below<D>(mites, world.tile(i), ratio)) {
        weights[i] += static_cast<double>(mites.weights[k]);
        counts[i] = static_cast<std::int16_t>(counts[i] + 1);
      }
    }
    const auto step = world.tiles.step();
    world.mites.template depositOnCoarser<&Mite<D>::weight, &Tile<D>::weight, &Mite<D>::one,
                                          &Tile<D>::count>(world.tiles);
    EXPECT_EQ(world.weights(), weights);
    EXPECT_EQ(world.counts(), counts);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), (call + 1) * 300);
    EXPECT_EQ(world.tiles.step(), step + 1);
    EXPECT_EQ(world.codes(), std::vector<std::uint64_t>(counts.size(), 3));
  }
}

TEST(DepositOnCoarser, AddsEachAgentOfTheBlockInTheOrderOfPlacesThenIdentities) {
  for (const int devices : {1, 2, 3, 5}) {
    expectDepositOnCoarser<1>({7}, {5}, devices);
    expectDepositOnCoarser<2>({5, 3}, {3, 2}, devices);
    expectDepositOnCoarser<3>({5, 2, 1}, {2, 1, 3}, devices);
  }
}

template <int D>
void expectDepositOnFiner(const Shape<D>& shape, std::int64_t ratio, int devices) {
  Shape<D> ratios{};
  for (int axis = 0; axis < D; ++axis) ratios[axis] = ratio;
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, shape, times<D>(shape, ratios), true, 300);
  const auto space = mass::spaceOf(world.tiles, edge);
  for (int call = 0; call < 2; ++call) {
    world.jump(edge * static_cast<float>(ratio));
    const Mites<D> mites(world.mites);
    auto weights = world.weights();
    auto counts = world.counts();
    for (std::size_t k = 0; k < mites.ids.size(); ++k) {
      const std::size_t i = world.number(placeOf<D>(mites.positions[k], mites.places[k], ratios));
      weights[i] += 0.1 * mites.loads[k] * mites.loads[k];
      counts[i] = static_cast<std::int16_t>(counts[i] + 1);
    }
    world.mites.template depositOnFiner<&Mite<D>::position, &Mite<D>::square, &Tile<D>::weight,
                                        &Mite<D>::one, &Tile<D>::count>(world.tiles, space);
    EXPECT_EQ(world.weights(), weights);
    EXPECT_EQ(world.counts(), counts);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), (call + 1) * 300);
  }
}

TEST(DepositOnFiner, AddsEachAgentToThePlaceOfItsPosition) {
  for (const int devices : {1, 2, 3, 5}) {
    expectDepositOnFiner<1>({7}, 5, devices);
    expectDepositOnFiner<2>({5, 3}, 3, devices);
    expectDepositOnFiner<3>({5, 2, 1}, 2, devices);
  }
}

TEST(ScaledResidents, HaveTheSameBitsOnDevicesAndRanks) {
  const auto hashOf = [](mass::Mass& mass) {
    const World<2> fine(mass, {24, 6}, {8, 3}, true, 120);
    const auto air = mass.createPlaces<Tile<2>>({48, 12}, {.name = "air"});
    const auto space = mass::spaceOf(air, edge);
    for (int step = 0; step < 4; ++step) {
      fine.jump(edge * 2);
      fine.tiles.callAll<&Tile<2>::readFiner>(mass::steps(3), fine.mites);
      air.callAll<&Tile<2>::readCoarser>(mass::steps(2), fine.mites, space);
      fine.mites.depositOnCoarser<&Mite<2>::square, &Tile<2>::weight>(fine.tiles);
      fine.mites.depositOnFiner<&Mite<2>::position, &Mite<2>::weight, &Tile<2>::weight>(air, space);
      if (step == 1) (void)mass.rebalance(mass::Balance::agents, 0.01);
    }
    EXPECT_EQ((fine.tiles.reduce<&Tile<2>::total>(mass::sum, fine.mites)),
              (fine.mites.reduce<&Mite<2>::load>(mass::sum)) + 1000 * fine.mites.size());
    return mass.hash();
  };
  mass::Mass alone = makeMass(1);
  const std::uint64_t hash = hashOf(alone);
  for (const int devices : {2, 3, 4, 8}) {
    mass::Mass mass = makeMass(devices, 3);
    EXPECT_EQ(hashOf(mass), hash) << devices << " devices";
  }
  for (const mass::testing::RankSetup& setup : mass::testing::usualRanks())
    if (mass::testing::haveDevices(setup.deviceCount()))
      mass::testing::onRanks(setup, [&](mass::Mass& mass) { EXPECT_EQ(hashOf(mass), hash); });
}

TEST(ScaledResidents, AreThoseOfASequentialProgramInRandomWorlds) {
  std::mt19937 random(38);
  const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
  for (int trial = 0; trial < 12; ++trial) {
    const int devices = 1 + static_cast<int>(below(4));
    const std::int64_t agents = below(80);
    const Shape<2> shape{devices + below(5), 1 + below(5)}, ratio{1 + below(3), 2 + below(3)};
    expectFiner<2>(shape, ratio, devices, below(2) == 0, agents);
    expectCoarser<2>(shape, 2 + below(3), devices, below(2) == 0, agents);
    expectFiner<1>({devices + below(9)}, {2 + below(6)}, devices, below(2) == 0, agents);
    expectCoarser<3>({devices + below(2), 1 + below(3), 1 + below(2)}, 2, devices, below(2) == 0,
                     agents);
  }
}

/// Returns the text of the UsageError of a call.
template <class Call>
std::string errorOf(const Call& call) {
  try {
    call();
  } catch (const mass::UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ScaledResidents, OfAShapeThatDoesNotFitAreAnErrorThatNamesTheParameterThatDoes) {
  mass::Mass mass = makeMass(1);
  const World<2> world(mass, {8, 6}, {4, 3}, true, 5);
  const auto other = mass.createPlaces<Tile<2>>({8, 5}, {.name = "other"});
  const auto fine = mass.createPlaces<Tile<2>>({16, 6}, {.name = "fine"});
  const auto same = mass.createPlaces<Tile<2>>({8, 6}, {.name = "same"});
  EXPECT_EQ(errorOf([&] { world.tiles.callAll<&Tile<2>::readSame>(world.mites); }),
            "a rule on 'Tile<2>' of shape [4, 3] got agents 'Mite<2>', which live on 'Soil<2>' of "
            "shape [8, 6]: use a parameter FinerResidents");
  EXPECT_NE(errorOf([&] {
              fine.callAll<&Tile<2>::readFiner>(world.mites);
            }).find("of shape [8, 6]: use a parameter CoarserResidents"),
            std::string::npos);
  EXPECT_NE(errorOf([&] {
              same.callAll<&Tile<2>::readFiner>(world.mites);
            }).find("use a parameter Residents"),
            std::string::npos);
  EXPECT_NE(errorOf([&] {
              other.callAll<&Tile<2>::readFiner>(world.mites);
            }).find("both must have the same shape, or one a multiple of the other"),
            std::string::npos);
}

TEST(ScaledDeposits, OnAnotherScaleAreAnErrorThatNamesTheRightCall) {
  mass::Mass mass = makeMass(1), another = makeMass(1);
  const World<2> world(mass, {8, 6}, {4, 3}, true, 5);
  const auto fine = mass.createPlaces<Tile<2>>({16, 12}, {.name = "fine"});
  const auto same = mass.createPlaces<Tile<2>>({8, 6}, {.name = "same"});
  const auto other = mass.createPlaces<Tile<2>>({8, 5}, {.name = "other"});
  const auto strange = another.createPlaces<Tile<2>>({4, 3});
  const auto deposit = [&](const auto& places) {
    return errorOf([&] { world.mites.deposit<&Mite<2>::weight, &Tile<2>::weight>(places); });
  };
  const auto onCoarser = [&](const auto& places) {
    return errorOf(
        [&] { world.mites.depositOnCoarser<&Mite<2>::weight, &Tile<2>::weight>(places); });
  };
  const auto onFiner = [&](const auto& places, const auto& spaced) {
    return errorOf([&] {
      world.mites.depositOnFiner<&Mite<2>::position, &Mite<2>::weight, &Tile<2>::weight>(
          places, mass::spaceOf(spaced, edge));
    });
  };
  EXPECT_EQ(deposit(world.tiles),
            "deposit of agents 'Mite<2>', which live on 'Soil<2>' of shape [8, 6], on 'Tile<2>' of "
            "shape [4, 3]: use depositOnCoarser");
  const auto names = [](const std::string& error, const char* text) {
    return error.find(text) != std::string::npos ? "it does" : error;
  };
  EXPECT_EQ(names(deposit(fine), ": use depositOnFiner"), "it does");
  EXPECT_EQ(names(deposit(other), ": both must have the same shape, or one"), "it does");
  EXPECT_EQ(names(onCoarser(fine), ": use depositOnFiner"), "it does");
  EXPECT_EQ(names(onCoarser(same), "on 'same' of shape [8, 6]: use deposit"), "it does");
  EXPECT_EQ(names(onCoarser(strange), "belong to another Mass"), "it does");
  EXPECT_EQ(names(onFiner(world.tiles, world.tiles), ": use depositOnCoarser"), "it does");
  EXPECT_EQ(onFiner(fine, same),
            "depositOnFiner on 'fine' got the space of other places: use spaceOf('fine')");
  EXPECT_EQ(onFiner(fine, fine), "no error");
}

}  // namespace

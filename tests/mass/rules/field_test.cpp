// Compares rules that read other places with loops on the host, bit for bit.
#include <mass/rules/field.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/mass_on_ranks.hpp"

#include <mass/kernels/widened_lines.hpp>
#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Shape;
using mass::testing::makeMass;

/// Two attributes that change in each step by themselves.
template <int D>
class Water : public mass::Place<D> {
 public:
  static constexpr int reach = 2;
  std::int64_t salt = -7;
  std::array<float, 2> flow{};
  using Attributes = mass::Attributes<&Water::salt, &Water::flow>;

  MASS_FN void mix(const mass::Neighborhood<Water>& near) {
    mass::Offset<D> before{};
    before[0] = -2;
    salt = salt * 5 + near(before).salt % 1000 + 1;
    flow[1] = static_cast<float>(salt % 17) / 3.0F;
  }
};

/// Cell that reads water of the same, a finer or a coarser shape.
template <int D>
class Reed : public mass::Place<D> {
 public:
  std::int64_t height = 1;
  float bend = 0;
  using Attributes = mass::Attributes<&Reed::height, &Reed::bend>;

  /// Reads the corners of the reach.
  template <class F>
  MASS_FN void drink(const F& water, const mass::Neighborhood<Reed>& near) {
    mass::Offset<D> low{}, high{};
    for (int axis = 0; axis < D; ++axis) {
      low[axis] = -2;
      high[axis] = axis == 0 ? 1 : 2;
    }
    height += 3 * water().salt + 5 * water(low).salt + 7 * water(high).salt;
    mass::Offset<D> before{};
    before[D - 1] = -1;
    height += near(before).height % 100;
    bend += water().flow[1];
  }
  MASS_FN void growBy(const mass::Field<Water<D>>& water, const mass::Neighborhood<Reed>& near) {
    drink(water, near);
  }
  MASS_FN void growAbove(const mass::FinerField<Water<D>>& water,
                         const mass::Neighborhood<Reed>& near) {
    drink(water, near);
    std::int64_t number = 0;
    for (const Water<D> part : water) height += ++number * part.salt;
    for (int axis = 0; axis < D; ++axis) height += water.block()[axis];
  }
  MASS_FN void growBelow(const mass::CoarserField<Water<D>>& water,
                         const mass::Neighborhood<Reed>& near) {
    drink(water, near);
  }
  MASS_FN void lean(const mass::CoarserField<Water<D>>& water, int columns) {
    mass::Offset<D> by{};
    by[D - 1] = columns;
    bend = water(by).flow[0];
  }
  MASS_FN std::int64_t salinity(const mass::Field<Water<D>>& water) const {
    return height - water().salt;
  }
  MASS_FN std::int64_t salinityAbove(const mass::CoarserField<Water<D>>& water) const {
    return 2 * height - water().salt;
  }
};

/// World of numbers on the host, whose axes are periodic or have a value beyond them.
template <int D, class T>
struct Grid {
  Shape<D> shape;
  std::vector<T> values;
  bool isPeriodic = true;
  T outside{};

  T at(Coordinates<D> place) const {
    for (int axis = 0; axis < D; ++axis) {
      if (!isPeriodic && (place[axis] < 0 || place[axis] >= shape[axis])) return outside;
      place[axis] = (place[axis] + 2 * shape[axis]) % shape[axis];
    }
    return values[static_cast<std::size_t>(mass::indexOf<D>(place, shape))];
  }
};

template <int D>
Coordinates<D> moved(Coordinates<D> place, const mass::Offset<D>& by) {
  for (int axis = 0; axis < D; ++axis) place[axis] += by[axis];
  return place;
}

/// The step of Reed on the host. @param first first place of the water at a place of the reed
template <int D, class First>
void drinkOnHost(Grid<D, std::int64_t>& heights, const Grid<D, std::int64_t>& salts,
                 const First& first) {
  const auto before = heights;
  mass::Offset<D> low{}, high{}, beside{};
  for (int axis = 0; axis < D; ++axis) {
    low[axis] = -2;
    high[axis] = axis == 0 ? 1 : 2;
  }
  beside[D - 1] = -1;
  for (std::size_t i = 0; i < heights.values.size(); ++i) {
    const auto place = mass::coordinatesOf<D>(static_cast<std::int64_t>(i), heights.shape);
    const auto at = first(place);
    heights.values[i] += 3 * salts.at(at) + 5 * salts.at(moved<D>(at, low)) +
                         7 * salts.at(moved<D>(at, high)) +
                         before.at(moved<D>(place, beside)) % 100;
  }
}

/// Reed and water of some shapes on some devices.
template <int D>
struct World {
  mass::Mass mass;
  mass::Places<Water<D>> water;
  mass::Places<Reed<D>> reed;
  bool isPeriodic;

  World(int devices, const Shape<D>& waterShape, const Shape<D>& reedShape, bool isPeriodic_)
      : mass(makeMass(devices)),
        water(mass.createPlaces<Water<D>>(
            waterShape, mass::borders<Water<D>>(isPeriodic_ ? Border::periodic : Border::fixed))),
        reed(mass.createPlaces<Reed<D>>(reedShape)),
        isPeriodic(isPeriodic_) {
    water.template initialise<&Water<D>::salt>([&](const Coordinates<D>& at) {
      const std::int64_t index = mass::indexOf<D>(at, waterShape);
      return index * index % 1013 - 300;
    });
  }
  Grid<D, std::int64_t> salts() const {
    return {water.shape(), water.template download<&Water<D>::salt>(), isPeriodic, -7};
  }
  Grid<D, std::int64_t> heights() const {
    return {reed.shape(), reed.template download<&Reed<D>::height>()};
  }
};

template <int D>
void expectSame(const Shape<D>& shape, int devices, bool isPeriodic) {
  World<D> world(devices, shape, shape, isPeriodic);
  for (int step = 0; step < 3; ++step) {
    auto heights = world.heights();
    const auto salts = world.salts();
    drinkOnHost<D>(heights, salts, [](const auto& place) { return place; });
    drinkOnHost<D>(heights, salts, [](const auto& place) { return place; });
    world.reed.template callAll<&Reed<D>::growBy>(mass::steps(2), world.water);
    ASSERT_EQ(world.heights().values, heights.values) << devices << " devices, step " << step;
    world.water.template callAll<&Water<D>::mix>(mass::steps(3));
  }
}

TEST(Field, IsThePlaceAndItsNeighboursOfAnotherClass) {
  for (const int devices : {1, 2, 3, 4}) {
    for (const bool isPeriodic : {true, false}) {
      expectSame<1>({13}, devices, isPeriodic);
      expectSame<2>({11, 7}, devices, isPeriodic);
      expectSame<3>({9, 4, 5}, devices, isPeriodic);
    }
  }
}

template <int D>
void expectFiner(const Shape<D>& reedShape, const Shape<D>& ratio, int devices, bool isPeriodic) {
  Shape<D> waterShape{};
  for (int axis = 0; axis < D; ++axis) waterShape[axis] = reedShape[axis] * ratio[axis];
  World<D> world(devices, waterShape, reedShape, isPeriodic);
  for (int step = 0; step < 2; ++step) {
    auto heights = world.heights();
    const auto salts = world.salts();
    const auto first = [&](Coordinates<D> place) {
      for (int axis = 0; axis < D; ++axis) place[axis] *= ratio[axis];
      return place;
    };
    drinkOnHost<D>(heights, salts, first);
    for (std::size_t i = 0; i < heights.values.size(); ++i) {
      const auto at = first(mass::coordinatesOf<D>(static_cast<std::int64_t>(i), reedShape));
      for (std::int64_t k = 0; k < mass::count<D>(ratio); ++k) {
        const auto part = mass::coordinatesOf<D>(k, ratio);
        auto place = at;
        for (int axis = 0; axis < D; ++axis) place[axis] += part[axis];
        heights.values[i] += (k + 1) * salts.at(place);
      }
      for (int axis = 0; axis < D; ++axis) heights.values[i] += ratio[axis];
    }
    world.reed.template callAll<&Reed<D>::growAbove>(world.water);
    ASSERT_EQ(world.heights().values, heights.values) << devices << " devices, step " << step;
    world.water.template callAll<&Water<D>::mix>();
  }
}

TEST(FinerField, IsTheBlockOfPlacesBelowAndThoseAroundIt) {
  for (const int devices : {1, 2, 3, 4}) {
    for (const bool isPeriodic : {true, false}) {
      expectFiner<1>({7}, {3}, devices, isPeriodic);
      expectFiner<2>({5, 4}, {2, 3}, devices, isPeriodic);
      expectFiner<2>({5, 4}, {1, 2}, devices, isPeriodic);
      expectFiner<3>({4, 3, 2}, {2, 1, 3}, devices, isPeriodic);
    }
  }
}

template <int D>
void expectCoarser(const Shape<D>& waterShape, const Shape<D>& ratio, int devices,
                   bool isPeriodic) {
  Shape<D> reedShape{};
  for (int axis = 0; axis < D; ++axis) reedShape[axis] = waterShape[axis] * ratio[axis];
  World<D> world(devices, waterShape, reedShape, isPeriodic);
  const auto above = [&](Coordinates<D> place) {
    for (int axis = 0; axis < D; ++axis) place[axis] /= ratio[axis];
    return place;
  };
  for (int step = 0; step < 2; ++step) {
    auto heights = world.heights();
    const auto salts = world.salts();
    drinkOnHost<D>(heights, salts, above);
    world.reed.template callAll<&Reed<D>::growBelow>(world.water);
    ASSERT_EQ(world.heights().values, heights.values) << devices << " devices, step " << step;
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < heights.values.size(); ++i) {
      const auto place = mass::coordinatesOf<D>(static_cast<std::int64_t>(i), reedShape);
      expected.push_back(2 * heights.values[i] - salts.at(above(place)));
    }
    EXPECT_EQ(world.reed.template map<&Reed<D>::salinityAbove>(world.water), expected);
    EXPECT_EQ(world.reed.template reduce<&Reed<D>::salinityAbove>(mass::sum, world.water),
              std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
    world.water.template callAll<&Water<D>::mix>();
  }
}

TEST(CoarserField, IsThePlaceAboveAndItsNeighbours) {
  for (const int devices : {1, 2, 3, 4}) {
    for (const bool isPeriodic : {true, false}) {
      expectCoarser<1>({7}, {3}, devices, isPeriodic);
      expectCoarser<2>({5, 6}, {2, 3}, devices, isPeriodic);
      expectCoarser<2>({5, 9}, {3, 2}, devices, isPeriodic);
      expectCoarser<2>({4, 5}, {1, 4}, devices, isPeriodic);
      expectCoarser<2>({4, 5}, {3, 1}, devices, isPeriodic);
      expectCoarser<3>({4, 3, 2}, {2, 1, 3}, devices, isPeriodic);
      expectCoarser<3>({4, 2, 5}, {1, 2, 2}, devices, isPeriodic);
    }
  }
}

template <int known>
void expectRepeated(std::int64_t ratio, std::int64_t first, std::int64_t count) {
  std::vector<float> from(20), to(30, -1);
  std::iota(from.begin(), from.end(), 0.5F);
  mass::detail::repeatElements<known>(from.data(), first, count, ratio, to.data());
  for (std::int64_t x = 0; x < 30; ++x) {
    EXPECT_EQ(to[static_cast<std::size_t>(x)],
              x < count ? from[static_cast<std::size_t>((first + x) / ratio)] : -1)
        << "ratio " << ratio << ", from " << first << ", " << count << " columns";
  }
}

TEST(CoarserField, IsRepeatedForTheColumnsBelow) {
  for (const std::int64_t first : {0, 1, 2, 3, 6}) {
    for (const std::int64_t count : {0, 1, 2, 5, 11, 24}) {
      expectRepeated<2>(2, first, count);
      expectRepeated<4>(4, first, count);
      for (const std::int64_t ratio : {2, 3, 7, 40}) expectRepeated<0>(ratio, first, count);
    }
  }
}

TEST(Field, OfALaterRuleInTurnMayMoveTheCutsOfAnEarlierOne) {
  for (const int devices : {1, 2, 3}) {
    mass::Mass mass = makeMass(devices);
    // On three devices, 12 rows are cut into 4, 4 and 4, and 4 rows into 1, 2 and 1: the cuts of
    // all move.
    const auto reed = mass.createPlaces<Reed<1>>({12});
    const auto near = mass.createPlaces<Water<1>>({12});
    const auto above = mass.createPlaces<Water<1>>({4}, {.name = "above"});
    for (const auto& water : {near, above})
      water.initialise<&Water<1>::salt>([](const auto& at) { return at[0] * at[0] - 3; });
    Grid<1, std::int64_t> heights{reed.shape(), reed.download<&Reed<1>::height>()};
    for (int turn = 0; turn < 2; ++turn) {
      drinkOnHost<1>(heights, {near.shape(), near.download<&Water<1>::salt>()},
                     [](const auto& place) { return place; });
      drinkOnHost<1>(heights, {above.shape(), above.download<&Water<1>::salt>()},
                     [](const auto& place) { return Coordinates<1>{place[0] / 3}; });
    }
    reed.callAll<mass::inTurn<&Reed<1>::growBy, &Reed<1>::growBelow>>(mass::steps(2), near, above);
    EXPECT_EQ(reed.download<&Reed<1>::height>(), heights.values) << devices << " devices";
  }
}

TEST(Field, IsReadByReductionsAndByRulesOfAgents) {
  World<2> world(2, {6, 5}, {6, 5}, true);
  std::int64_t sum = 0;
  for (const std::int64_t salt : world.salts().values) sum += 1 - salt;
  EXPECT_EQ(world.reed.reduce<&Reed<2>::salinity>(mass::sum, world.water), sum);
}

/// Bird on reed that drinks.
class Bird : public mass::Agent<Reed<2>> {
 public:
  std::int64_t drunk = 0;
  using Attributes = mass::Attributes<&Bird::drunk>;

  MASS_FN void drink(const mass::Field<Water<2>>& water, mass::Intent<Bird>& intent) {
    drunk += water().salt;
    intent.move({1, static_cast<int>(intent.random().below(2))});
  }
};

TEST(Field, IsReadByRulesOfAgentsWhereverTheyMove) {
  for (const int devices : {1, 2, 3}) {
    World<2> world(devices, {7, 5}, {7, 5}, true);
    auto birds = world.mass.createAgents<Bird>(world.reed, 20);
    std::vector<std::int64_t> drunk(20);  // by identity
    for (int step = 0; step < 12; ++step) {
      const auto salts = world.salts();
      const auto ids = birds.ids();
      const auto places = birds.coordinates();
      for (std::size_t i = 0; i < ids.size(); ++i) drunk[ids[i]] += salts.at(places[i]);
      birds.callAll<&Bird::drink>(world.water);
      birds.manageAll();
      world.water.callAll<&Water<2>::mix>();
    }
    const auto ids = birds.ids();
    const auto found = birds.download<&Bird::drunk>();
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(found[i], drunk[ids[i]]);
  }
}

TEST(Field, AgentsDepositOnOtherPlacesOfTheirShape) {
  for (const int devices : {1, 3}) {
    World<2> world(devices, {7, 5}, {7, 5}, true);
    auto birds = world.mass.createAgents<Bird>(world.reed, 40);
    birds.callAll<&Bird::drink>(world.water);
    birds.manageAll();
    auto salts = world.salts();
    const auto places = birds.coordinates();
    const auto drunk = birds.download<&Bird::drunk>();
    for (std::size_t i = 0; i < drunk.size(); ++i)
      salts.values[static_cast<std::size_t>(mass::indexOf<2>(places[i], salts.shape))] += drunk[i];
    birds.deposit<&Bird::drunk, &Water<2>::salt>(world.water);
    EXPECT_EQ(world.salts().values, salts.values);
  }
}

TEST(Field, CutsOfBothGoTogetherWhereverTheyAreMoved) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "there are fewer than 3 GPUs";
  World<2> world(3, {24, 4}, {8, 4}, true);
  auto birds = world.mass.createAgents<Bird>(world.reed, 50);
  world.reed.callAll<&Reed<2>::growAbove>(world.water);
  EXPECT_THROW(world.mass.repartition(world.water, {7, 8, 9}), mass::UsageError);
  const auto hash = world.mass.hash();
  world.mass.repartition(world.water, {3, 15, 6});
  const auto bandsOf = [](const auto& places) {
    return places.population().fields->partition().bands();
  };
  EXPECT_EQ(bandsOf(world.reed), (std::vector<std::int64_t>{1, 5, 2}));
  EXPECT_EQ(world.mass.hash(), hash);
  (void)world.mass.rebalance(mass::Balance::agents, 0.01);
  const auto fine = bandsOf(world.water), coarse = bandsOf(world.reed);
  EXPECT_NE(coarse, (std::vector<std::int64_t>{1, 5, 2}));
  for (std::size_t device = 0; device < 3; ++device) EXPECT_EQ(fine[device], 3 * coarse[device]);
  EXPECT_EQ(world.mass.hash(), hash);
}

/// Returns the hash after some steps of birds, reed and water at two scales.
std::uint64_t hashOf(mass::Mass& mass) {
  const auto water = mass.createPlaces<Water<2>>({24, 6});
  const auto reed = mass.createPlaces<Reed<2>>({8, 6});
  const auto pond = mass.createPlaces<Water<2>>({8, 6}, {.name = "pond"});
  const auto birds = mass.createAgents<Bird>(reed, 30);
  water.callAll<&Water<2>::mix>(mass::steps(3));
  for (int step = 0; step < 5; ++step) {
    reed.callAll<&Reed<2>::growAbove>(mass::steps(2), water);
    pond.callAll<&Water<2>::mix>();
    reed.callAll<mass::inTurn<&Reed<2>::growBy, &Reed<2>::growBy>>(mass::steps(2), pond);
    birds.callAll<&Bird::drink>(pond);
    birds.deposit<&Bird::drunk, &Water<2>::salt>(pond);
    birds.manageAll();
    if (step == 2) (void)mass.rebalance(mass::Balance::agents, 0.01);
  }
  return mass.hash();
}

TEST(Field, HasTheSameBitsOnDevicesAndRanks) {
  mass::Mass alone = makeMass(1);
  const std::uint64_t hash = hashOf(alone);
  for (const int devices : {2, 3, 4, 8}) {
    mass::Mass mass = makeMass(devices);
    EXPECT_EQ(hashOf(mass), hash) << devices << " devices";
  }
  for (const mass::testing::RankSetup& setup : mass::testing::usualRanks())
    if (mass::testing::haveDevices(setup.deviceCount()))
      mass::testing::onRanks(setup, [&](mass::Mass& mass) { EXPECT_EQ(hashOf(mass), hash); });
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

TEST(Field, BeyondItsReachIsAnErrorInCheckedBuilds) {
  World<2> world(1, {6, 4}, {12, 8}, true);
  const auto read = [&](int columns) { world.reed.callAll<&Reed<2>::lean>(world.water, columns); };
  read(2);
  if (mass::checked && mass::testing::testBackend() != "cuda") {
    EXPECT_THROW(read(-3), mass::UsageError);
  }
}

TEST(Field, AShapeThatDoesNotFitIsAnErrorThatNamesTheOneThatWould) {
  World<2> finer(1, {8, 6}, {4, 3}, true), other(1, {8, 5}, {4, 3}, true);
  const auto read = [](auto& world) {
    return errorOf([&] { world.reed.template callAll<&Reed<2>::growBy>(world.water); });
  };
  EXPECT_EQ(read(finer),
            "a rule on 'Reed<2>' of shape [4, 3] takes 'Water<2>' of shape [8, 6] as Field: use "
            "FinerField");
  EXPECT_EQ(
      read(other),
      "a rule on 'Reed<2>' of shape [4, 3] got 'Water<2>' of shape [8, 5]: along all axes, the "
      "places of one must be a multiple of those of the other; [8, 6] would fit");
  EXPECT_NE(
      errorOf([&] { finer.reed.callAll<&Reed<2>::growAbove>(other.water); }).find("another Mass"),
      std::string::npos);
}

TEST(Field, MoreDevicesThanCommonPartsAreAnError) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "there are fewer than 3 GPUs";
  World<1> world(3, {12}, {6}, true);
  const auto other = world.mass.createPlaces<Reed<1>>({4}, {.name = "other"});
  world.reed.callAll<&Reed<1>::growAbove>(world.water);
  const auto hash = world.mass.hash();
  EXPECT_EQ(
      errorOf([&] { other.callAll<&Reed<1>::growAbove>(world.water); }),
      "rules of one of 'Water<1>', 'Reed<1>', 'other' read another: the rows of all divide into 2 "
      "common parts, and each of 3 devices needs one; use at most 2 devices");
  EXPECT_EQ(world.mass.hash(), hash);
}

}  // namespace

// Agents that take from other places than their own, compared with loops on the host, bit for bit.
#include <mass/rules/field_resource.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Coordinates;
using mass::Shape;
using mass::testing::makeMass;

constexpr float edge = 0.1F;  ///< edge of the finer places

template <int D>
class Hill : public mass::Place<D> {
 public:
  std::int32_t stones = 2;
  using Attributes = mass::Attributes<&Hill::stones>;
};

/// Places that agents on hills take from.
template <int D>
class Store : public mass::Place<D> {
 public:
  std::int16_t grain = 9;
  float milk = 1.1F;
  std::int64_t seen = 0;
  using Attributes = mass::Attributes<&Store::grain, &Store::milk, &Store::seen>;

  /// Reads both neighbours along each axis, so also beyond borders and cuts.
  MASS_FN void look(const mass::Neighborhood<Store>& near) {
    seen = seen * 3 % 100003;
    for (int axis = 0; axis < D; ++axis) {
      mass::Offset<D> offset{};
      offset[axis] = 1;
      seen += 10 * near(offset).grain + near(-offset).grain;
    }
    grain = static_cast<std::int16_t>(grain + seen % 3);
  }
};

template <int D>
class Goat : public mass::Agent<Hill<D>> {
 public:
  static constexpr int travel = mass::anywhere;
  mass::Point<D> position{};
  std::int32_t eaten = 0, found = 0;
  float drunk = 0;
  using Attributes = mass::Attributes<&Goat::position, &Goat::eaten, &Goat::found, &Goat::drunk>;

  /// Takes from one place. @tparam Grain, Milk resources of a scale
  template <class Grain, class Milk>
  MASS_FN void takeFrom(const Grain& grain, const Milk& milk, std::uint64_t id) {
    found = grain.left();
    if (grain.take(2)) ++eaten;
    drunk += milk.takeUpTo(0.4F);
    milk.add(0.0625F);
    if (id % 5 == 0) grain.set(4);
    if (id % 7 == 0) drunk += milk.takeAll();
  }
  MASS_FN void eat(const mass::FieldResource<&Store<D>::grain>& grain, const mass::Intent<Goat>& in,
                   const mass::FieldResource<&Store<D>::milk>& milk) {
    takeFrom(grain, milk, in.id());
  }
  MASS_FN void eatAbove(const mass::CoarserResource<&Store<D>::grain>& grain,
                        const mass::CoarserResource<&Store<D>::milk>& milk,
                        const mass::Intent<Goat>& in) {
    takeFrom(grain, milk, in.id());
  }
  /// Takes from the place of the block with the number of the identity.
  MASS_FN void eatBelow(const mass::FinerResource<&Store<D>::grain>& grain,
                        const mass::FinerResource<&Store<D>::milk>& milk,
                        const mass::Intent<Goat>& in) {
    mass::Offset<D> offset{};
    std::uint64_t number = in.id();
    for (int axis = 0; axis < D; ++axis) {
      const auto extent = static_cast<std::uint64_t>(grain.block()[axis]);
      offset[axis] = static_cast<int>(number % extent);
      number /= extent;
    }
    takeFrom(grain(offset), milk(offset), in.id());
    if constexpr (D == 2) milk(0, 0).add(0.25F);
    milk().add(0.5F);
  }
  MASS_FN void eatAt(const mass::FinerResource<&Store<D>::grain>& grain, mass::Space<D> space) {
    eaten += grain.at(space, position).takeUpTo(3);
    grain.at(space, position).add(1);
  }
  /// Takes from other places and its own, and reads others.
  MASS_FN void barter(const mass::Resource<&Hill<D>::stones>& stones,
                      const mass::FieldResource<&Store<D>::grain>& grain,
                      const mass::Field<Store<D>>& market) {
    if (stones.take(1)) eaten += grain.takeUpTo(static_cast<std::int16_t>(market().grain % 5));
  }
  MASS_FN void takeOutside(const mass::FinerResource<&Store<D>::grain>& grain) {
    eaten += grain(0, grain.block()[1]).takeUpTo(1);
  }
  MASS_FN void jump(mass::Space<D> space, mass::Intent<Goat>& intent) {
    auto random = intent.random();
    for (int axis = 0; axis < D; ++axis) {
      const float at =
          random.below(2) == 0
              ? space.length(axis) * random.template uniform<float>()
              : space.edge *
                    static_cast<float>(random.below(static_cast<std::uint32_t>(space.bins[axis])));
      position[axis] = at < space.length(axis) ? at : 0;
    }
    intent.moveTo(space, position);
  }
};

/// The state of stores and goats in a sequential program.
template <int D>
struct Trade {
  std::vector<std::int16_t> grain;
  std::vector<float> milk;
  std::vector<std::int32_t> eaten, found;
  std::vector<float> drunk;

  void take(std::size_t goat, std::size_t store, std::uint64_t id) {
    std::int16_t& here = grain[store];
    found[goat] = here;
    if (here >= 2) {
      here = static_cast<std::int16_t>(here - 2);
      ++eaten[goat];
    }
    const float taken = std::min(0.4F, milk[store]);
    if (taken > 0) {
      milk[store] -= taken;
      drunk[goat] += taken;
    }
    milk[store] += 0.0625F;
    if (id % 5 == 0) here = 4;
    if (id % 7 == 0) {
      drunk[goat] += milk[store];
      milk[store] = 0;
    }
  }
};

/// Hills with goats, and stores of the same or another shape.
template <int D>
struct World {
  mass::Places<Hill<D>> hills;
  mass::Places<Store<D>> stores;
  mass::Agents<Goat<D>> goats;

  World(mass::Mass& mass, const Shape<D>& shape, const Shape<D>& storeShape, std::int64_t agents,
        Border border = Border::periodic)
      : hills(mass.createPlaces<Hill<D>>(shape, mass::borders<Hill<D>>(border))),
        stores(mass.createPlaces<Store<D>>(storeShape, mass::borders<Store<D>>(border))),
        goats(mass.createAgents<Goat<D>>(hills, agents)) {}

  Trade<D> trade() const {
    return {stores.template download<&Store<D>::grain>(),
            stores.template download<&Store<D>::milk>(), goats.template download<&Goat<D>::eaten>(),
            goats.template download<&Goat<D>::found>(), goats.template download<&Goat<D>::drunk>()};
  }
  std::size_t store(const Coordinates<D>& at) const {
    return static_cast<std::size_t>(mass::indexOf<D>(at, stores.shape()));
  }
  void jump(float edgeOfHills) const {
    goats.template callAll<&Goat<D>::jump>(mass::spaceOf(hills, edgeOfHills));
    goats.manageAll();
  }
};

template <int D>
void expectSame(const Trade<D>& found, const Trade<D>& expected, int devices) {
  ASSERT_EQ(found.grain, expected.grain) << devices << " devices";
  ASSERT_EQ(found.milk, expected.milk) << devices << " devices";
  ASSERT_EQ(found.eaten, expected.eaten) << devices << " devices";
  ASSERT_EQ(found.found, expected.found) << devices << " devices";
  ASSERT_EQ(found.drunk, expected.drunk) << devices << " devices";
}

/// Compares three steps with loops over the goats in their order.
/// @param call applies the rule @param take one goat of the sequential program takes
template <int D, class Call, class Take>
void expectTaking(const World<D>& world, int devices, const Call& call, const Take& take) {
  for (int step = 0; step < 3; ++step) {
    world.jump(1);
    Trade<D> trade = world.trade();
    const auto ids = world.goats.ids();
    const auto places = world.goats.coordinates();
    for (std::size_t i = 0; i < ids.size(); ++i) take(trade, i, places[i], ids[i]);
    call();
    expectSame<D>(world.trade(), trade, devices);
    // The halos are those of the changed state.
    auto seen = world.stores.template download<&Store<D>::seen>();
    world.stores.template callAll<&Store<D>::look>();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto at = mass::coordinatesOf<D>(static_cast<std::int64_t>(i), world.stores.shape());
      seen[i] = seen[i] * 3 % 100003;
      for (int axis = 0; axis < D; ++axis) {
        for (const int way : {1, -1}) {
          auto beside = at;
          const std::int64_t length = world.stores.shape()[axis];
          beside[axis] = (at[axis] + way + length) % length;
          seen[i] += (way == 1 ? 10 : 1) * trade.grain[world.store(beside)];
        }
      }
    }
    ASSERT_EQ(world.stores.template download<&Store<D>::seen>(), seen) << devices << " devices";
  }
}

template <int D>
void expectSameShape(const Shape<D>& shape, int devices, std::int64_t agents) {
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, shape, shape, agents);
  expectTaking(
      world, devices,
      [&] { world.goats.template callAll<&Goat<D>::eat>(world.stores, world.stores); },
      [&](Trade<D>& trade, std::size_t goat, const Coordinates<D>& place, std::uint64_t id) {
        trade.take(goat, world.store(place), id);
      });
}

TEST(FieldResource, IsTakenAtThePositionOfEachAgentInTheOrderOfIdentities) {
  for (const int devices : {1, 2, 3, 5}) {
    expectSameShape<1>({17}, devices, 90);
    expectSameShape<2>({7, 5}, devices, 90);
    expectSameShape<3>({5, 3, 2}, devices, 90);
  }
  expectSameShape<2>({1, 6}, 1, 20);
  expectSameShape<2>({8, 3}, 8, 0);
}

template <int D>
void expectBelow(const Shape<D>& shape, const Shape<D>& ratio, int devices, std::int64_t agents) {
  Shape<D> fine{};
  for (int axis = 0; axis < D; ++axis) fine[axis] = shape[axis] * ratio[axis];
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, shape, fine, agents);
  expectTaking(
      world, devices,
      [&] { world.goats.template callAll<&Goat<D>::eatBelow>(world.stores, world.stores); },
      [&](Trade<D>& trade, std::size_t goat, Coordinates<D> place, std::uint64_t id) {
        Coordinates<D> first{};
        std::uint64_t number = id;
        for (int axis = 0; axis < D; ++axis) {
          const auto extent = static_cast<std::uint64_t>(ratio[axis]);
          first[axis] = place[axis] * ratio[axis];
          place[axis] = first[axis] + static_cast<std::int64_t>(number % extent);
          number /= extent;
        }
        trade.take(goat, world.store(place), id);
        if (D == 2) trade.milk[world.store(first)] += 0.25F;
        trade.milk[world.store(first)] += 0.5F;
      });
}

TEST(FinerResource, IsTakenFromAnyPlaceOfTheBlockInTheOrderOfIdentities) {
  for (const int devices : {1, 2, 3, 5}) {
    expectBelow<1>({17}, {3}, devices, 90);
    expectBelow<2>({7, 5}, {2, 3}, devices, 90);
    expectBelow<2>({5, 1}, {1, 7}, devices, 30);
    expectBelow<3>({5, 3, 2}, {2, 1, 3}, devices, 90);
  }
  expectBelow<2>({1, 1}, {5, 7}, 1, 30);
}

TEST(FinerResource, IsTakenAtThePositionOfEachAgent) {
  for (const int devices : {1, 3}) {
    mass::Mass mass = makeMass(devices);
    const World<2> world(mass, {5, 4}, {15, 12}, 200);
    const auto space = mass::spaceOf(world.stores, edge);
    for (int step = 0; step < 3; ++step) {
      world.jump(edge * 3);
      Trade<2> trade = world.trade();
      const auto places = world.goats.coordinates();
      const auto positions = world.goats.download<&Goat<2>::position>();
      for (std::size_t i = 0; i < places.size(); ++i) {
        Coordinates<2> at{};
        for (int axis = 0; axis < 2; ++axis) {
          const std::int64_t first = places[i][axis] * 3;
          at[axis] = std::clamp(static_cast<std::int64_t>(std::floor(positions[i][axis] / edge)),
                                first, first + 2);
        }
        std::int16_t& grain = trade.grain[world.store(at)];
        const auto taken = std::min<std::int16_t>(3, grain);
        trade.eaten[i] += taken;
        grain = static_cast<std::int16_t>(grain - taken + 1);
      }
      world.goats.callAll<&Goat<2>::eatAt>(world.stores, space);
      expectSame<2>(world.trade(), trade, devices);
    }
  }
}

template <int D>
void expectAbove(const Shape<D>& storeShape, const Shape<D>& ratio, int devices,
                 std::int64_t agents) {
  Shape<D> shape{};
  for (int axis = 0; axis < D; ++axis) shape[axis] = storeShape[axis] * ratio[axis];
  mass::Mass mass = makeMass(devices, 2 * devices);
  const World<D> world(mass, shape, storeShape, agents);
  expectTaking(
      world, devices,
      [&] { world.goats.template callAll<&Goat<D>::eatAbove>(world.stores, world.stores); },
      [&](Trade<D>& trade, std::size_t goat, Coordinates<D> place, std::uint64_t id) {
        for (int axis = 0; axis < D; ++axis) place[axis] /= ratio[axis];
        trade.take(goat, world.store(place), id);
      });
}

TEST(CoarserResource, IsTakenByAllAgentsBelowInTheOrderOfPlacesThenIdentities) {
  for (const int devices : {1, 2, 3, 5}) {
    expectAbove<1>({7}, {3}, devices, 90);
    expectAbove<2>({5, 3}, {2, 3}, devices, 90);
    expectAbove<2>({6, 4}, {3, 1}, devices, 30);
    expectAbove<3>({5, 2, 1}, {1, 3, 2}, devices, 90);
  }
  expectAbove<2>({1, 1}, {5, 7}, 1, 50);
  expectAbove<2>({8, 1}, {1, 3}, 8, 0);
}

TEST(FieldResource, IsThatOfASequentialProgramInRandomWorlds) {
  std::mt19937 random(38);
  const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
  for (int trial = 0; trial < 10; ++trial) {
    const int devices = 1 + static_cast<int>(below(4));
    const std::int64_t agents = below(90);
    expectSameShape<2>({devices + below(5), 1 + below(5)}, devices, agents);
    expectBelow<2>({devices + below(4), 1 + below(4)}, {1 + below(3), 2 + below(2)}, devices,
                   agents);
    expectAbove<2>({devices + below(4), 1 + below(4)}, {1 + below(3), 2 + below(2)}, devices,
                   agents);
    expectAbove<1>({devices + below(4)}, {2 + below(5)}, devices, agents);
    expectBelow<3>({devices + below(2), 1 + below(2), 1 + below(2)}, {2, 1 + below(2), 3}, devices,
                   agents);
  }
}

TEST(FieldResource, IsTakenBesideAResourceAndAField) {
  for (const int devices : {1, 2, 3}) {
    mass::Mass mass = makeMass(devices);
    const World<2> world(mass, {6, 5}, {6, 5}, 90);
    const auto market = mass.createPlaces<Store<2>>({6, 5}, {.name = "market"});
    market.initialise<&Store<2>::grain>([](const auto& at) { return at[0] * 3 + at[1]; });
    auto stones = world.hills.download<&Hill<2>::stones>();
    const auto prices = market.download<&Store<2>::grain>();
    Trade<2> trade = world.trade();
    const auto places = world.goats.coordinates();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t at = world.store(places[i]);
      if (stones[at] < 1) continue;
      --stones[at];
      const auto taken = std::min<std::int16_t>(trade.grain[at], prices[at] % 5);
      trade.grain[at] = static_cast<std::int16_t>(trade.grain[at] - taken);
      trade.eaten[i] += taken;
    }
    world.goats.callAll<&Goat<2>::barter>(world.stores, market);
    expectSame<2>(world.trade(), trade, devices);
    EXPECT_EQ(world.hills.download<&Hill<2>::stones>(), stones);
  }
}

/// Places that are stored as bits.
class Lamp : public mass::Place<2> {
 public:
  bool lit = false;
  using Attributes = mass::Attributes<mass::stored<&Lamp::lit, mass::Bits>>;

  MASS_FN void spread(const mass::Neighborhood<Lamp>& near) {
    int around = 0;
    for (const auto offset : mass::moore<2>) around += near(offset).lit ? 1 : 0;
    lit = around == 3 || (lit && around == 2);
  }
};

class Moth : public mass::Agent<Hill<2>> {
 public:
  int seen = 0;
  using Attributes = mass::Attributes<&Moth::seen>;

  MASS_FN void turn(const mass::FieldResource<&Lamp::lit>& lit) {
    seen += lit.left() ? 1 : 0;
    lit.set(!lit.left());
  }
};

struct LampWorld {
  mass::Places<Lamp> lamps;
  mass::Agents<Moth> moths;

  explicit LampWorld(mass::Mass& mass)
      : lamps(mass.createPlaces<Lamp>({9, 70})),
        moths(mass.createAgents<Moth>(mass.createPlaces<Hill<2>>({9, 70}), 200)) {
    lamps.initialise<&Lamp::lit>([](const auto& at) { return at[0] * at[1] % 3 == 1; });
  }
};

TEST(FieldResource, IsTakenFromPlacesThatAreStoredAsBits) {
  for (const int devices : {1, 2, 3}) {
    mass::Mass mass = makeMass(devices);
    const LampWorld world(mass);
    auto lit = world.lamps.download<&Lamp::lit>();
    auto seen = world.moths.download<&Moth::seen>();
    const auto places = world.moths.coordinates();
    for (int step = 0; step < 3; ++step) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto at = static_cast<std::size_t>(mass::indexOf<2>(places[i], world.lamps.shape()));
        seen[i] += lit[at] ? 1 : 0;
        lit[at] = !lit[at];
      }
      world.moths.callAll<&Moth::turn>(world.lamps);
      if (step != 1) {
        EXPECT_EQ(world.lamps.download<&Lamp::lit>(), lit) << devices << " devices";
      }
      // A rule on bits follows the rule on bytes.
      mass::Mass other = makeMass(1);
      const LampWorld alone(other);
      alone.lamps.upload<&Lamp::lit>(lit);
      for (const auto& lamps : {alone.lamps, world.lamps})
        lamps.callAll<&Lamp::spread>(mass::steps(2));
      lit = alone.lamps.download<&Lamp::lit>();
      EXPECT_EQ(world.lamps.download<&Lamp::lit>(), lit) << devices << " devices, step " << step;
    }
    EXPECT_EQ(world.moths.download<&Moth::seen>(), seen);
  }
}

TEST(FieldResource, ACheckpointHasTheChangedState) {
  const mass::testing::TemporaryFolder folder;
  mass::Mass mass = makeMass(2), other = makeMass(1);
  const LampWorld world(mass), restored(other);
  world.moths.callAll<&Moth::turn>(world.lamps);
  mass.saveCheckpoint(folder / "moths", "test");
  (void)other.restoreCheckpoint(folder / "moths", "test");
  EXPECT_EQ(other.hash(), mass.hash());
  world.moths.callAll<&Moth::turn>(world.lamps);
  EXPECT_NE(other.hash(), mass.hash());
}

/// Returns the hash after some steps of goats that take at three scales.
std::uint64_t hashOf(mass::Mass& mass) {
  const World<2> world(mass, {24, 6}, {24, 6}, 150, Border::fixed);
  const auto above = mass.createPlaces<Store<2>>({8, 3}, {.name = "above"});
  const auto below = mass.createPlaces<Store<2>>({48, 18}, {.name = "below"});
  for (int step = 0; step < 4; ++step) {
    world.jump(1);
    world.goats.callAll<&Goat<2>::eat>(world.stores, world.stores);
    world.goats.callAll<&Goat<2>::eatAbove>(above, above);
    world.goats.callAll<&Goat<2>::eatBelow>(below, below);
    for (const auto& stores : {world.stores, above, below})
      stores.callAll<&Store<2>::look>(mass::steps(2));
    if (step == 2) (void)mass.rebalance(mass::Balance::agents, 0.01);
  }
  return mass.hash();
}

TEST(FieldResource, HasTheSameBitsOnDevicesAndRanks) {
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

TEST(CoarserResource, ThreadsOfADeviceShareTheBlocks) {
  // Enough agents for several threads; some coarse rows have no agent.
  const auto hashWith = [](int threads) {
    mass::Mass mass = makeMass(1, threads);
    const World<2> world(mass, {60, 40}, {20, 10}, 0);
    std::vector<Coordinates<2>> where;
    for (std::int64_t k = 0; k < 9000; ++k)
      if (const std::int64_t row = k * k % 60; row / 3 % 4 != 2) where.push_back({row, k % 37});
    const auto goats = mass.createAgents<Goat<2>>(world.hills, where, "herd");
    for (int step = 0; step < 6; ++step)
      goats.callAll<&Goat<2>::eatAbove>(world.stores, world.stores);
    return mass.hash();
  };
  const std::uint64_t hash = hashWith(1);
  for (const int threads : {2, 3, 4}) EXPECT_EQ(hashWith(threads), hash) << threads << " threads";
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

TEST(FieldResource, OfPlacesThatDoNotFitIsAnErrorThatNamesTheRightParameter) {
  mass::Mass mass = makeMass(1);
  const World<2> world(mass, {4, 6}, {4, 6}, 5);
  const auto above = mass.createPlaces<Store<2>>({2, 6}, {.name = "above"});
  const auto below = mass.createPlaces<Store<2>>({8, 6}, {.name = "below"});
  const auto top = mass.createPlaces<Store<2>>({1, 6}, {.name = "top"});
  EXPECT_EQ(errorOf([&] { world.goats.callAll<&Goat<2>::eat>(above, above); }),
            "a rule on 'Hill<2>' of shape [4, 6] takes 'above' of shape [2, 6] as FieldResource: "
            "use CoarserResource");
  EXPECT_EQ(errorOf([&] { world.goats.callAll<&Goat<2>::eatAbove>(below, below); }),
            "a rule on 'Hill<2>' of shape [4, 6] takes 'below' of shape [8, 6] as CoarserResource: "
            "use FinerResource");
  EXPECT_EQ(errorOf([&] { world.goats.callAll<&Goat<2>::barter>(world.stores, world.stores); }),
            "a rule of agents on 'Hill<2>' takes from 'Store<2>' and reads them as a field, which "
            "would change meanwhile: use two rules, or left() of the resource");
  EXPECT_EQ(errorOf([&] { world.goats.callAll<&Goat<2>::eatAbove>(above, top); }),
            "a rule of agents on 'Hill<2>' takes from coarser places 'above' of shape [2, 6] and "
            "'top' of shape [1, 6]: both must have the same shape; use two rules");
}

/// Agent that takes from places of the class on which it lives.
class Bandit : public mass::Agent<Store<2>> {
 public:
  int loot = 0;
  using Attributes = mass::Attributes<&Bandit::loot>;

  MASS_FN void rob(const mass::FieldResource<&Store<2>::grain>& grain) { loot += grain.takeAll(); }
};

TEST(FieldResource, OfTheAgentsOwnPlacesIsAnError) {
  mass::Mass mass = makeMass(1);
  const auto stores = mass.createPlaces<Store<2>>({4, 6});
  const auto others = mass.createPlaces<Store<2>>({4, 6}, {.name = "others"});
  const auto bandits = mass.createAgents<Bandit>(stores, 30);
  EXPECT_EQ(
      errorOf([&] { bandits.callAll<&Bandit::rob>(stores); }),
      "a rule of agents got 'Store<2>', the places on which they live, as a FieldResource: it "
      "takes from them by a Resource, without an argument");
  bandits.callAll<&Bandit::rob>(others);
  EXPECT_EQ(
      (bandits.reduce<&Bandit::loot>(mass::sum)) + (others.reduce<&Store<2>::grain>(mass::sum)),
      24 * 9);
  EXPECT_EQ((stores.reduce<&Store<2>::grain>(mass::sum)), 24 * 9);
}

TEST(FinerResource, OutsideTheBlockIsAnErrorInCheckedBuilds) {
  if (!mass::checked || mass::testing::testBackend() == "cuda") GTEST_SKIP() << "no checks";
  mass::Mass mass = makeMass(1);
  const World<2> world(mass, {2, 3}, {4, 6}, 5);
  EXPECT_EQ(errorOf([&] { world.goats.callAll<&Goat<2>::takeOutside>(world.stores); }),
            "a rule of agents takes from place (0, 2) of a block of Store<2> of shape [2, 2]: "
            "along each axis, give a number from 0 to the shape minus 1");
}

}  // namespace

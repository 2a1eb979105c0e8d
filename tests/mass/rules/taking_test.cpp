// Agents that take from places and from other agents, compared with loops on the host.
#include <mass/rules/prey.hpp>
#include <mass/rules/resource.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace {

using mass::testing::makeMass;

template <int D>
class Meadow : public mass::Place<D> {
 public:
  float water = 1;
  std::int16_t grass = 0;
  using Attributes = mass::Attributes<&Meadow::water, &Meadow::grass>;

  MASS_FN void grow(const mass::Here<D>& here) {
    grass = static_cast<std::int16_t>(here.random().below(6));
  }
};

template <int D>
class Sheep : public mass::Agent<Meadow<D>> {
 public:
  std::int32_t meals = 0, found = 0;
  float drunk = 0;
  using Attributes = mass::Attributes<&Sheep::meals, &Sheep::found, &Sheep::drunk>;

  MASS_FN void graze(const mass::Resource<&Meadow<D>::grass>& grass,
                     const mass::Resource<&Meadow<D>::water>& water) {
    found = grass.left();
    if (grass.take(2)) ++meals;
    drunk += water.takeUpTo(0.4F);
    water.add(0.0625F);
  }
  /// Reads all meadows around, while others take.
  MASS_FN void grazeAndLook(const mass::Neighborhood<Meadow<D>>& near,
                            const mass::Resource<&Meadow<D>::grass>& grass) {
    mass::Offset<D> low{}, high{};
    for (int axis = 0; axis < D; ++axis) {
      low[axis] = -1;
      high[axis] = 1;
    }
    found = near(low).grass * 100 + near(mass::Offset<D>{}).grass * 10 + near(high).grass;
    meals += grass.takeUpTo(1);
  }
  MASS_FN void takeAmount(const mass::Resource<&Meadow<D>::water>& water, float amount) {
    meals += water.take(amount) ? 1 : 0;
    drunk += water.takeUpTo(amount);
  }
  MASS_FN void starve(mass::Intent<Sheep>& intent) {
    if (intent.id() % 3 == 0) intent.kill();
  }
};

template <int D>
class Wolf : public mass::Agent<Meadow<D>> {
 public:
  std::int32_t eaten = 0, left = 0;
  std::int32_t meals = 0;  ///< sum of the meals of its prey
  using Attributes = mass::Attributes<&Wolf::eaten, &Wolf::left, &Wolf::meals>;

  MASS_FN void hunt(const mass::Prey<Sheep<D>>& sheep, mass::Intent<Wolf>& intent) {
    Sheep<D> prey;
    if (sheep.take(prey)) {
      ++eaten;
      meals += prey.meals;
    }
    if (intent.id() % 2 == 0 && sheep.take()) ++eaten;
    left = static_cast<std::int32_t>(sheep.left());
  }
};

template <int D>
struct World {
  mass::Places<Meadow<D>> meadows;
  mass::Agents<Sheep<D>> sheep;
  mass::Agents<Wolf<D>> wolves;

  World(mass::Mass& mass, const mass::Shape<D>& shape)
      : meadows(mass.createPlaces<Meadow<D>>(shape)),
        sheep(mass.createAgents<Sheep<D>>(meadows, 90)),
        wolves(mass.createAgents<Wolf<D>>(meadows, 40)) {
    meadows.template callAll<&Meadow<D>::grow>();
  }
  /// Numbers of the places of agents.
  template <class A>
  std::vector<std::size_t> placesOf(const mass::Agents<A>& agents) const {
    std::vector<std::size_t> places;
    for (const auto& at : agents.coordinates())
      places.push_back(static_cast<std::size_t>(mass::indexOf<D>(at, meadows.shape())));
    return places;
  }
};

template <int D>
void expectGrazing(const mass::Shape<D>& shape, int devices) {
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, shape);
  for (int step = 0; step < 3; ++step) {
    auto grass = world.meadows.template download<&Meadow<D>::grass>();
    auto water = world.meadows.template download<&Meadow<D>::water>();
    auto meals = world.sheep.template download<&Sheep<D>::meals>();
    auto drunk = world.sheep.template download<&Sheep<D>::drunk>();
    std::vector<std::int32_t> found;
    const auto places = world.placesOf(world.sheep);  // by place, then identity
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::int16_t& here = grass[places[i]];
      found.push_back(here);
      if (here >= 2) {
        here = static_cast<std::int16_t>(here - 2);
        ++meals[i];
      }
      const float taken = std::min(0.4F, water[places[i]]);
      if (taken > 0) water[places[i]] -= taken;
      water[places[i]] += 0.0625F;
      drunk[i] += taken;
    }
    // A meal is 2 of the grass of a place: none is lost and none made.
    const auto total = [&] {
      return world.meadows.template reduce<&Meadow<D>::grass>(mass::sum) +
             2 * world.sheep.template reduce<&Sheep<D>::meals>(mass::sum);
    };
    const auto before = total();
    world.sheep.template callAll<&Sheep<D>::graze>();
    EXPECT_EQ(total(), before);
    EXPECT_EQ(world.meadows.template download<&Meadow<D>::grass>(), grass);
    EXPECT_EQ(world.meadows.template download<&Meadow<D>::water>(), water);
    EXPECT_EQ(world.sheep.template download<&Sheep<D>::meals>(), meals);
    EXPECT_EQ(world.sheep.template download<&Sheep<D>::drunk>(), drunk);
    EXPECT_EQ(world.sheep.template download<&Sheep<D>::found>(), found);
  }
}

TEST(Resource, IsTakenByTheAgentsOfAPlaceInTheOrderOfIdentities) {
  for (const int devices : {1, 2, 3, 5}) {
    expectGrazing<1>({17}, devices);
    expectGrazing<2>({7, 5}, devices);
    expectGrazing<3>({5, 3, 2}, devices);
  }
}

TEST(Resource, IsReadByNeighboursAsBeforeTheCall) {
  for (const int devices : {1, 3}) {
    mass::Mass mass = makeMass(devices);
    const World<2> world(mass, {7, 5});
    for (int step = 0; step < 3; ++step) {
      auto grass = world.meadows.download<&Meadow<2>::grass>();
      const auto before = grass;
      const auto at = [&](std::int64_t row, std::int64_t column) {
        return before[static_cast<std::size_t>((row + 7) % 7 * 5 + (column + 5) % 5)];
      };
      std::vector<std::int32_t> found;
      for (const auto& place : world.sheep.coordinates()) {
        const auto row = place[0], column = place[1];
        found.push_back(at(row - 1, column - 1) * 100 + at(row, column) * 10 +
                        at(row + 1, column + 1));
        std::int16_t& here = grass[static_cast<std::size_t>(row * 5 + column)];
        if (here > 0) --here;
      }
      world.sheep.callAll<&Sheep<2>::grazeAndLook>();
      EXPECT_EQ(world.meadows.download<&Meadow<2>::grass>(), grass);
      EXPECT_EQ(world.sheep.download<&Sheep<2>::found>(), found);
    }
  }
}

TEST(Resource, AmountsBelowZeroAndNaNTakeNothing) {
  for (const float amount : {-1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    mass::Mass mass = makeMass(2);
    const World<2> world(mass, {4, 3});
    world.sheep.callAll<&Sheep<2>::takeAmount>(amount);
    EXPECT_EQ(world.meadows.download<&Meadow<2>::water>(), std::vector<float>(12, 1));
    EXPECT_EQ((world.sheep.reduce<&Sheep<2>::meals>(mass::sum)), 0);
    EXPECT_EQ((world.sheep.reduce<&Sheep<2>::drunk>(mass::sum)), 0);
  }
}

TEST(Prey, IsTakenOnceAndDiesThenAndTheDyingAreNone) {
  for (const int devices : {1, 2, 3, 5}) {
    mass::Mass mass = makeMass(devices);
    const World<2> world(mass, {7, 5});
    world.sheep.callAll<&Sheep<2>::graze>();
    world.sheep.callAll<&Sheep<2>::starve>();
    std::map<std::size_t, std::vector<std::int32_t>> prey;  // meals by place
    const auto places = world.placesOf(world.sheep);
    const auto ids = world.sheep.ids();
    const auto had = world.sheep.download<&Sheep<2>::meals>();
    std::int64_t starved = 0, killed = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (ids[i] % 3 == 0) {
        ++starved;
      } else {
        prey[places[i]].push_back(had[i]);
      }
    }
    std::vector<std::int32_t> eaten, left, meals;
    const auto wolves = world.wolves.ids();
    const auto wolfPlaces = world.placesOf(world.wolves);
    for (std::size_t i = 0; i < wolves.size(); ++i) {
      auto& here = prey[wolfPlaces[i]];
      eaten.push_back(0);
      meals.push_back(here.empty() ? 0 : here.front());
      for (std::uint64_t meal = 0; meal < 2 - wolves[i] % 2 && !here.empty(); ++meal) {
        here.erase(here.begin());
        ++eaten.back();
        ++killed;
      }
      left.push_back(static_cast<std::int32_t>(here.size()));
    }
    world.wolves.callAll<&Wolf<2>::hunt>(world.sheep);
    EXPECT_EQ(world.wolves.download<&Wolf<2>::eaten>(), eaten);
    EXPECT_EQ(world.wolves.download<&Wolf<2>::meals>(), meals);
    EXPECT_EQ(world.wolves.download<&Wolf<2>::left>(), left);
    EXPECT_GT(killed, 10);
    world.sheep.manageAll();
    EXPECT_EQ(world.sheep.census().died, starved + killed);
    EXPECT_EQ(world.sheep.size(), 90 - starved - killed);
  }
}

TEST(Taking, HasTheSameBitsOnDevicesAndRanks) {
  const auto hashOf = [](mass::Mass& mass) {
    const World<2> world(mass, {9, 7});
    for (int step = 0; step < 3; ++step) {
      world.sheep.callAll<&Sheep<2>::graze>();
      world.sheep.callAll<&Sheep<2>::grazeAndLook>();
      world.wolves.callAll<&Wolf<2>::hunt>(world.sheep);
      world.sheep.manageAll();
    }
    return mass.hash();
  };
  mass::Mass alone = makeMass(1);
  const std::uint64_t hash = hashOf(alone);
  for (const int devices : {2, 4, 8}) {
    mass::Mass mass = makeMass(devices, 3);
    EXPECT_EQ(hashOf(mass), hash) << devices << " devices";
  }
  for (const mass::testing::RankSetup& setup : mass::testing::usualRanks())
    if (mass::testing::haveDevices(setup.deviceCount()))
      mass::testing::onRanks(setup, [&](mass::Mass& mass) { EXPECT_EQ(hashOf(mass), hash); });
}

}  // namespace

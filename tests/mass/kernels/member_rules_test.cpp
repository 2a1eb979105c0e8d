// Compares Agents::deposit with sums on the host, bit for bit. (Rules of counts: see
// program/observations_test.cpp.)
#include <mass/kernels/member_rules.hpp>

#include "../../support/make_mass.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using mass::testing::makeMass;

template <int D>
class Ground : public mass::Place<D> {
 public:
  float pheromone = 0.5F;
  int loads = 1;
  double weight = 0;
  std::int16_t unchanged = 7;
  using Attributes =
      mass::Attributes<&Ground::pheromone, &Ground::loads, &Ground::weight, &Ground::unchanged>;
};

template <int D>
class Ant : public mass::Agent<Ground<D>> {
 public:
  float scent = 0;
  int load = 0;
  using Attributes = mass::Attributes<&Ant::scent, &Ant::load>;

  MASS_FN double weight() const { return 0.1 * load + 1; }
  MASS_FN void wander(mass::Intent<Ant>& intent) {
    auto random = intent.random();
    mass::Offset<D> offset{};
    for (int axis = 0; axis < D; ++axis) offset[axis] = static_cast<int>(random.below(3)) - 1;
    intent.move(offset);
  }
};

/// Ants after some moves: the residents of a place came from many others.
template <int D>
struct World {
  mass::Places<Ground<D>> ground;
  mass::Agents<Ant<D>> ants;

  World(mass::Mass& mass, const mass::Shape<D>& shape, std::int64_t count)
      : ground(mass.createPlaces<Ground<D>>(shape)),
        ants(mass.createAgents<Ant<D>>(ground, count)) {
    // Sums of thirds depend on their order.
    ants.template initialise<&Ant<D>::scent>(
        [](std::uint64_t id) { return 1.0F / static_cast<float>(3 * id + 1); });
    ants.template initialise<&Ant<D>::load>(
        [](std::uint64_t id) { return static_cast<int>(id * id % 1000) - 300; });
    for (int step = 0; step < 3; ++step) {
      ants.template callAll<&Ant<D>::wander>();
      ants.manageAll();
    }
  }
  /// Number of each ant's place, in the order of places and identities.
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> numbers;
    for (const auto& at : ants.coordinates()) {
      std::int64_t number = 0;
      for (int axis = 0; axis < D; ++axis) number = number * ground.shape()[axis] + at[axis];
      numbers.push_back(static_cast<std::size_t>(number));
    }
    return numbers;
  }
};

/// Sums of the contributions on each place, added one after another.
template <class T, class U>
std::vector<T> sums(std::vector<T> sums, const std::vector<std::size_t>& places,
                    const std::vector<U>& contributions) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    sums[places[i]] = static_cast<T>(sums[places[i]] + contributions[i]);
  }
  return sums;
}

template <int D>
void expectSums(const mass::Shape<D>& shape, int devices) {
  using Land = Ground<D>;
  mass::Mass mass = makeMass(devices);
  const World<D> world(mass, shape, 2000);
  const auto places = world.places();
  const auto scents = world.ants.template download<&Ant<D>::scent>();
  const auto loads = world.ants.template download<&Ant<D>::load>();
  const auto size = static_cast<std::size_t>(world.ground.size());
  for (int call = 0; call < 2; ++call) {  // the second call adds to the sums of the first
    const auto pheromone = world.ground.template download<&Land::pheromone>();
    const auto loadsBefore = world.ground.template download<&Land::loads>();
    world.ants.template deposit<&Ant<D>::scent, &Land::pheromone>();
    const auto total = world.ground.template reduce<&Land::loads>(mass::sum) +
                       world.ants.template reduce<&Ant<D>::load>(mass::sum);
    world.ants.template deposit<&Ant<D>::load, &Land::loads>();
    EXPECT_EQ(world.ground.template reduce<&Land::loads>(mass::sum), total);
    EXPECT_EQ(world.ground.template download<&Land::pheromone>(), sums(pheromone, places, scents));
    EXPECT_EQ(world.ground.template download<&Land::loads>(), sums(loadsBefore, places, loads));
  }
  EXPECT_EQ(world.ground.template download<&Land::unchanged>(), std::vector<std::int16_t>(size, 7));
  EXPECT_EQ(world.ground.template download<&Land::weight>(), std::vector<double>(size, 0));
}

TEST(Deposit, AddsWhatEachResidentHasInTheOrderOfIdentities) {
  for (const int devices : {1, 2, 3, 5}) {
    expectSums<1>({60}, devices);
    expectSums<2>({11, 13}, devices);
    expectSums<3>({7, 4, 3}, devices);
  }
}

TEST(Deposit, AddsWhatAFunctionOfEachResidentReturns) {
  for (const int devices : {1, 2, 3, 5}) {
    mass::Mass mass = makeMass(devices);
    const World<2> world(mass, {11, 13}, 2000);
    const auto weights = world.ants.map<&Ant<2>::weight>();
    world.ants.deposit<&Ant<2>::weight, &Ground<2>::weight>();
    EXPECT_EQ(world.ground.download<&Ground<2>::weight>(),
              sums(std::vector<double>(11 * 13), world.places(), weights));
  }
}

TEST(Deposit, AddsSeveralPairsInOneStep) {
  for (const int devices : {1, 3}) {
    mass::Mass mass = makeMass(devices);
    const World<2> world(mass, {11, 13}, 2000);
    const auto step = world.ground.step();
    const auto weights = world.ants.map<&Ant<2>::weight>();
    const auto scents = world.ants.download<&Ant<2>::scent>();
    world.ants
        .deposit<&Ant<2>::weight, &Ground<2>::weight, &Ant<2>::scent, &Ground<2>::pheromone>();
    EXPECT_EQ(world.ground.step(), step + 1);
    EXPECT_EQ(world.ground.download<&Ground<2>::weight>(),
              sums(std::vector<double>(11 * 13), world.places(), weights));
    EXPECT_EQ(world.ground.download<&Ground<2>::pheromone>(),
              sums(std::vector<float>(11 * 13, 0.5F), world.places(), scents));
    EXPECT_EQ(world.ground.download<&Ground<2>::loads>(), std::vector<int>(11 * 13, 1));
  }
}

TEST(Deposit, HasTheSameBitsOnEveryNumberOfDevices) {
  const auto hashOn = [](int devices) {
    mass::Mass mass = makeMass(devices);
    const World<2> world(mass, {11, 13}, 2000);
    for (int step = 0; step < 5; ++step) {
      world.ants.callAll<&Ant<2>::wander>();
      world.ants.manageAll();
      world.ants.deposit<&Ant<2>::scent, &Ground<2>::pheromone>();
      world.ants.deposit<&Ant<2>::scent, &Ground<2>::weight>();
    }
    return mass.hash();
  };
  for (const int devices : {2, 3, 4, 5, 8}) EXPECT_EQ(hashOn(devices), hashOn(1)) << devices;
}

TEST(Deposit, IsARuleOfThePlaces) {
  mass::Mass mass = makeMass(1);
  const World<1> world(mass, {6}, 0);
  const auto step = world.ground.step();
  world.ants.deposit<&Ant<1>::load, &Ground<1>::loads>();
  EXPECT_EQ(world.ground.step(), step + 1);
  EXPECT_EQ(world.ground.download<&Ground<1>::loads>(), std::vector<int>(6, 1));
}

}  // namespace

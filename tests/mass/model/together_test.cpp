// Mass::together against a plain program that computes all changes from the state before.
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;

class Hare;
class Lynx;

class Field : public mass::Place<2> {
 public:
  std::int32_t grass = 3;
  std::int32_t visits = 0;  // not written by `grow`
  using Attributes = mass::Attributes<&Field::grass, &Field::visits>;

  MASS_FN void grow(const mass::Neighborhood<Field>& near, const mass::Residents<Hare>& hares,
                    const mass::Residents<Lynx>& lynxes);
  MASS_FN void count() { ++visits; }
};

class Hare : public mass::Agent<Field> {
 public:
  std::int32_t fear = 1;
  using Attributes = mass::Attributes<&Hare::fear>;

  MASS_FN void flee(const mass::Neighborhood<Field>& near, const mass::Neighbors<Lynx>& lynxes,
                    mass::Intent<Hare>& intent);
};

class Lynx : public mass::Agent<Field> {
 public:
  std::int32_t hunger = 2;
  using Attributes = mass::Attributes<&Lynx::hunger>;

  MASS_FN void chase(const mass::Residents<Hare>& hares, const mass::Residents<Lynx>& others,
                     mass::Intent<Lynx>& intent) {
    for (const Hare hare : hares) hunger = (3 * hunger + hare.fear) % 1009;
    for (const Lynx other : others) hunger = (5 * hunger + other.hunger) % 1009;
    intent.move({0, hunger % 2});
  }
  MASS_FN void eat(const mass::Resource<&Field::grass>& grass) { grass.take(1); }
  MASS_FN void eatThere(const mass::CoarserResource<&Field::grass>& grass) { grass.take(1); }
  MASS_FN void feed(const mass::Give<&Lynx::hunger>& give) { give(1, 1); }
  MASS_FN void fail(const mass::Intent<Lynx>& intent) {
    hunger = 0;
#if !defined(__CUDA_ARCH__)
    if (intent.id() == 3) throw std::runtime_error("the lynx is lost");
#endif
  }
};

MASS_FN void Field::grow(const mass::Neighborhood<Field>& near, const mass::Residents<Hare>& hares,
                         const mass::Residents<Lynx>& lynxes) {
  std::int32_t next = grass + 2 * near(1, 0).grass + 3 * near(0, -1).grass;
  for (const Hare hare : hares) next = 2 * next + hare.fear;
  for (const Lynx lynx : lynxes) next = 3 * next + lynx.hunger;
  grass = next % 1013;
}
MASS_FN void Hare::flee(const mass::Neighborhood<Field>& near, const mass::Neighbors<Lynx>& lynxes,
                        mass::Intent<Hare>& intent) {
  fear += near(-1, 0).grass + near(0, 0).grass;
  for (const Lynx lynx : lynxes(1, 0)) fear = (2 * fear + lynx.hunger) % 1019;
  fear %= 1019;
  intent.move({fear % 3 - 1, 0});
}

/// Fields, hares and lynxes on them.
struct World {
  mass::Places<Field> fields;
  mass::Agents<Hare> hares;
  mass::Agents<Lynx> lynxes;

  World(mass::Mass& mass, mass::Shape<2> shape, std::int64_t each)
      : fields(mass.createPlaces<Field>(
            shape, {.borders = {mass::Border::periodic, mass::Border::periodic}})),
        hares(mass.createAgents<Hare>(fields, each)),
        lynxes(mass.createAgents<Lynx>(fields, each / 2)) {}
  void step(mass::Mass& mass) const {
    mass.together([&] {
      hares.callAll<&Hare::flee>(lynxes);
      fields.callAll<&Field::grow>(mass::writes<&Field::grass>, hares, lynxes);
      lynxes.callAll<&Lynx::chase>(hares, lynxes);
    });
    hares.manageAll();
    lynxes.manageAll();
    fields.callAll<&Field::count>();
  }
};

/// Plain program with the same rules.
struct PlainWorld {
  struct Agent {
    std::int64_t row, column;
    std::int32_t value;
  };
  std::int64_t rows, columns;
  std::vector<std::int32_t> grass;
  std::vector<Agent> hares{}, lynxes{};  // by identity

  explicit PlainWorld(const World& world)
      : rows(world.fields.shape()[0]),
        columns(world.fields.shape()[1]),
        grass(static_cast<std::size_t>(rows * columns), 3) {
    for (const auto& at : world.hares.coordinates()) hares.push_back({at[0], at[1], 1});
    for (const auto& at : world.lynxes.coordinates()) lynxes.push_back({at[0], at[1], 2});
  }
  std::size_t at(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>((row + rows) % rows * columns + (column + columns) % columns);
  }
  /// Calls visit(agent) for the agents on a place, by identity.
  template <class F>
  void forEach(const std::vector<Agent>& agents, std::size_t place, F&& visit) const {
    for (const Agent& agent : agents)
      if (at(agent.row, agent.column) == place) visit(agent.value);
  }
  void step() {
    const PlainWorld before = *this;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::size_t here = at(row, column);
        std::int32_t next = before.grass[here] + 2 * before.grass[at(row + 1, column)] +
                            3 * before.grass[at(row, column - 1)];
        forEach(before.hares, here, [&](std::int32_t fear) { next = 2 * next + fear; });
        forEach(before.lynxes, here, [&](std::int32_t hunger) { next = 3 * next + hunger; });
        grass[here] = next % 1013;
      }
    }
    for (Agent& hare : hares) {
      hare.value += before.grass[at(hare.row - 1, hare.column)];
      hare.value += before.grass[at(hare.row, hare.column)];
      forEach(before.lynxes, at(hare.row + 1, hare.column),
              [&](std::int32_t hunger) { hare.value = (2 * hare.value + hunger) % 1019; });
      hare.value %= 1019;
      hare.row += hare.value % 3 - 1;
    }
    for (Agent& lynx : lynxes) {
      const std::size_t here = at(lynx.row, lynx.column);
      forEach(before.hares, here,
              [&](std::int32_t fear) { lynx.value = (3 * lynx.value + fear) % 1009; });
      forEach(before.lynxes, here,
              [&](std::int32_t hunger) { lynx.value = (5 * lynx.value + hunger) % 1009; });
      lynx.column += lynx.value % 2;
    }
  }
  std::vector<std::int32_t> valuesOf(const std::vector<Agent>& agents,
                                     const std::vector<std::uint64_t>& ids) const {
    std::vector<std::int32_t> values;
    for (const std::uint64_t id : ids) values.push_back(agents[id].value);
    return values;
  }
};

/// Compares worlds of some shapes step by step.
void expectPlain(mass::Mass& mass, mass::Shape<2> shape, std::int64_t agents) {
  const World world(mass, shape, agents);
  PlainWorld plain(world);
  for (int step = 1; step <= 5; ++step) {
    world.step(mass);
    plain.step();
    ASSERT_EQ(world.fields.download<&Field::grass>(), plain.grass) << step;
    ASSERT_EQ(world.hares.download<&Hare::fear>(), plain.valuesOf(plain.hares, world.hares.ids()));
    ASSERT_EQ(world.lynxes.download<&Lynx::hunger>(),
              plain.valuesOf(plain.lynxes, world.lynxes.ids()));
    ASSERT_EQ(world.fields.reduce<&Field::visits>(mass::sum), step * shape[0] * shape[1]);
  }
}

TEST(Together, EqualsAPlainProgram) {
  for (const int devices : {1, 2, 3, 4, 8}) {
    if (!mass::testing::haveDevices(devices)) continue;
    auto mass = makeMass(devices);
    expectPlain(mass, {devices > 4 ? 17 : 11, 7}, 60);
  }
}

TEST(Together, EqualsAPlainProgramInARow) {
  auto mass = makeMass(1);
  expectPlain(mass, {1, 5}, 9);
}

TEST(Together, EqualsAPlainProgramWithoutAgents) {
  auto mass = makeMass(2);
  expectPlain(mass, {4, 3}, 0);
}

TEST(Together, EqualsAPlainProgramOnRanks) {
  mass::testing::onRanks({.devices = {1, 2, 1}}, [](mass::Mass& mass) {
    expectPlain(mass, {13, 5}, 40);
  });
}

TEST(Together, ReadsTheStateBefore) {
  auto mass = makeMass(2);
  const World world(mass, {6, 4}, 10);
  mass.together([&] {
    world.fields.callAll<&Field::count>();
    EXPECT_EQ(world.fields.reduce<&Field::visits>(mass::sum), 0);
  });
  EXPECT_EQ(world.fields.reduce<&Field::visits>(mass::sum), 24);
  EXPECT_EQ(world.fields.step(), 1U);
}

TEST(Together, ChangesNothingAfterAnException) {
  if (mass::testing::testBackend() != "cpu") GTEST_SKIP() << "rules on GPUs do not throw";
  auto mass = makeMass(2);
  const World world(mass, {6, 4}, 10);
  const std::uint64_t hash = mass.hash();
  EXPECT_THROW(mass.together([&] {
    world.fields.callAll<&Field::count>();
    world.lynxes.callAll<&Lynx::fail>();
  }),
               std::runtime_error);
  EXPECT_EQ(mass.hash(), hash);
  world.step(mass);  // acts as usual
  EXPECT_NE(mass.hash(), hash);
}

/// Returns the message of the error of calls together.
template <class F>
std::string refusal(F&& calls) {
  auto mass = makeMass(1);
  const World world(mass, {6, 4}, 10);
  const std::uint64_t hash = mass.hash();
  std::string message =
      messageOf<mass::UsageError>([&] { mass.together([&] { calls(mass, world); }); });
  EXPECT_EQ(mass.hash(), hash);
  return message;
}

TEST(Together, RefusesAClassThatChangesTwice) {
  EXPECT_TRUE(contains(refusal([](auto&, const World& world) {
                         world.fields.callAll<&Field::count>();
                         world.fields.callAll<&Field::count>();
                       }),
                       "two rules change 'Field'"));
  EXPECT_TRUE(contains(refusal([](auto&, const World& world) {
                         world.lynxes.callAll<&Lynx::chase>(world.hares, world.lynxes);
                         world.lynxes.callAll<&Lynx::fail>();
                       }),
                       "two rules change 'Lynx'"));
}

TEST(Together, RefusesRulesThatChangeMoreThanTheirPlaceOrAgent) {
  EXPECT_TRUE(
      contains(refusal([](auto&, const World& world) { world.lynxes.callAll<&Lynx::eat>(); }),
               "a rule that takes (Resource) is not possible"));
  auto mass = makeMass(1);
  const World fine(mass, {6, 4}, 10);
  const auto coarse = mass.createPlaces<Field>({3, 2}, {.name = "coarse"});
  const std::uint64_t hash = mass.hash();
  const std::string message = messageOf<mass::UsageError>(
      [&] { mass.together([&] { fine.lynxes.callAll<&Lynx::eatThere>(coarse); }); });
  EXPECT_TRUE(contains(message, "a rule that takes from other places is not possible"));
  EXPECT_EQ(mass.hash(), hash);
  EXPECT_TRUE(contains(
      refusal([](auto&, const World& world) { world.lynxes.callAll<&Lynx::feed>(world.lynxes); }),
      "Give is not possible"));
}

TEST(Together, RefusesAllElseThatChangesTheState) {
  EXPECT_TRUE(contains(refusal([](auto&, const World& world) {
                         world.fields.callAll<&Field::count>(mass::steps(2));
                       }),
                       "makes one step"));
  EXPECT_TRUE(contains(refusal([](auto&, const World& world) { world.hares.manageAll(); }),
                       "manageAll is not possible among rules that act together"));
  EXPECT_TRUE(contains(refusal([](auto&, const World& world) {
                         world.hares.upload<&Hare::fear>(std::vector<std::int32_t>(10));
                       }),
                       "upload is not possible"));
  EXPECT_TRUE(contains(refusal([](auto&, const World& world) {
                         world.fields.upload<&Field::grass>(std::vector<std::int32_t>(24));
                       }),
                       "upload is not possible"));
  EXPECT_TRUE(contains(
      refusal([](mass::Mass& mass, const World& world) { mass.repartition(world.fields, {6}); }),
      "repartition is not possible"));
  EXPECT_TRUE(contains(refusal([](mass::Mass& mass, const World&) { mass.together([] {}); }),
                       "together is not possible"));
}

}  // namespace

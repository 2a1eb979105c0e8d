#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;

template <class Value>
class Cell : public mass::Place<2> {
 public:
  Value value{};
  bool flag = false;
  float flows[2] = {1, 2};
  using Attributes = mass::Attributes<&Cell::value, &Cell::flag, mass::constant<&Cell::flows>>;

  MASS_FN void scatter(const mass::Here<2>& here) {
    value = static_cast<Value>(here.random().below(1000));
    flag = here.index() % 3 == 0;
  }
  MASS_FN void mix(const mass::Neighborhood<Cell>& near) {
    value = near(-1, 0).value + 2 * near(1, 1).value - (near(0, -1).flag ? value : Value{1});
    flag = near(0, -1).flag != flag;
  }
};
using Long = Cell<std::int64_t>;

class Visitor : public mass::Agent<Long> {
 public:
  int value = 0;
  using Attributes = mass::Attributes<&Visitor::value>;
};

class FarReader : public mass::Place<1> {
 public:
  static constexpr int reach = 9;
  bool on = false;
  using Attributes = mass::Attributes<&FarReader::on>;
};

template <class P = Long>
mass::Places<P> create(Mass& mass, mass::Shape<2> shape = {7, 5}, std::string name = "cells") {
  mass::PlacesOptions<P> options;
  options.name = std::move(name);
  return mass.createPlaces<P>(shape, options);
}

TEST(Mass, AClassThatReadsFurtherThanTheSettingIsAnErrorThatNamesBoth) {
  Mass mass = makeMass(1);  // MAX_PLACE_EXCHANGE=8
  const auto message =
      messageOf<mass::SettingsError>([&] { (void)mass.createPlaces<FarReader>({20}); });
  EXPECT_TRUE(contains(message, "MAX_PLACE_EXCHANGE"));
  EXPECT_TRUE(contains(message, "8"));
  EXPECT_TRUE(contains(message, "'FarReader' read places up to 9"));
  EXPECT_EQ(mass.size(), 0) << "nothing was created";
}

TEST(Mass, MoreDevicesThanRowsIsAnErrorThatNamesBoth) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 GPUs";
  Mass mass = makeMass(4);
  const auto message = messageOf<mass::SettingsError>([&] { (void)create(mass, {3, 100}); });
  EXPECT_TRUE(contains(message, "devices=4"));
  EXPECT_TRUE(contains(message, "'cells' has only 3 rows"));
  EXPECT_TRUE(contains(message, "at most 3 devices"));
}

TEST(Mass, WeightsThatDoNotFitTheDevicesAreAnErrorThatNamesBoth) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "needs 3 GPUs";
  const auto message = messageOf<mass::SettingsError>([] { (void)makeMass(3, 0, {1, 2}); });
  EXPECT_TRUE(contains(message, "weights"));
  EXPECT_TRUE(contains(message, "there are 2"));
}

TEST(Mass, ShapesThatMakeNoWorldAreErrors) {
  Mass mass = makeMass(1);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const auto& shape : std::vector<mass::Shape<2>>{{0, 5}, {5, 0}, {-1, 5}, {5, -most}}) {
    EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] { (void)create(mass, shape); }),
                         "it needs at least 1"));
  }
  for (const auto& shape :
       std::vector<mass::Shape<2>>{{most, 1}, {1, most}, {1L << 32, 1L << 32}}) {
    EXPECT_TRUE(
        contains(messageOf<mass::UsageError>([&] { (void)create(mass, shape); }), "too large"));
  }
  EXPECT_TRUE(contains(messageOf<mass::DeviceError>([&] {
                         (void)create(mass, {1L << 20, 1L << 20});
                       }),
                       "make the world smaller"));
  EXPECT_EQ(mass.size(), 0) << "nothing was created";
}

TEST(Mass, NamesOfPlacesAreTheirOwnAndFitForFiles) {
  Mass mass = makeMass(1);
  (void)create(mass);
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] { (void)create(mass); }), "'cells'"));
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                         (void)create(mass, {7, 5}, "a/b");
                       }),
                       "'a/b'"));
  for (const std::string name : {"simulation", "simulation.last_row", "ants.agents"}) {
    EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                           (void)create(mass, {7, 5}, name);
                         }),
                         "'" + name + "': checkpoints reserve"));
  }
  EXPECT_EQ(create(mass, {2, 2}, "others").name(), "others");
  EXPECT_EQ(mass.createPlaces<Long>({2, 3}).name().substr(0, 5), "Cell<");
  EXPECT_EQ(mass.size(), 35 + 4 + 6);
}

TEST(Mass, TheHashIsThatOfAllPlacesTogether) {
  Mass one = makeMass(1), two = makeMass(3);
  auto first = create(one), other = create(one, {4, 4}, "other");
  auto sameFirst = create(two), sameOther = create(two, {4, 4}, "other");
  EXPECT_EQ(one.hash(), two.hash());
  other.callAll<&Long::scatter>();
  EXPECT_NE(one.hash(), two.hash());
  sameOther.callAll<&Long::scatter>();
  EXPECT_EQ(one.hash(), two.hash());
  EXPECT_EQ(first.hash(), sameFirst.hash());
}

TEST(Mass, TwoInOneProgramDoNotDisturbEachOther) {
  Mass a = makeMass(2), b = makeMass(3), alone = makeMass(1);
  auto inA = create(a), inB = create(b), inAlone = create(alone);
  inA.callAll<&Long::scatter>();
  inB.callAll<&Long::scatter>();
  inA.callAll<&Long::mix>(mass::steps(3));
  inB.callAll<&Long::mix>(mass::steps(4));
  inA.callAll<&Long::mix>();
  inAlone.callAll<&Long::scatter>();
  inAlone.callAll<&Long::mix>(mass::steps(4));
  EXPECT_EQ(a.hash(), alone.hash());
  EXPECT_EQ(b.hash(), alone.hash());
}

class Checkpoints : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::filesystem::path file = folder / "state.h5";

  /// Writes a checkpoint of 7 x 5 cells after 4 steps, and of other places.
  void save(int devices) {
    Mass mass = makeMass(devices);
    auto cells = create(mass);
    auto others = create(mass, {3, 4}, "others");
    cells.callAll<&Long::scatter>();
    others.callAll<&Long::scatter>();
    cells.callAll<&Long::mix>(mass::steps(3));
    mass.saveCheckpoint(file, "model", {{"visits", 17}});
  }
  template <class P>
  std::string failure(mass::Shape<2> shape = {7, 5}, const std::string& model = "model") {
    Mass mass = makeMass(2);
    auto cells = create<P>(mass, shape);
    auto others = create(mass, {3, 4}, "others");
    const auto hash = mass.hash();
    const auto message =
        messageOf<mass::CheckpointError>([&] { (void)mass.restoreCheckpoint(file, model); });
    EXPECT_EQ(mass.hash(), hash) << "nothing has changed";
    return message;
  }
};

TEST_F(Checkpoints, GoOnOnAnyNumberOfDevicesAsIfTheyHadNeverStopped) {
  Mass straight = makeMass(1);
  auto cells = create(straight);
  auto others = create(straight, {3, 4}, "others");
  cells.callAll<&Long::scatter>();
  others.callAll<&Long::scatter>();
  cells.callAll<&Long::mix>(mass::steps(3));
  const auto atSave = straight.hash();
  cells.callAll<&Long::mix>(mass::steps(5));
  cells.callAll<&Long::scatter>();
  for (const int from : {1, 3}) {
    save(from);
    for (const int to : {1, 2, 3}) {
      Mass mass = makeMass(to);
      auto again = create(mass);
      auto otherAgain = create(mass, {3, 4}, "others");
      again.callAll<&Long::mix>(mass::steps(2));  // changes that the restart replaces
      const auto counters = mass.restoreCheckpoint(file, "model");
      EXPECT_EQ(counters.at("visits"), 17U);
      EXPECT_EQ(mass.hash(), atSave);
      EXPECT_EQ(again.step(), 4U);
      again.callAll<&Long::mix>(mass::steps(5));
      again.callAll<&Long::scatter>();
      EXPECT_EQ(mass.hash(), straight.hash()) << "from " << from << " to " << to << " devices";
    }
  }
}

TEST(Mass, HasNoMorePopulationsThanRandomNumbersTellApart) {
  Mass mass = makeMass(1);
  for (int i = 0; i < 200; ++i) (void)create(mass, {1, 1}, std::to_string(i));
  const auto cells = create(mass, {1, 1});
  for (int i = 201; i < 256; ++i) {
    (void)mass.createAgents<Visitor>(cells, 1, std::to_string(i));
  }
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                         (void)create(mass, {1, 1}, "more");
                       }),
                       "cannot create 'more': a Mass has at most 256 Places and Agents"));
  EXPECT_TRUE(contains(
      messageOf<mass::UsageError>([&] { (void)mass.createAgents<Visitor>(cells, 1, "more"); }),
      "cannot create 'more': a Mass has at most 256 Places and Agents"));
}

/// Place of one byte.
class Grain : public mass::Place<2> {
 public:
  std::uint8_t value = 0;
  using Attributes = mass::Attributes<&Grain::value>;

  MASS_FN void number(const mass::Here<2>& here) {
    value = static_cast<std::uint8_t>(here.index() % 251);
  }
};

TEST_F(Checkpoints, MayBeLargerThanTheirPieces) {
  const mass::Shape<2> shape{8200, 8300};  // 65 MiB, written and read in pieces of 64
  Mass mass = makeMass(2);
  auto grains = create<Grain>(mass, shape);
  grains.callAll<&Grain::number>();
  mass.saveCheckpoint(file, "model");
  Mass again = makeMass(3);
  (void)create<Grain>(again, shape);
  (void)again.restoreCheckpoint(file, "model");
  EXPECT_EQ(again.hash(), mass.hash());
}

/// Place without attributes.
class Mark : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

TEST_F(Checkpoints, OfPlacesWithoutAttributesCanBeRestored) {
  for (const bool alone : {true, false}) {
    Mass before = makeMass(2), after = makeMass(3);
    (void)create<Mark>(before, {5, 4}, "marks");
    (void)create<Mark>(after, {5, 4}, "marks");
    if (!alone) {
      create(before).callAll<&Long::scatter>();
      (void)create(after);
    }
    before.saveCheckpoint(file, "model", {{"visits", 3}});
    EXPECT_EQ(after.restoreCheckpoint(file, "model").at("visits"), 3U);
    EXPECT_EQ(after.hash(), before.hash());
  }
}

TEST_F(Checkpoints, OfAnotherModelShapeOrAttributeAreRefused) {
  save(2);
  EXPECT_TRUE(contains(failure<Long>({7, 5}, "other"), "'model', not of 'other'"));
  const auto shape = failure<Long>({5, 7});
  EXPECT_TRUE(contains(shape, "7")) << shape;
  EXPECT_TRUE(contains(shape, "cells.value")) << shape;
  const auto type = failure<Cell<double>>();
  EXPECT_TRUE(contains(type, "int64")) << type;
  EXPECT_TRUE(contains(type, "float64")) << type;
}

/// Place of one constant byte.
class Rock : public mass::Place<2> {
 public:
  std::uint8_t height = 0;
  using Attributes = mass::Attributes<mass::constant<&Rock::height>>;
};

TEST_F(Checkpoints, WithOtherConstantAttributesThanTheModelHasSetUpAreRefused) {
  save(2);
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    auto cells = create(mass);
    auto others = create(mass, {3, 4}, "others");
    const auto flows = [&](const mass::Coordinates<2>& at, float changed) {
      const bool isChanged = (at[0] == 4 && at[1] == 3) || at[0] == 6;
      return std::array<float, 2>{1, isChanged ? changed : 2};
    };
    cells.initialise<&Long::flows>([&](const auto& at) { return flows(at, 3); });
    const auto hash = mass.hash();
    const auto message =
        messageOf<mass::CheckpointError>([&] { (void)mass.restoreCheckpoint(file, "model"); });
    EXPECT_TRUE(contains(message, file.string() + " was written with another 'cells.flows.1'"));
    EXPECT_TRUE(contains(message, "6 of 35 places differ, first [4, 3]; restart with the settings"))
        << message;
    EXPECT_EQ(mass.hash(), hash) << "nothing has changed";
    cells.initialise<&Long::flows>([&](const auto& at) { return flows(at, 2); });
    (void)mass.restoreCheckpoint(file, "model");
    EXPECT_EQ(cells.step(), 4U);
  }
}

TEST_F(Checkpoints, OfARunForWhichNumbersMeantOtherThingsAreRefused) {
  {
    Mass mass = makeMass(2);
    (void)mass::spaceOf(create(mass), 0.1F);
    mass.requireOnRestart("list of species", "A, B");
    mass.saveCheckpoint(file, "model");
  }
  const auto go = [&](float edge, const std::string& species) {
    Mass mass = makeMass(1);
    (void)mass::spaceOf(create(mass), edge);
    mass.requireOnRestart("list of species", species);
    mass.requireOnRestart("something new", "of which older checkpoints say nothing");
    (void)mass.restoreCheckpoint(file, "model");
    return mass.hash();
  };
  const auto failure = [&](float edge, const std::string& species) {
    return messageOf<mass::CheckpointError>([&] { (void)go(edge, species); });
  };
  EXPECT_NO_THROW((void)go(0.1F, "A, B"));
  EXPECT_TRUE(contains(failure(0.1F, "B, A"),
                       file.string() + " was written with another list of species: 'A, B', not "
                                       "'B, A'; restart with the settings of the run"));
  EXPECT_TRUE(contains(failure(0.2F, "A, B"),
                       "another edge of the bins of 'cells': '0.1', not '0.2'; restart with"));
}

TEST_F(Checkpoints, AreComparedPieceByPiece) {
  const mass::Shape<2> shape{8200, 8300};  // several pieces
  Mass mass = makeMass(2);
  (void)create<Rock>(mass, shape);
  mass.saveCheckpoint(file, "model");
  Mass again = makeMass(3);
  std::vector<std::uint8_t> heights(8200 * 8300);
  heights[heights.size() - 2] = 1;
  create<Rock>(again, shape).upload<&Rock::height>(heights);
  const auto message =
      messageOf<mass::CheckpointError>([&] { (void)again.restoreCheckpoint(file, "model"); });
  EXPECT_TRUE(contains(message, "1 of 68060000 places differ, first [8199, 8298];")) << message;
}

TEST_F(Checkpoints, WithTooFewOrTooManyPlacesAreRefused) {
  save(1);
  Mass fewer = makeMass(1);
  (void)create(fewer);
  EXPECT_TRUE(contains(
      messageOf<mass::CheckpointError>([&] { (void)fewer.restoreCheckpoint(file, "model"); }),
      "has 8 arrays, this model 4"));
  Mass more = makeMass(1);
  (void)create(more);
  (void)create(more, {3, 4}, "others");
  (void)create(more, {3, 4}, "third");
  EXPECT_TRUE(contains(
      messageOf<mass::CheckpointError>([&] { (void)more.restoreCheckpoint(file, "model"); }),
      "'third'"));
}

TEST_F(Checkpoints, AreRefusedIfMissingOrCorrupted) {
  EXPECT_TRUE(contains(failure<Long>(), "no such file"));
  save(1);
  const std::string bytes = mass::testing::readBytes(file);
  mass::testing::writeBytes(file, bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(contains(failure<Long>(), file.string()));
}

}  // namespace

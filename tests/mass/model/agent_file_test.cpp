#include <mass/model/agent_file.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

template <int D>
class Field : public mass::Place<D> {
 public:
  using Attributes = mass::Attributes<>;
};

enum class Kind : std::uint8_t { worker, queen };

/// Attribute type that files cannot contain.
struct Pair {
  int a = 0, b = 0;
};

template <int D>
class Ant : public mass::Agent<Field<D>> {
 public:
  static constexpr std::int64_t capacity = 2;
  static constexpr int offspring = 1;
  std::int16_t age = 7;
  float position[2] = {0.5F, 0.25F};
  Kind kind = Kind::worker;
  bool isFed = true;
  Pair pair;
  using Attributes =
      mass::Attributes<&Ant::age, &Ant::position, &Ant::kind, &Ant::isFed, &Ant::pair>;

  MASS_FN void breed(mass::Intent<Ant>& intent) { intent.spawn(Ant{}); }
};

class AgentFiles : public ::testing::Test {
 protected:
  template <int D>
  mass::Agents<Ant<D>> load(mass::Mass& mass, const mass::Shape<D>& shape,
                            const std::string& contents) {
    writeBytes(folder / "ants.csv", contents);
    const auto field = mass.createPlaces<Field<D>>(shape);
    return mass.loadAgents<Ant<D>>(field, folder / "ants.csv", "ants");
  }
  /// Returns the message about a file of agents on 10 x 5 places.
  std::string complaint(const std::string& contents) {
    auto mass = makeMass(2);
    const std::string message = messageOf<mass::InputError>([&] {
      load<2>(mass, {10, 5}, contents);
    });
    const std::string file = (folder / "ants.csv").string();
    EXPECT_EQ(message.substr(0, file.size()), file);
    return message.substr(std::min(file.size(), message.size()));
  }

  TemporaryFolder folder;
};

TEST_F(AgentFiles, SayWhereAgentsAreAndWhatTheyHave) {
  auto mass = makeMass(3);
  const auto ants = load<2>(mass, {10, 5},
                            "column,row,age,kind,position.1,isFed\n"
                            "4,9,-3,1,8.5,false\n"
                            "0,0,12,0,1e3,1\n"
                            "4,9,5,1,-2,0\n");
  EXPECT_EQ(ants.ids(), (std::vector<std::uint64_t>{1, 0, 2}));
  EXPECT_EQ(ants.coordinates(), (std::vector<mass::Coordinates<2>>{{0, 0}, {9, 4}, {9, 4}}));
  EXPECT_EQ(ants.download<&Ant<2>::age>(), (std::vector<std::int16_t>{12, -3, 5}));
  EXPECT_EQ(ants.download<&Ant<2>::kind>(),
            (std::vector<Kind>{Kind::worker, Kind::queen, Kind::queen}));
  EXPECT_EQ(ants.download<&Ant<2>::position>(),
            (std::vector<std::array<float, 2>>{{0.5F, 1000}, {0.5F, 8.5F}, {0.5F, -2}}));
  EXPECT_EQ(ants.download<&Ant<2>::isFed>(), (std::vector<bool>{true, false, false}));
}

TEST_F(AgentFiles, AreTheSameOnEveryNumberOfDevices) {
  std::string contents = "row,column,id,age\n";
  for (int i = 0; i < 70; ++i) {
    contents += fmt::format("{},{},{},{}\n", i * 7 % 10, i * 3 % 7, 1000 - i, i);
  }
  std::uint64_t expected = 0;
  for (const int devices : {1, 2, 3, 5}) {
    if (!mass::testing::haveDevices(devices)) continue;
    auto mass = makeMass(devices);
    const auto ants = load<2>(mass, {10, 7}, contents);
    if (devices == 1) expected = ants.hash();
    EXPECT_EQ(ants.hash(), expected) << devices;
  }
}

TEST_F(AgentFiles, OfWorldsWithOneAndThreeAxes) {
  auto mass = makeMass(2);
  EXPECT_EQ(load<1>(mass, {8}, "row\n5\n0\n").coordinates(),
            (std::vector<mass::Coordinates<1>>{{0}, {5}}));
  auto other = makeMass(2);
  EXPECT_EQ(load<3>(other, {2, 3, 4}, "line,row,column\n2,1,3\n1,0,2\n").coordinates(),
            (std::vector<mass::Coordinates<3>>{{0, 1, 2}, {1, 2, 3}}));
}

TEST_F(AgentFiles, MayHaveNoAgents) {
  auto mass = makeMass(3);
  const auto ants = load<2>(mass, {10, 5}, "row,column\n");
  EXPECT_EQ(ants.size(), 0);
  ants.manageAll();
}

TEST_F(AgentFiles, IdentitiesOfChildrenAreHigherThanThoseOfTheFile) {
  auto mass = makeMass(2);
  const auto ants = load<2>(mass, {10, 5}, "row,column,id\n3,3,41\n8,1,5\n");
  ants.callAll<&Ant<2>::breed>();
  ants.manageAll();
  EXPECT_EQ(ants.ids(), (std::vector<std::uint64_t>{41, 42, 5, 43}));
}

TEST_F(AgentFiles, WithColumnsThatAgentsDoNotHave) {
  EXPECT_EQ(complaint("row,column,agee\n"),
            ":1: agents 'ants' have no column 'agee'; did you mean 'age'?; the columns are id, "
            "row, column, "
            "age, position.0, position.1, kind, isFed");
  EXPECT_TRUE(contains(complaint("row,column,position\n"), "no column 'position'"));
  EXPECT_TRUE(contains(complaint("row,column,pair\n"), "no column 'pair'"));
  EXPECT_TRUE(contains(complaint("row,line,column\n"), "no column 'line'"));
  EXPECT_EQ(complaint("row,age\n1,1\n"),
            ":1: the column 'column', a coordinate of the agents, is missing");
  EXPECT_EQ(complaint("row,column,row\n"), ":1: there are two columns 'row'");
}

TEST_F(AgentFiles, WithPlacesOutsideTheWorld) {
  EXPECT_EQ(complaint("row,column\n1,1\n10,1\n"), ":3: 'row' = 10: it must be from 0 to 9");
  EXPECT_EQ(complaint("row,column\n\n1,-1\n"), ":3: 'column' = -1: it must be from 0 to 4");
}

TEST_F(AgentFiles, WithAnIdentityTwice) {
  EXPECT_EQ(complaint("row,column,id\n1,1,4\n2,2,5\n3,3,4\n"),
            ":4: 'id' = 4: line 2 has the same identity");
  EXPECT_EQ(complaint("row,column,id\n1,1,-4\n"), ":2: 'id' = -4: it must be 0 or more");
  EXPECT_TRUE(contains(complaint("row,column,id\n1,1,9223372036854775808\n"), "not an integer"));
}

TEST_F(AgentFiles, WithIdentitiesThatRandomNumbersDoNotTellApart) {
  EXPECT_EQ(complaint("row,column,id\n1,1,0\n1,1,1099511627776\n"),
            ":3: 'id' = 1099511627776: it must be less than 2^40 = 1099511627776");
  auto mass = makeMass(2);
  const auto ants = load<2>(mass, {10, 5}, "row,column,id\n1,1,1099511627775\n");
  EXPECT_EQ(ants.ids(), (std::vector<std::uint64_t>{1099511627775}));
  ants.manageAll();
  ants.callAll<&Ant<2>::breed>();
  const auto message = messageOf<mass::UsageError>([&] { ants.manageAll(); });
  EXPECT_TRUE(contains(message, "got identities of 2^40"));
}

TEST_F(AgentFiles, WithMoreAgentsThanAPlaceHolds) {
  EXPECT_EQ(complaint("row,column\n1,1\n1,2\n1,1\n2,1\n1,1\n1,2\n"),
            ":6: the place is full: its capacity is 2 of the agents 'ants'");
}

TEST_F(AgentFiles, WithWhatIsNoNumber) {
  EXPECT_EQ(complaint("row,column,age\n1,1,40000\n"),
            ":2: 'age' = '40000' is not an integer from -32768 to 32767");
  EXPECT_TRUE(contains(complaint("row,column\n1,1\n1,one\n"), ":3: 'column' = 'one' is not"));
  EXPECT_EQ(complaint("row,column\n1\n"), ":2: cells: 1, columns: 2; each column needs a cell");
}

TEST_F(AgentFiles, ThatAreNotThere) {
  auto mass = makeMass(1);
  const auto field = mass.createPlaces<Field<2>>({4, 4});
  const auto message =
      messageOf<mass::InputError>([&] { mass.loadAgents<Ant<2>>(field, folder / "none.csv"); });
  EXPECT_TRUE(contains(message, "cannot read"));
  EXPECT_TRUE(contains(message, "none.csv"));
  // A failed load leaves the name free.
  EXPECT_EQ(mass.createAgents<Ant<2>>(field, 3).size(), 3);
}

}  // namespace

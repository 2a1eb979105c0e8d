#include "../../support/make_mass.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::Mass;
using mass::testing::makeMass;

class Grid : public mass::Place<2> {
 public:
  static constexpr int reach = 2;
  std::int64_t a = 1;
  std::int64_t b = 2;
  std::int64_t source = 0;
  using Attributes = mass::Attributes<&Grid::a, &Grid::b, mass::constant<&Grid::source>>;

  MASS_FN void addLocal(std::int64_t amount) { a += amount; }
  MASS_FN void setBoth(std::int64_t first, std::int64_t second) noexcept {
    a = first;
    b = second;
  }
  MASS_FN void where(const mass::Here<2>& here, std::int64_t scale) {
    a = here.index();
    b = scale * (here.coordinates()[0] * 100 + here.coordinates()[1]) +
        static_cast<std::int64_t>(here.step()) * 1000000 + here.shape()[0] * 10000000;
  }
  MASS_FN void fromAbove(const mass::Neighborhood<Grid>& near) {
    a = near(-1, 0).a + near(1, 0).source;
  }
  MASS_FN void swapBoth(const mass::Neighborhood<Grid>& near) {
    const Grid left = near(0, -1);
    a = left.b;
    b = left.a;
  }
  MASS_FN void sumChosen(const mass::Neighborhood<Grid>& near) {
    b = near.size();
    a = 0;
    for (int i = 0; i < near.size(); ++i) a = a * 100 + near[i].a;
  }
  MASS_FN void addChosen(const mass::Neighborhood<Grid>& near, std::int64_t factor) {
    for (int i = 0; i < near.size(); ++i) a += factor * near[i].source;
  }
  MASS_FN void pick(const mass::Here<2>& here) {
    auto random = here.random();
    a = random.below(1000000);
    b = random.below(1000000);
  }
  MASS_FN void pickTwice(const mass::Here<2>& here) {
    a = here.random().below(1000000);
    b = here.random().below(1000000);
  }
  MASS_FN std::int64_t picked(const mass::Here<2>& here) const {
    return here.random().below(1000000);
  }
  MASS_FN void pickNear(const mass::Neighborhood<Grid>& near) { a = near.random().below(1000000); }
};

using Values = std::vector<std::int64_t>;
const Values numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/// Test with 4 x 3 places; `source` is the row-major index of each.
mass::Places<Grid> gridOf(Mass& mass) {
  auto grid = mass.createPlaces<Grid>({4, 3});
  grid.upload<&Grid::source>(numbers);
  return grid;
}

TEST(Rules, EveryFormOfCallAll) {
  Mass mass = makeMass(2);
  auto grid = gridOf(mass);
  grid.callAll<&Grid::addLocal>(10);
  EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 11));
  grid.callAll<&Grid::addLocal>(mass::steps(3), 100);
  EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 311));
  const mass::Steps twice = mass::steps(2);
  grid.callAll<&Grid::addLocal>(twice, 1);
  EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 313));
  grid.callAll<&Grid::setBoth>(5, 6);
  EXPECT_EQ(grid.download<&Grid::b>(), Values(12, 6));
  EXPECT_EQ(grid.step(), 7U);
  grid.callAll<&Grid::swapBoth>();
  EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 6));
  grid.callAll<&Grid::swapBoth>(mass::steps(0));
  EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 6));
  EXPECT_EQ(grid.step(), 8U);
  EXPECT_THROW(grid.callAll<&Grid::swapBoth>(mass::steps(-1)), mass::UsageError);
}

TEST(Rules, ManyStepsAreTheSameAsOneByOne) {
  for (const int devices : {1, 3}) {
    Mass first = makeMass(devices), second = makeMass(1);
    auto atOnce = gridOf(first), oneByOne = gridOf(second);
    atOnce.callAll<&Grid::fromAbove>(mass::steps(7));
    for (int step = 0; step < 7; ++step) oneByOne.callAll<&Grid::fromAbove>();
    EXPECT_EQ(atOnce.download<&Grid::a>(), oneByOne.download<&Grid::a>());
    EXPECT_EQ(first.hash(), second.hash());
  }
}

TEST(Rules, RulesOfDifferentKindsFollowEachOther) {
  for (const int devices : {1, 2, 4}) {
    Mass mass = makeMass(devices);
    auto grid = gridOf(mass);
    grid.callAll<&Grid::where>(1);        // a = number
    grid.callAll<&Grid::addLocal>(100);   // in place
    grid.callAll<&Grid::fromAbove>();     // reads the values changed in place
    grid.callAll<&Grid::addLocal>(1000);  // in place, in the other buffer
    grid.callAll<&Grid::fromAbove>(mass::steps(2));
    Values expected = numbers;
    for (auto& value : expected) value += 100;
    const auto above = [&] {
      Values next(12);
      for (std::size_t i = 0; i < 12; ++i) next[i] = expected[(i + 9) % 12] + numbers[(i + 3) % 12];
      expected = next;
    };
    above();
    for (auto& value : expected) value += 1000;
    above();
    above();
    EXPECT_EQ(grid.download<&Grid::a>(), expected) << devices;
  }
}

TEST(Rules, HereSaysWhereAndWhen) {
  for (const int devices : {1, 4}) {
    Mass mass = makeMass(devices);
    auto grid = gridOf(mass);
    grid.callAll<&Grid::addLocal>(mass::steps(5), 1);
    grid.callAll<&Grid::where>(2);
    EXPECT_EQ(grid.download<&Grid::a>(), numbers);
    Values expected;
    for (std::int64_t i = 0; i < 12; ++i) expected.push_back(2 * (i / 3 * 100 + i % 3) + 45000000);
    EXPECT_EQ(grid.download<&Grid::b>(), expected);
  }
}

TEST(Rules, OnlyWhatIsAnnouncedIsWritten) {
  if constexpr (mass::checked) GTEST_SKIP() << "checked builds refuse such a rule";
  Mass mass = makeMass(2);
  auto grid = gridOf(mass);
  grid.callAll<&Grid::setBoth>(mass::writes<&Grid::b>, 50, 60);
  EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 1));
  EXPECT_EQ(grid.download<&Grid::b>(), Values(12, 60));
  grid.callAll<&Grid::swapBoth>(mass::steps(3), mass::writes<&Grid::a>);
  EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 60));
  EXPECT_EQ(grid.download<&Grid::b>(), Values(12, 60));
}

TEST(Rules, ARuleThatWritesSomeLeavesTheOthersReadable) {
  Mass mass = makeMass(3);
  auto grid = gridOf(mass);
  grid.callAll<&Grid::where>(1);
  const Values b = grid.download<&Grid::b>();
  grid.callAll<&Grid::fromAbove>(mass::steps(3), mass::writes<&Grid::a>);
  EXPECT_EQ(grid.download<&Grid::b>(), b);
  grid.callAll<&Grid::swapBoth>();
  Values expected;
  for (std::size_t i = 0; i < 12; ++i) expected.push_back(b[i / 3 * 3 + (i + 2) % 3]);
  EXPECT_EQ(grid.download<&Grid::a>(), expected);
}

TEST(Rules, NeighboursChosenAtRunTime) {
  for (const int devices : {1, 2, 4}) {
    Mass mass = makeMass(devices);
    auto grid = gridOf(mass);
    grid.callAll<&Grid::where>(1);
    grid.exchangeAll<&Grid::sumChosen>({{-1, 0}, {2, 1}, {0, 0}});
    Values expected;
    for (int i = 0; i < 12; ++i) {
      const int row = i / 3, column = i % 3;
      const int above = (row + 3) % 4 * 3 + column, far = (row + 2) % 4 * 3 + (column + 1) % 3;
      expected.push_back(above * 10000 + far * 100 + i);
    }
    EXPECT_EQ(grid.download<&Grid::a>(), expected) << devices;
    EXPECT_EQ(grid.download<&Grid::b>(), Values(12, 3));
    // The neighbours stay until the next setNeighbors.
    grid.callAll<&Grid::setBoth>(0, 0);
    grid.callAll<&Grid::addChosen>(mass::steps(2), 10);
    EXPECT_EQ(grid.download<&Grid::a>()[0], 20 * (9 + 7 + 0));
    grid.setNeighbors({});
    grid.callAll<&Grid::sumChosen>();
    EXPECT_EQ(grid.download<&Grid::a>(), Values(12, 0));
    EXPECT_EQ(grid.download<&Grid::b>(), Values(12, 0));
    grid.exchangeAll<&Grid::addChosen>({{0, 2}}, mass::steps(2), 3);
    EXPECT_EQ(grid.download<&Grid::a>()[0], 2 * 3 * 2);
  }
}

TEST(Rules, ARunTimeNeighbourBeyondReachIsAnErrorAndChangesNothing) {
  Mass mass = makeMass(1);
  auto grid = gridOf(mass);
  grid.setNeighbors({{0, 1}});
  for (const mass::Offset<2> far : {mass::Offset<2>{0, 3}, mass::Offset<2>{-3, 0}}) {
    try {
      grid.setNeighbors({{0, 0}, far});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const mass::UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("3"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("reach, 2"), std::string::npos) << error.what();
    }
  }
  grid.callAll<&Grid::sumChosen>();
  EXPECT_EQ(grid.download<&Grid::b>(), Values(12, 1)) << "the neighbours chosen before";
}

TEST(Rules, RandomNumbersDependOnPlaceAndStepAndNotOnDevicesOrThreads) {
  std::vector<Values> first;
  for (const int devices : {1, 2, 4}) {
    Mass mass = makeMass(devices, 5 - devices);
    auto grid = gridOf(mass);
    grid.callAll<&Grid::pick>();
    first.push_back(grid.download<&Grid::a>());
    EXPECT_NE(grid.download<&Grid::b>(), first.back());
    EXPECT_NE(first.back()[0], first.back()[1]);
    grid.callAll<&Grid::pick>();
    EXPECT_NE(grid.download<&Grid::a>(), first.back()) << "another step";
  }
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(first[0], first[2]);
}

TEST(Rules, RandomNumbersDiffer) {
  Mass mass = makeMass(1);
  auto grid = gridOf(mass);
  grid.callAll<&Grid::pickTwice>();
  const Values one = grid.download<&Grid::a>();
  EXPECT_NE(one, grid.download<&Grid::b>()) << "two generators of one call";

  mass::PlacesOptions<Grid> options;
  options.name = "other";
  auto other = mass.createPlaces<Grid>({4, 3}, options);
  other.callAll<&Grid::pickTwice>();
  EXPECT_NE(other.download<&Grid::a>(), one) << "other places of the same program";

  Mass reseeded = makeMass(1, 0, {}, {"seed=2"});
  auto again = gridOf(reseeded);
  again.callAll<&Grid::pickTwice>();
  EXPECT_NE(again.download<&Grid::a>(), one) << "another seed";

  Mass third = makeMass(1);
  auto near = gridOf(third);
  const Values read = near.map<&Grid::picked>();
  EXPECT_EQ(near.map<&Grid::picked>(), read) << "reading does not change what is read";
  EXPECT_NE(read, one) << "a reading rule at the same step";
  near.callAll<&Grid::pickNear>();
  EXPECT_EQ(near.download<&Grid::a>(), one) << "the kind of the rule does not matter";
}

}  // namespace

#include "../../support/make_mass.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

// Errors that checked builds (MASS_CHECKED) find while rules run; other builds have no checks.

namespace {

using mass::Mass;
using mass::testing::makeMass;

class Careless : public mass::Place<2> {
 public:
  std::int32_t state = 0;
  float fixed[2] = {1, 2};
  std::int32_t other = 0;
  using Attributes =
      mass::Attributes<&Careless::state, mass::constant<&Careless::fixed>, &Careless::other>;

  MASS_FN void readFar(const mass::Neighborhood<Careless>& near, std::int64_t row,
                       std::int64_t column) {
    const auto at = near.coordinates();
    const int far = at[0] == row && at[1] == column ? 2 : 1;
    state = near(0, -far).state + 1;
  }
  MASS_FN void changeFixed() { fixed[1] = 5; }
  MASS_FN void changeOther() {
    state = 1;
    ++other;
  }
  MASS_FN void readChosen(const mass::Neighborhood<Careless>& near) { state = near[1].state; }
  MASS_FN std::int32_t farValue(const mass::Neighborhood<Careless>& near) const {
    return near(2, 0).state;
  }
};

template <class Action>
std::string messageOf(Action&& action) {
  try {
    action();
  } catch (const mass::UsageError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

::testing::AssertionResult says(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (message.find(part) == std::string::npos) {
      return ::testing::AssertionFailure() << "no '" << part << "' in '" << message << "'";
    }
  }
  return ::testing::AssertionSuccess();
}

class Checks : public ::testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!mass::checked) GTEST_SKIP() << "not a checked build";
  }
};

TEST_F(Checks, AReadBeyondReachNamesPlaceOffsetAndReachTheSameOnEverySplit) {
  for (const int devices : {1, 2, 4}) {
    Mass mass = makeMass(devices, 3);
    auto places = mass.createPlaces<Careless>({6, 5});
    places.callAll<&Careless::readFar>(mass::steps(3), -1, -1);  // no such place
    const auto hash = places.hash();
    const std::string message =
        messageOf([&] { places.callAll<&Careless::readFar>(mass::steps(5), 3, 2); });
    EXPECT_TRUE(says(message, {"Careless", "(3, 2)", "offset (0, -2)", "reach is 1"}));
    EXPECT_EQ(places.hash(), hash) << "the failing step has changed nothing";
    places.callAll<&Careless::readFar>(-1, -1);
    EXPECT_EQ(places.download<&Careless::state>(), std::vector<std::int32_t>(30, 4));
  }
}

TEST_F(Checks, AReadBeyondReachByAReadingRule) {
  Mass mass = makeMass(2);
  const auto places = mass.createPlaces<Careless>({6, 5});
  EXPECT_TRUE(says(messageOf([&] { (void)places.reduce<&Careless::farValue>(mass::sum); }),
                   {"(0, 0)", "offset (2, 0)"}));
}

/// Node that reads a link that does not exist.
class Gossip : public mass::Node {
 public:
  std::int32_t rumours = 0;
  using Attributes = mass::Attributes<&Gossip::rumours>;

  MASS_FN void hear(const mass::Links<Gossip>& links, int link) {
    rumours += links[link].node().rumours;
  }
};

TEST_F(Checks, AReadOfALinkThatANodeLacksNamesNodeAndLink) {
  const std::vector<mass::Graph::Edge> edges{{0, 1}, {1, 2}, {2, 0}};
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    const auto nodes = mass.createGraph<Gossip>(mass::Graph(3, edges));
    nodes.callAll<&Gossip::hear>(1);
    EXPECT_TRUE(says(messageOf([&] { nodes.callAll<&Gossip::hear>(2); }),
                     {"link 2 (from 0) of Gossip ", "has 2"}));
  }
}

/// Place that reads finer places.
class Reader : public mass::Place<2> {
 public:
  std::int32_t sum = 0;
  using Attributes = mass::Attributes<&Reader::sum>;

  MASS_FN void read(const mass::FinerField<Careless>& field, int column) {
    sum += field(-1, column).state;
  }
};

TEST_F(Checks, AReadOfAFinerFieldBeyondItsReachAroundTheBlock) {
  for (const int devices : {1, 3}) {
    Mass mass = makeMass(devices);
    const auto field = mass.createPlaces<Careless>({6, 6});
    const auto places = mass.createPlaces<Reader>({3, 2});
    places.callAll<&Reader::read>(field, 3);  // the block has columns 0 to 2
    EXPECT_TRUE(says(messageOf([&] { places.callAll<&Reader::read>(field, 4); }),
                     {"Careless", "offset (-1, 4)", "reach is 1"}));
  }
}

/// Place that declares to read along the axes, but may read beside them.
class Diagonal : public mass::Place<3> {
 public:
  static constexpr auto reads = mass::alongAxes;
  std::int32_t state = 0;
  using Attributes = mass::Attributes<&Diagonal::state>;

  MASS_FN void read(const mass::Neighborhood<Diagonal>& near, int z, int y, int x) {
    state = near(z, y, x).state + near.get<&Diagonal::state>({z, y, x}) + 1;
  }
};

TEST_F(Checks, AReadBesideTheAxesThatAreDeclared) {
  Mass mass = makeMass(2);
  auto places = mass.createPlaces<Diagonal>({4, 3, 5});
  for (const auto& [z, y, x] : {std::tuple{0, 0, 0}, {0, 0, -1}, {0, 1, 0}, {-1, 0, 0}})
    places.callAll<&Diagonal::read>(z, y, x);
  const auto hash = places.hash();
  for (const auto& [z, y, x] : {std::tuple{0, 1, -1}, {1, 0, 1}, {-1, 1, 0}, {1, 1, 1}}) {
    EXPECT_TRUE(says(
        messageOf([&, z = z, y = y, x = x] { places.callAll<&Diagonal::read>(z, y, x); }),
        {"Diagonal", "(0, 0, 0)", fmt::format("offset ({}, {}, {})", z, y, x), "mass::alongAxes"}));
    EXPECT_EQ(places.hash(), hash);
  }
}

TEST_F(Checks, AWriteThatWasNotAnnouncedNamesTheAttribute) {
  Mass mass = makeMass(2);
  auto places = mass.createPlaces<Careless>({6, 5});
  EXPECT_TRUE(says(messageOf([&] { places.callAll<&Careless::changeFixed>(); }),
                   {"Careless", "'fixed'", "(0, 0)"}));
  EXPECT_TRUE(says(
      messageOf([&] { places.callAll<&Careless::changeOther>(mass::writes<&Careless::state>); }),
      {"'other'"}));
  places.callAll<&Careless::changeOther>(mass::writes<&Careless::state, &Careless::other>);
  EXPECT_EQ(places.download<&Careless::other>(), std::vector<std::int32_t>(30, 1));
}

/// Agent that changes attributes that the call does not list.
class CarelessAgent : public mass::Agent<Careless> {
 public:
  std::int32_t state = 0;
  std::int32_t other = 0;
  std::int32_t fixed = 0;
  using Attributes = mass::Attributes<&CarelessAgent::state, &CarelessAgent::other,
                                      mass::constant<&CarelessAgent::fixed>>;
  MASS_FN void changeOther() { other = 1; }
  MASS_FN void changeFixed() { fixed = 1; }
};

TEST_F(Checks, AWriteOfAnAgentThatWasNotAnnounced) {
  if (mass::testing::testBackend() != "cpu") GTEST_SKIP() << "agents run on CPUs";
  Mass mass = makeMass(2);
  auto places = mass.createPlaces<Careless>({6, 5});
  auto agents = mass.createAgents<CarelessAgent>(places, {{4, 3}});
  EXPECT_TRUE(says(messageOf([&] { agents.callAll<&CarelessAgent::changeFixed>(); }),
                   {"CarelessAgent", "'fixed'", "(4, 3)"}));
  EXPECT_TRUE(says(messageOf([&] {
                     agents.callAll<&CarelessAgent::changeOther>(
                         mass::writes<&CarelessAgent::state>);
                   }),
                   {"'other'"}));
  agents.callAll<&CarelessAgent::changeOther>(mass::writes<&CarelessAgent::other>);
  EXPECT_EQ(agents.download<&CarelessAgent::other>(), std::vector<std::int32_t>(1, 1));
}

TEST_F(Checks, ARunTimeNeighbourThatWasNotChosen) {
  Mass mass = makeMass(2);
  auto places = mass.createPlaces<Careless>({6, 5});
  EXPECT_TRUE(says(messageOf([&] { places.callAll<&Careless::readChosen>(); }),
                   {"Careless", "neighbour number 1", "gave it 0"}));
  places.setNeighbors({{0, 1}});
  EXPECT_TRUE(says(messageOf([&] { places.callAll<&Careless::readChosen>(); }), {"gave it 1"}));
  places.setNeighbors({{0, 1}, {1, 0}});
  places.callAll<&Careless::readChosen>();
}

struct Across {
  MASS_FN static constexpr mass::Offset<2> velocity(int k) { return {0, k == 0 ? 1 : -1}; }
};

/// Place whose flowCell() is `interior` although components bounce back there.
class Blind : public mass::Place<2> {
 public:
  std::uint8_t wall = 0;
  float f[2] = {1, 2};
  using Attributes =
      mass::Attributes<mass::mostlyDefault<&Blind::wall>, mass::streamed<&Blind::f, Across>>;

  MASS_FN mass::FlowCell flowCell() const {
    return wall != 0 ? mass::FlowCell::solid : mass::FlowCell::interior;
  }
  MASS_FN void go(const mass::Streaming<Blind>&) {}
};

TEST_F(Checks, APlaceWhereWhatIsStreamedDoesNotGoOnAsItSays) {
  for (const char* const streaming : {"streaming=auto", "streaming=two_buffers"}) {
    Mass mass = makeMass(2, 0, {}, {streaming});
    auto walled = mass.createPlaces<Blind>({4, 5}, mass::borders<Blind>(mass::Border::fixed));
    EXPECT_TRUE(says(messageOf([&] { walled.callAll<&Blind::go>(); }), {"Blind", "flowCell()"}));
    mass::PlacesOptions<Blind> options;
    options.name = "obstructed";
    auto obstructed = mass.createPlaces<Blind>({4, 5}, options);
    obstructed.callAll<&Blind::go>(mass::steps(3));
    std::vector<std::uint8_t> walls(20, 0);
    walls[12] = 1;
    obstructed.upload<&Blind::wall>(walls);
    EXPECT_TRUE(says(messageOf([&] { obstructed.callAll<&Blind::go>(); }), {"(2, 1)"}));
  }
}

}  // namespace

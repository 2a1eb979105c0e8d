// Uses the public names of version 0.1.0 that were renamed, as an existing model does.
#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "../../support/make_mass.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

class Site : public mass::Place<2> {
 public:
  mass::Bag<4, 2> particles;
  std::int32_t kind = 0, steps = 0;
  using Attributes = mass::Attributes<&Site::particles, mass::mostly<&Site::kind>, &Site::steps>;

  MASS_FN void age() { ++steps; }

  MASS_FN void hop(const mass::Outbox<Site>& out, mass::Code particle) const {
    out.send({0, 1}, particle.value);
  }
};

TEST(FormerNames, RunTheSameModel) {
  mass::Mass mass = mass::testing::makeMass(2);
  const auto sites = mass.createPlaces<Site>({3, 4});
  std::vector<mass::Bag<4, 2>> start(12);
  ASSERT_TRUE(start[5].add(7));
  sites.upload<&Site::particles>(start);
  sites.makeRoom<&Site::age>();
  sites.callAll<&Site::hop>(mass::steps(2));
  const auto end = sites.download<&Site::particles>();
  EXPECT_EQ(end[7][0], 7U);
  EXPECT_EQ(start[5].code(0), 7U);
  EXPECT_EQ(sites.spilled(), sites.overflowedWords());
  EXPECT_EQ(mass.agentRooms().size(), mass.agentCapacities().size());
}

/// Place with the former name of flowCell().
class Wall : public mass::Place<2> {
 public:
  std::int32_t solid = 1;
  using Attributes = mass::Attributes<&Wall::solid>;

  MASS_FN mass::FlowCell passage() const {
    return solid != 0 ? mass::FlowCell::solid : mass::FlowCell::interior;
  }
};

TEST(FormerNames, PassageIsTheFlowCellOfAPlace) {
  EXPECT_EQ(mass::detail::flowCellOf(Wall{}), mass::FlowCell::solid);
}

TEST(FormerNames, AreTheNewTypes) {
  EXPECT_TRUE((std::is_same_v<mass::Tree, mass::ConfigNode>));
  EXPECT_TRUE((std::is_same_v<mass::Passage, mass::FlowCell>));
  EXPECT_EQ(mass::Passage::open, mass::FlowCell::interior);
  EXPECT_EQ(mass::Passage::obstructed, mass::FlowCell::nearSolid);
  EXPECT_EQ(mass::Passage::blocked, mass::FlowCell::solid);
  EXPECT_EQ(mass::Passage::bordered, mass::FlowCell::nearBoundary);
  EXPECT_EQ((mass::Bag<4, 1>::largestCode), 15U);
}

}  // namespace

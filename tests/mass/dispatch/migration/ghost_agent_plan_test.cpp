#include <mass/dispatch/migration/ghost_agent_plan.hpp>

#include "../../../support/test_agents.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using mass::Border;
using mass::detail::AgentArray;
using mass::detail::AgentBand;
using mass::detail::AgentFields;
using mass::detail::DeviceConfig;
using mass::detail::Fetch;
using mass::detail::FetchAddresses;
using mass::detail::NewAgent;
using mass::detail::PlaceFields;
using mass::detail::migration::ghostCount;
using mass::detail::migration::ghostFetches;
using mass::detail::migration::GhostTransfer;
using mass::detail::migration::ghostTransfers;
using mass::testing::componentOf;
using mass::testing::domainOf;

const std::int32_t none = 0;
constexpr std::int64_t columns = 4;

/// World of 9 rows on devices of 3 rows. Row r has r ants on its place 1.
struct World {
  World(Border border, int reach)
      : places(devices, domainOf({9, columns}, {border, border}, reach), {componentOf(none, none)}),
        ants(mass::testing::makeTestAgents(places, reach)) {
    std::vector<NewAgent> newAgents;
    for (std::int64_t row = 0; row < 9; ++row) {
      for (std::int64_t i = 0; i < row; ++i) {
        newAgents.push_back({row * columns + 1, static_cast<std::uint64_t>(10 * row + i)});
      }
    }
    mass::testing::setAgents(ants, newAgents, mass::testing::distinctAgentValues(newAgents.size()));
  }

  DeviceConfig devices = DeviceConfig::cpu(3, 3);
  PlaceFields places;
  AgentFields ants;
};

void expectTransfer(const GhostTransfer& transfer, const GhostTransfer& expected) {
  EXPECT_EQ(transfer.fromDevice, expected.fromDevice);
  EXPECT_EQ(transfer.fromAgent, expected.fromAgent);
  EXPECT_EQ(transfer.toAgent, expected.toAgent);
  EXPECT_EQ(transfer.agents, expected.agents);
  EXPECT_EQ(transfer.fromBin, expected.fromBin);
  EXPECT_EQ(transfer.toBin, expected.toBin);
  EXPECT_EQ(transfer.bins, expected.bins);
}

TEST(GhostAgentPlan, GhostsFollowTheOwnAgentsInOrderOfTheirBins) {
  const World world(Border::periodic, 1);
  // Device 1 has rows 3 to 5, then the bins of row 6, then those of row 2.
  const std::vector<GhostTransfer> transfers = ghostTransfers(world.ants, 1);
  ASSERT_EQ(transfers.size(), 2U);
  expectTransfer(transfers[0], {.fromDevice = 2,
                                .fromAgent = 0,
                                .toAgent = 12,
                                .agents = 6,
                                .fromBin = 0,
                                .toBin = 12,
                                .bins = 4});
  expectTransfer(transfers[1], {.fromDevice = 0,
                                .fromAgent = 1,
                                .toAgent = 18,
                                .agents = 2,
                                .fromBin = 8,
                                .toBin = 16,
                                .bins = 4});
  EXPECT_EQ(ghostCount(world.ants, 1), 8);
  EXPECT_EQ(ghostCount(world.ants, 0), 3 + 8) << "rows 3 and 8";
}

TEST(GhostAgentPlan, NoGhostsBeyondAFixedBorder) {
  const World world(Border::fixed, 2);
  ASSERT_EQ(ghostTransfers(world.ants, 0).size(), 1U);
  EXPECT_EQ(ghostTransfers(world.ants, 0)[0].fromDevice, 1);
  EXPECT_EQ(ghostCount(world.ants, 0), 3 + 4);
  EXPECT_EQ(ghostCount(world.ants, 2), 4 + 5);
}

/// The summaries of all devices are enough: the arrays are not read.
TEST(GhostAgentPlan, FollowsFromTheSummaries) {
  World world(Border::fixed, 1);
  world.ants.band(2).edges[0] = 100;  // row 6
  world.ants.band(2).edges[1] = 107;
  world.ants.band(1).own = 50;
  const std::vector<GhostTransfer> transfers = ghostTransfers(world.ants, 1);
  EXPECT_EQ(transfers[0].fromAgent, 100);
  EXPECT_EQ(transfers[0].agents, 7);
  EXPECT_EQ(transfers[0].toAgent, 50);
  EXPECT_EQ(transfers[1].toAgent, 57);
}

TEST(GhostAgentPlan, FetchesBinsIdentitiesAndComponents) {
  const World world(Border::fixed, 1);
  const std::vector<Fetch> fetches = ghostFetches(world.ants, 0);
  const auto of = [](AgentArray array, int component) {
    return Fetch{1, 0, {array, 0}, {array, 3}, 3, component};
  };
  const std::vector<Fetch> expected{{1, 0, {AgentArray::first, 1}, {AgentArray::nextFirst, 13}, 4},
                                    of(AgentArray::ids, 0),
                                    of(AgentArray::front, 0),
                                    of(AgentArray::front, 1),
                                    of(AgentArray::front, 2),
                                    of(AgentArray::front, 3),
                                    of(AgentArray::front, 4)};
  EXPECT_EQ(fetches, expected);
}

TEST(GhostAgentPlan, CopiesTheAgentsOfTheGhostRows) {
  World world(Border::periodic, 1);
  for (int device = 0; device < 3; ++device) {
    AgentBand& band = world.ants.band(device);
    world.ants.reserve(device, band.own + ghostCount(world.ants, device));
    for (const Fetch& fetch : ghostFetches(world.ants, device)) {
      const FetchAddresses copy = addressesOf(fetch, world.ants);
      std::memcpy(copy.to, copy.from, copy.bytes);
    }
    std::vector<std::uint64_t> expected;
    for (const std::int64_t row : {(3 * device + 3) % 9, (3 * device + 8) % 9}) {
      for (std::int64_t i = 0; i < row; ++i) {
        expected.push_back(static_cast<std::uint64_t>(10 * row + i));
      }
    }
    std::vector<std::uint64_t> ids(expected.size());
    band.ids.read(ids.data(), static_cast<std::int64_t>(ids.size()), band.own);
    EXPECT_EQ(ids, expected) << device;
  }
}

}  // namespace

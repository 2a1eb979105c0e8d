#include <mass/memory/agent_io.hpp>

#include "../../support/test_agents.hpp"
#include "../../support/thread_ranks.hpp"

#include <mass/memory/field_io.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace {

using mass::detail::DeviceConfig;
using mass::detail::NewAgent;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;
using Values = std::vector<std::vector<char>>;

const std::vector<NewAgent> ants{{3, 7}, {3, 8}, {12, 2}, {35, 40}, {20, 5}};

/// Returns the hash of agents on `devices` devices.
std::uint64_t hashOf(const std::vector<NewAgent>& agents, const Values& values, int devices = 1) {
  const std::int32_t none = 0;
  const auto config = DeviceConfig::cpu(devices, devices);
  const PlaceFields places(config, domainOf({9, 4}, {}, 1), {componentOf(none, none)});
  auto fields = mass::testing::makeTestAgents(places, 1);
  mass::testing::setAgents(fields, agents, values);
  return mass::detail::hashOf(fields);
}

TEST(AgentIo, TheHashDoesNotDependOnDevicesOrTheOrderOfCreation) {
  const Values values = mass::testing::distinctAgentValues(ants.size());
  const std::uint64_t hash = hashOf(ants, values);
  for (const int devices : {2, 3, 4, 9}) EXPECT_EQ(hashOf(ants, values, devices), hash) << devices;
  std::vector<NewAgent> backwards(ants.rbegin(), ants.rend());
  Values turned;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto size = static_cast<std::ptrdiff_t>(mass::testing::agentComponentSizes[k]);
    auto& component = turned.emplace_back();
    for (auto end = values[k].end(); end != values[k].begin(); end -= size)
      component.insert(component.end(), end - size, end);
  }
  EXPECT_EQ(hashOf(backwards, turned), hash);
}

TEST(AgentIo, TheHashDiffersIfAnyPartOfAnyAgentDiffers) {
  const Values values = mass::testing::distinctAgentValues(ants.size());
  std::set<std::uint64_t> hashes{hashOf(ants, values)};
  std::size_t changes = 0;
  const auto expectAnother = [&](std::uint64_t hash, const char* part, std::size_t at) {
    EXPECT_TRUE(hashes.insert(hash).second) << part << ' ' << at;
    ++changes;
  };
  for (std::size_t i = 0; i < ants.size(); ++i) {
    auto others = ants;
    others[i].id = 100;
    expectAnother(hashOf(others, values), "the identity of agent", i);
    others = ants;
    others[i].place = 30;
    expectAnother(hashOf(others, values), "the place of agent", i);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (std::size_t byte = 0; byte < values[k].size(); ++byte) {
      Values others = values;
      others[k][byte] = static_cast<char>(others[k][byte] ^ 4);
      expectAnother(hashOf(ants, others), "a byte of component", k);
    }
  }
  const std::vector<NewAgent> fewer(ants.begin(), ants.end() - 1);
  expectAnother(hashOf(fewer, values), "the number of agents", fewer.size());
  EXPECT_EQ(changes, 2 * ants.size() + ants.size() * (1 + 2 + 4 + 8 + 12) + 1);
}

TEST(AgentIo, TheHashDiffersIfTwoAgentsExchangeAnAttribute) {
  const Values values = mass::testing::distinctAgentValues(ants.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    Values others = values;
    const auto size = static_cast<std::ptrdiff_t>(mass::testing::agentComponentSizes[k]);
    auto& component = others[k];
    std::swap_ranges(component.begin(), component.begin() + size, component.begin() + 2 * size);
    EXPECT_NE(hashOf(ants, others), hashOf(ants, values)) << k;
  }
}

/// Returns the agents on places [begin, end).
std::vector<NewAgent> antsOn(std::int64_t begin, std::int64_t end) {
  std::vector<NewAgent> chosen;
  for (const NewAgent& ant : ants)
    if (begin <= ant.place && ant.place < end) chosen.push_back(ant);
  return chosen;
}

/// Each rank creates its own agents and receives the numbers of the others.
TEST(AgentIo, RanksShareTheSummariesOfTheirBands) {
  mass::testing::runOnThreadRanks(3, [](mass::detail::Ranks& ranks) {
    const auto config =
        DeviceConfig::cpu(ranks.number() + 1, 1, {},
                          std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &ranks));
    const std::int32_t none = 0;
    const PlaceFields places(config, domainOf({9, 4}, {}, 1), {componentOf(none, none)});
    auto whole = mass::testing::makeTestAgents(places, 1);
    auto own = mass::testing::makeTestAgents(places, 1);
    const Values values = mass::testing::distinctAgentValues(ants.size());
    mass::testing::setAgents(whole, ants, values);
    const auto rows = mass::detail::localRows(places);
    mass::testing::setAgents(own, antsOn(rows.begin * 4, rows.end * 4), values);
    for (int device = 0; device < 6; ++device) {
      EXPECT_EQ(own.summary(device).own, whole.summary(device).own) << device;
      EXPECT_EQ(own.summary(device).edges, whole.summary(device).edges) << device;
    }
    EXPECT_EQ(own.alive(), static_cast<std::int64_t>(ants.size()));
    EXPECT_EQ(agentIds(own), (std::vector<std::uint64_t>{7, 8, 2, 5, 40}));
    EXPECT_EQ(agentPlaces(own), (std::vector<std::int64_t>{3, 3, 12, 20, 35}));
  });
}

/// Reads each range of agents; rank 0 has all of it, the others their own agents.
TEST(AgentIo, RangesOfAgentsAreReadOnTheFirstRank) {
  mass::testing::runOnThreadRanks(3, [](mass::detail::Ranks& ranks) {
    const auto config = DeviceConfig::cpu(
        2, 1, {}, std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &ranks));
    const std::int32_t none = 0;
    const PlaceFields places(config, domainOf({9, 4}, {}, 1), {componentOf(none, none)});
    auto agents = mass::testing::makeTestAgents(places, 1);
    mass::testing::setAgents(agents, ants, mass::testing::distinctAgentValues(ants.size()));
    const auto ids = agentIds(agents);
    std::vector<std::int32_t> values(ids.size());
    readAgents(agents, componentColumn(agents, 2), values.data());
    EXPECT_EQ(std::set(values.begin(), values.end()).size(), values.size());
    for (std::size_t first = 0; first <= ids.size(); ++first) {
      for (std::size_t count = 0; first + count <= ids.size(); ++count) {
        const auto read = [&](const mass::detail::AgentColumn& column, void* packed) {
          readAgentsOnFirstRank(agents, column, static_cast<std::int64_t>(first),
                                static_cast<std::int64_t>(count), packed);
        };
        std::vector<std::uint64_t> someIds(count);
        std::vector<std::int32_t> someValues(count);
        read(mass::detail::idColumn(), someIds.data());
        read(componentColumn(agents, 2), someValues.data());
        if (!ranks.isFirst()) continue;
        EXPECT_TRUE(
            std::equal(someIds.begin(), someIds.end(), ids.begin() + std::ptrdiff_t(first)));
        EXPECT_TRUE(std::equal(someValues.begin(), someValues.end(),
                               values.begin() + std::ptrdiff_t(first)));
      }
    }
  });
}

}  // namespace

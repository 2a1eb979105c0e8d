#include <mass/memory/agent_fetch.hpp>

#include "../../support/test_agents.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using mass::detail::addressesOf;
using mass::detail::AgentArray;
using mass::detail::AgentBand;
using mass::detail::AgentFields;
using mass::detail::ArrayMemory;
using mass::detail::DeviceConfig;
using mass::detail::Fetch;
using mass::detail::FetchAddresses;
using mass::detail::memoryOf;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;

const std::int32_t none = 0;

/// World of two devices with two ants on each; an ant has up to two children.
struct World {
  World() {
    mass::testing::setAgents(ants, {{1, 10}, {2, 11}, {30, 12}, {31, 13}},
                             mass::testing::distinctAgentValues(4));
  }

  DeviceConfig devices = DeviceConfig::cpu(2, 2);
  PlaceFields places{devices, domainOf({9, 4}, {}, 1), {componentOf(none, none)}};
  AgentFields ants = mass::testing::makeTestAgents(places, 1);
};

TEST(AgentFetch, EveryArrayHasAnAddressAndAnElementSize) {
  const World world;
  const AgentBand& band = world.ants.band(1);
  const auto expect = [&](AgentArray array, const void* data, std::size_t elementSize,
                          int component = 0) {
    const ArrayMemory memory = memoryOf(band, world.ants.traits(), array, component);
    EXPECT_EQ(memory.data, data) << static_cast<int>(array);
    EXPECT_EQ(memory.elementSize, elementSize) << static_cast<int>(array);
    if (data != nullptr) {
      EXPECT_EQ(memory.at(3), memory.data + 3 * elementSize);
    }
  };
  expect(AgentArray::ids, band.ids.data(), 8);
  expect(AgentArray::nextIds, band.nextIds.data(), 8);
  expect(AgentArray::first, band.first.data(), 4);
  expect(AgentArray::nextFirst, band.nextFirst.data(), 4);
  expect(AgentArray::targets, band.targets.data(), 8);
  expect(AgentArray::births, band.births.data(), 1);
  expect(AgentArray::birthplaces, band.birthplaces.data(), 2 * 8);
  for (std::size_t k = 0; k < band.front.size(); ++k) {
    const std::size_t size = mass::testing::agentComponentSizes[k];
    const auto component = static_cast<int>(k);
    expect(AgentArray::front, band.front[k].data(), size, component);
    expect(AgentArray::back, band.back[k].data(), size, component);
    expect(AgentArray::children, band.children[k].data(), 2 * size, component);
  }
  expect(AgentArray::moveStates, band.scratch.moveStates.data(), 1);
  expect(AgentArray::sentPlaces, band.scratch.sentPlaces.data(), 8);
  expect(AgentArray::decisions, band.scratch.decisions.data(), 1);
  expect(AgentArray::freePlaceList, band.scratch.freePlaceList.data(), 8);
  expect(AgentArray::allFreePlaceList, band.scratch.allFreePlaceList.data(), 8);
}

TEST(AgentFetch, CopiesElementsOfTheComponentBetweenTheDevices) {
  const World world;
  constexpr std::size_t component = 4;  // 12 bytes
  const Fetch fetch{.fromDevice = 1,
                    .toDevice = 0,
                    .from = {AgentArray::front, 1},
                    .to = {AgentArray::back, 0},
                    .count = 1,
                    .component = component};
  const FetchAddresses copy = addressesOf(fetch, world.ants);
  ASSERT_EQ(copy.bytes, 12U);
  std::memcpy(copy.to, copy.from, copy.bytes);
  std::array<char, 12> expected{}, copied{};
  world.ants.band(1).front[component].read(expected.data(), 12, 12);
  world.ants.band(0).back[component].read(copied.data(), 12, 0);
  EXPECT_EQ(copied, expected);
  EXPECT_NE(copied, (std::array<char, 12>{}));
}

TEST(AgentFetch, AListHasAFetchForEachComponentAndNoneWithoutElements) {
  const Fetch fetch{.fromDevice = 2,
                    .toDevice = 1,
                    .from = {AgentArray::back, 7},
                    .to = {AgentArray::front, 9},
                    .count = 3};
  std::vector<Fetch> fetches;
  append(fetches, fetch);
  appendComponents(fetches, fetch, 2);
  Fetch second = fetch;
  second.component = 1;
  EXPECT_EQ(fetches, (std::vector<Fetch>{fetch, fetch, second}));
  Fetch empty = fetch;
  empty.count = 0;
  append(fetches, empty);
  appendComponents(fetches, empty, 2);
  EXPECT_EQ(fetches.size(), 3U);
}

}  // namespace

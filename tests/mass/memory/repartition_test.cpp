#include <mass/memory/repartition.hpp>

#include <mass/support/error.hpp>

#include "../../support/little_memory.hpp"
#include "../../support/test_agents.hpp"
#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::RowPartition;
using mass::detail::DeviceConfig;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;
using mass::testing::elementAt;
using Rows = std::vector<std::int64_t>;

const std::int32_t seven = 7, outside = -1;

PlaceFields numbers(const DeviceConfig& devices, const mass::detail::Domain& domain) {
  auto constant = componentOf(seven, outside);
  constant.storage = mass::detail::Storage::single;
  PlaceFields fields(devices, domain, {componentOf(seven, outside), constant});
  mass::testing::setNumbers(fields, 0);
  return fields;
}

/// Compares every element of padding that rules may read, and the rows beyond the world.
void expectPadding(const PlaceFields& fields, int device) {
  const mass::detail::Layout& layout = fields.layout(device);
  const mass::RowRange band = fields.partition().range(device);
  const auto& domain = fields.domain();
  for (std::int64_t row = band.begin - layout.depth; row < band.end + layout.depth; ++row) {
    const std::int64_t from = mass::sourceOf(row, domain.shape[0], domain.borders[0]);
    if (from >= 0 && from != row) continue;  // ghost rows, which the halo exchange fills
    for (std::int64_t column = -layout.padding; column < layout.columns + layout.padding;
         ++column) {
      const std::int64_t there = mass::sourceOf(column, layout.columns, domain.borders[1]);
      const auto expected =
          static_cast<std::int32_t>(from < 0 || there < 0 ? -1 : row * layout.columns + there);
      EXPECT_EQ(elementAt(fields, 0, device, row, 0, column), expected) << row << ", " << column;
    }
  }
}

TEST(Repartition, TheStateAndTheBordersComeAlong) {
  const auto config = DeviceConfig::cpu(4, 6);
  for (const Border rows : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (const Border columns : {Border::periodic, Border::fixed, Border::mirrored}) {
      auto fields = numbers(config, domainOf({13, 5}, {rows, columns}, 3));
      const auto before = mass::testing::stateOf(fields);
      const std::uint64_t hash = hashOf(fields);
      for (const Rows& bands : {Rows{1, 1, 1, 10}, Rows{10, 1, 1, 1}, Rows{3, 5, 4, 1}}) {
        fields.allocateBackBuffer(0);
        fields.repartition(RowPartition::ofBands(bands));
        EXPECT_EQ(fields.partition().bands(), bands);
        EXPECT_FALSE(fields.hasBuffer(0, 1 - fields.front(0)));
        EXPECT_EQ(mass::testing::stateOf(fields), before);
        EXPECT_EQ(mass::testing::stateOf(fields, 1), std::vector<std::int32_t>(65, 7));
        EXPECT_EQ(hashOf(fields), hash);
        fields.allocateBackBuffer(0);
        fields.setFront(0,
                        1 - fields.front(0));  // both buffers hold the values beyond fixed borders
        for (int device = 0; device < 4; ++device) expectPadding(fields, device);
      }
    }
  }
}

/// Expects the value beyond a fixed border in all ghost rows of a device, also in those that a
/// single step does not read: beside the lines, beside the 3-D rows and beyond the world.
void expectOutsideOfGhostRows(const PlaceFields& fields, int component, int device) {
  const mass::detail::Layout& layout = fields.layout(device);
  const mass::RowRange band = fields.partition().range(device);
  const auto& domain = fields.domain();
  const bool isVolume = domain.dimensions == 3;
  const std::int64_t aside = isVolume ? layout.padding : 0;
  const Border across = domain.borders[isVolume ? 2 : 1];
  for (std::int64_t row = band.begin - layout.ghostRows; row < band.end + layout.ghostRows; ++row) {
    if (band.begin <= row && row < band.end) continue;
    const bool isBeyond = mass::sourceOf(row, domain.shape[0], domain.borders[0]) < 0;
    for (std::int64_t line = -aside; line < layout.lines + aside; ++line) {
      const bool isBeside = isVolume && mass::sourceOf(line, layout.lines, domain.borders[1]) < 0;
      for (std::int64_t column = -layout.padding; column < layout.columns + layout.padding;
           ++column) {
        if (!isBeyond && !isBeside && mass::sourceOf(column, layout.columns, across) >= 0) continue;
        ASSERT_EQ(elementAt(fields, component, device, row, line, column), outside)
            << "device " << device << ", row " << row << ", line " << line << ", column " << column;
      }
    }
  }
}

TEST(Repartition, KeepsTheValuesBeyondBordersInAllGhostRows) {
  const auto config = DeviceConfig::cpu(3, 4);
  const std::vector<Border> borders{Border::periodic, Border::fixed, Border::mirrored};
  for (const Border rows : borders) {
    for (const Border lines : borders) {
      for (const Border columns : borders) {
        auto plane = domainOf({18, 5}, {rows, columns}, 2);
        auto volume = domainOf({18, 4, 5}, {rows, lines, columns}, 1);
        for (auto* const domain : {&plane, &volume}) {
          domain->ghostRows = 6;
          auto fields = numbers(config, *domain);
          for (const Rows& bands : {Rows{6, 4, 8}, Rows{1, 16, 1}, Rows{7, 6, 5}}) {
            fields.repartition(RowPartition::ofBands(bands));
            fields.allocateBackBuffer(0);
            for (int device = 0; device < 3; ++device) {
              for (const int component : {0, 1})
                expectOutsideOfGhostRows(fields, component, device);
              fields.setFront(0, 1 - fields.front(0));  // both buffers
              expectOutsideOfGhostRows(fields, 0, device);
            }
          }
        }
      }
    }
  }
}

TEST(Repartition, KeepsTheValuesBeyondBordersOfInterleavedComponents) {
  const auto config = DeviceConfig::cpu(2, 3);
  auto domain = domainOf({12, 3, 5}, {Border::fixed, Border::fixed, Border::fixed}, 1);
  domain.ghostRows = 4;
  domain.interleave = 2;
  auto components = mass::testing::interleavedComponents(2, seven, outside);
  components.push_back(componentOf(seven, outside));
  PlaceFields fields(config, domain, std::move(components));
  fields.repartition(RowPartition::ofBands(Rows{3, 9}));
  for (const int device : {0, 1})
    for (const int component : {0, 1, 2}) expectOutsideOfGhostRows(fields, component, device);
}

TEST(Repartition, MovesInterleavedComponentsTogether) {
  const auto config = DeviceConfig::cpu(3, 5);
  auto domain = domainOf({9, 3, 5}, {Border::fixed, Border::mirrored, Border::periodic}, 2);
  domain.interleave = 3;
  PlaceFields fields(config, domain, mass::testing::interleavedComponents(3, seven, outside));
  mass::testing::setNumbers(fields, 0);
  mass::testing::setNumbers(fields, 2);
  fields.allocateBackBuffer(0);
  for (int component = 0; component < 3; ++component) fields.setFront(component, 1);
  const auto before = mass::testing::stateOf(fields);
  const std::uint64_t hash = hashOf(fields);
  for (const Rows& bands : {Rows{1, 1, 7}, Rows{6, 2, 1}}) {
    fields.repartition(RowPartition::ofBands(bands));
    for (const int component : {0, 2}) EXPECT_EQ(mass::testing::stateOf(fields, component), before);
    EXPECT_EQ(mass::testing::stateOf(fields, 1), std::vector<std::int32_t>(135, 7));
    EXPECT_EQ(hashOf(fields), hash);
    EXPECT_EQ(elementAt(fields, 2, 0, 0, 0, 5), elementAt(fields, 2, 0, 0, 0, 0));
    EXPECT_EQ(elementAt(fields, 1, 0, -1, 1, 1), outside);
  }
}

// A device without rows does not know which ghost rows the others have refreshed meanwhile.
TEST(Repartition, LeavesDevicesIdleAndReturnsWithOldGhosts) {
  const auto config = DeviceConfig::cpu(3, 3);
  for (const Border border : {Border::fixed, Border::mirrored, Border::periodic}) {
    auto fields = numbers(config, domainOf({9, 4}, {border, border}, 2));
    const auto before = mass::testing::stateOf(fields);
    const std::uint64_t hash = hashOf(fields);
    for (const Rows& bands : {Rows{9, 0, 0}, Rows{0, 0, 9}, Rows{3, 0, 6}}) {
      fields.repartition(RowPartition::withIdle(bands));
      EXPECT_EQ(mass::testing::stateOf(fields), before);
      EXPECT_EQ(hashOf(fields), hash);
      fields.setStale(0, false);
      fields.repartition(RowPartition::ofBands(Rows{4, 1, 4}));
      EXPECT_TRUE(fields.stale(0));
      EXPECT_EQ(mass::testing::stateOf(fields), before);
    }
  }
}

TEST(Repartition, GhostsAreNoMoreOutOfDateThanTheyWere) {
  const auto config = DeviceConfig::cpu(3, 3);
  auto fields = numbers(config, domainOf({9, 4}, {Border::fixed, Border::fixed}, 2));
  fields.setStale(0, false);  // pretends that they were refreshed
  fields.setStale(1, true);
  fields.repartition(RowPartition::ofBands(Rows{1, 1, 7}));
  EXPECT_FALSE(fields.stale(0));
  EXPECT_TRUE(fields.stale(1));
  for (int device = 0; device < 3; ++device) {
    const mass::RowRange band = fields.partition().range(device);
    for (std::int64_t row = band.begin - 2; row < band.end + 2; ++row) {
      const auto expected = static_cast<std::int32_t>(row < 0 || row >= 9 ? -1 : row * 4 + 1);
      EXPECT_EQ(elementAt(fields, 0, device, row, 0, 1), expected) << device << ", row " << row;
    }
  }
}

TEST(Repartition, EveryLayoutOfAWorld) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const auto below = [&](unsigned bound) { return static_cast<std::int64_t>(random() % bound); };
    const int devices = 1 + static_cast<int>(below(5));
    const auto config = DeviceConfig::cpu(devices, devices + 1);
    std::vector<std::int64_t> shape{devices + below(20)};
    for (auto axes = below(3); axes > 0; --axes) shape.push_back(1 + below(500));
    auto fields = numbers(config, domainOf(shape, {}, static_cast<int>(below(4))));
    const auto before = mass::testing::stateOf(fields);
    std::vector<double> weights;
    for (int device = 0; device < devices; ++device) {
      weights.push_back(1 + static_cast<double>(below(9)));
    }
    fields.repartition(RowPartition(shape[0], weights));
    ASSERT_EQ(mass::testing::stateOf(fields), before);
  }
}

TEST(Repartition, WhatDoesNotFitTheWorldIsAnErrorAndChangesNothing) {
  const auto config = DeviceConfig::cpu(3, 3);
  auto fields = numbers(config, domainOf({9, 4}, {}, 1));
  const auto before = fields.partition();
  for (const Rows& bands : {Rows{3, 3, 4}, Rows{4, 5}, Rows{2, 2, 2, 3}}) {
    EXPECT_THROW(fields.repartition(RowPartition::ofBands(bands)), mass::UsageError);
    EXPECT_EQ(fields.partition(), before);
  }
}

TEST(Repartition, AgentsGoWhereTheirPlacesGo) {
  const auto config = DeviceConfig::cpu(3, 3);
  auto places = numbers(config, domainOf({9, 4}, {}, 1));
  const std::int64_t wealth = 0;
  mass::detail::AgentFields agents(
      places, {"Ant", {mass::testing::componentOf(wealth, wealth)}, 1, 1, 0, 0, false});
  EXPECT_EQ(agents.bytes() > 0, true);
  mass::detail::AgentFields* const residents[] = {&agents};
  mass::detail::repartition(places, residents, RowPartition::ofBands(Rows{1, 7, 1}));
  EXPECT_EQ(agents.band(1).bins.rows, 7);
  EXPECT_EQ(agents.band(1).bins.firstRow, 1);
  EXPECT_EQ(agents.alive(), 0);
  EXPECT_THROW(mass::detail::repartition(places, residents, RowPartition::ofBands(Rows{1, 8})),
               mass::UsageError);
  EXPECT_EQ(agents.band(1).bins.rows, 7);
}

/// Agent with its requests, without its device.
struct Ant {
  std::uint64_t id = 0;
  std::int64_t place = 0, target = 0;
  std::uint8_t births = 0;
  std::vector<std::int64_t> birthplaces{};
  std::vector<char> values{}, children{};

  friend bool operator==(const Ant&, const Ant&) = default;
};

constexpr std::int64_t offspring = 2;

/// Returns all agents in their global order.
std::vector<Ant> antsOf(const mass::detail::AgentFields& agents) {
  std::vector<Ant> ants;
  for (int device = 0; device < agents.devices(); ++device) {
    const mass::detail::AgentBand& band = agents.band(device);
    for (std::int64_t i = 0; i < band.own; ++i) {
      Ant& ant = ants.emplace_back();
      std::int32_t bin = 0;
      band.ids.read(&ant.id, 1, i);
      band.bin.read(&bin, 1, i);
      ant.place = band.bins.place(bin);
      band.targets.read(&ant.target, 1, i);
      band.births.read(&ant.births, 1, i);
      ant.birthplaces.resize(offspring);
      band.birthplaces.read(ant.birthplaces.data(), offspring, i * offspring);
      for (std::size_t k = 0; k < band.front.size(); ++k) {
        const auto size = static_cast<std::int64_t>(mass::testing::agentComponentSizes[k]);
        std::vector<char> bytes(static_cast<std::size_t>((1 + offspring) * size));
        band.front[k].read(bytes.data(), size, i * size);
        band.children[k].read(bytes.data() + size, offspring * size, i * offspring * size);
        ant.values.insert(ant.values.end(), bytes.begin(), bytes.begin() + size);
        ant.children.insert(ant.children.end(), bytes.begin() + size, bytes.end());
      }
    }
  }
  return ants;
}

/// Gives each agent requests that follow from its identity.
void addRequests(mass::detail::AgentFields& agents) {
  for (int device = 0; device < agents.devices(); ++device) {
    mass::detail::AgentBand& band = agents.band(device);
    for (std::int64_t i = 0; i < band.own; ++i) {
      std::uint64_t id = 0;
      band.ids.read(&id, 1, i);
      const auto target = static_cast<std::int64_t>(5 * id % 36);
      const auto births = static_cast<std::uint8_t>(id % 3);
      const std::int64_t birthplaces[offspring] = {static_cast<std::int64_t>(id % 36),
                                                   static_cast<std::int64_t>(7 * id % 36)};
      band.targets.write(&target, 1, i);
      band.births.write(&births, 1, i);
      band.birthplaces.write(birthplaces, offspring, i * offspring);
      for (std::size_t k = 0; k < band.children.size(); ++k) {
        const auto size = static_cast<std::int64_t>(mass::testing::agentComponentSizes[k]);
        const std::vector<char> child(static_cast<std::size_t>(offspring * size),
                                      static_cast<char>(id + 50 * k));
        band.children[k].write(child.data(), offspring * size, i * offspring * size);
      }
    }
  }
  agents.hasIntents = true;
}

/// Expects that AgentBand::first and AgentBand::edges agree with the bins of the agents.
void expectBins(const mass::detail::AgentBand& band) {
  std::vector<std::int32_t> bins(static_cast<std::size_t>(band.own)),
      first(static_cast<std::size_t>(band.bins.size()) + 1);
  band.bin.read(bins.data(), band.own);
  band.first.read(first.data(), static_cast<std::int64_t>(first.size()));
  EXPECT_TRUE(std::is_sorted(bins.begin(), bins.end()));
  for (std::int32_t bin = 0; bin <= static_cast<std::int32_t>(band.bins.size()); ++bin) {
    const auto before = std::lower_bound(bins.begin(), bins.end(), bin) - bins.begin();
    EXPECT_EQ(first[static_cast<std::size_t>(bin)], before) << bin;
  }
  ASSERT_EQ(band.edges.size(), band.edgeBins.size());
  for (std::size_t i = 0; i < band.edges.size(); ++i)
    EXPECT_EQ(band.edges[i], first[static_cast<std::size_t>(band.edgeBins[i])]) << i;
}

TEST(Repartition, AgentsKeepTheirPlacesAttributesAndRequests) {
  const auto config = DeviceConfig::cpu(4, 4);
  // Several agents on a place, and rows without agents.
  std::vector<mass::detail::NewAgent> newAgents;
  for (std::uint64_t id = 0; id < 23; ++id)
    newAgents.push_back({static_cast<std::int64_t>(id * id % 7 * 5), 100 - id});
  const auto values = mass::testing::distinctAgentValues(newAgents.size());
  for (const Border border : {Border::periodic, Border::fixed}) {
    for (const bool haveRequests : {true, false}) {
      auto places = numbers(config, domainOf({9, 4}, {border, border}, 2));
      auto agents = mass::testing::makeTestAgents(places, 2);
      mass::testing::setAgents(agents, newAgents, values);
      if (haveRequests) addRequests(agents);
      mass::detail::AgentFields* const residents[] = {&agents};
      const std::vector<Ant> before = antsOf(agents);
      const std::uint64_t hash = hashOf(agents);
      for (const Rows& bands : {Rows{1, 1, 1, 6}, Rows{6, 1, 1, 1}, Rows{2, 4, 2, 1}}) {
        mass::detail::repartition(places, residents, RowPartition::ofBands(bands));
        agents.ghostsStale = false;
        EXPECT_EQ(antsOf(agents), before);
        EXPECT_EQ(hashOf(agents), hash);
        EXPECT_EQ(mass::detail::haveRequests(agents), haveRequests);
        for (int device = 0; device < 4; ++device) {
          EXPECT_EQ(agents.band(device).bins.rows, bands[static_cast<std::size_t>(device)]);
          expectBins(agents.band(device));
        }
      }
    }
  }
}

TEST(Repartition, MakesGhostAgentsStale) {
  const auto config = DeviceConfig::cpu(3, 3);
  auto places = numbers(config, domainOf({9, 4}, {}, 1));
  auto agents = mass::testing::makeTestAgents(places, 1);
  mass::testing::setAgents(agents, {{5, 1}}, mass::testing::distinctAgentValues(1));
  agents.ghostsStale = false;
  mass::detail::AgentFields* const residents[] = {&agents};
  mass::detail::repartition(places, residents, RowPartition::ofBands(Rows{1, 7, 1}));
  EXPECT_TRUE(agents.ghostsStale);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Repartition, WithoutEnoughMemoryAllIsWhereItWas) {
  const auto config = DeviceConfig::cpu(2, 2);
  PlaceFields fields(config, domainOf({16, 1 << 20}, {}, 1), {componentOf(seven, outside)});
  mass::testing::setNumbers(fields);
  const std::uint64_t hash = hashOf(fields);
  const auto before = fields.partition();
  {
    const mass::testing::LittleMemory most(std::size_t{32} << 20);  // 80 MB are needed
    EXPECT_THROW(fields.repartition(RowPartition::ofBands(Rows{2, 14})), mass::DeviceError);
  }
  EXPECT_EQ(fields.partition(), before);
  EXPECT_EQ(hashOf(fields), hash);
  fields.repartition(RowPartition::ofBands(Rows{2, 14}));
  EXPECT_EQ(hashOf(fields), hash);
}

TEST(Repartition, FreesBackBuffersForNewFrontBuffers) {
  const auto config = DeviceConfig::cpu(2, 2);
  PlaceFields fields(config, domainOf({16, 1 << 20}, {}, 1), {componentOf(seven, outside)});
  fields.allocateBackBuffer(0);
  const mass::testing::LittleMemory most(std::size_t{32} << 20);  // 80 MB are given back
  fields.repartition(RowPartition::ofBands(Rows{2, 14}));
  EXPECT_EQ(fields.layout(1).rows, 14);
}
#endif

}  // namespace

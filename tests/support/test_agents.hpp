#pragma once

#include "test_fields.hpp"

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/memory/agent_fields.hpp>
#include <mass/memory/agent_io.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::testing {

/// Bytes of the components of the test's agents: all sizes of numbers, and one of no number.
inline const std::vector<std::size_t> agentComponentSizes{1, 2, 4, 8, 12};

/// Returns agents with the components of agentComponentSizes and up to two children.
inline detail::AgentFields makeTestAgents(const detail::PlaceFields& places, int reach) {
  std::vector<detail::Component> components;
  for (const std::size_t size : agentComponentSizes)
    components.push_back({size, std::vector<char>(size), std::vector<char>(size)});
  return {places, {"Ant", std::move(components), reach, 1, 0, 2, false}};
}

/// Values of the components of `count` agents, all of which differ.
inline std::vector<std::vector<char>> distinctAgentValues(std::size_t count) {
  std::vector<std::vector<char>> values;
  unsigned number = 1;
  for (const std::size_t size : agentComponentSizes) {
    std::vector<char>& component = values.emplace_back(size * count);
    for (char& byte : component) byte = static_cast<char>(number++ * 37 % 251);
  }
  return values;
}

/// Replaces the agents. @param values by component, in the order of `newAgents`
inline void setAgents(detail::AgentFields& agents, const std::vector<detail::NewAgent>& newAgents,
                      const std::vector<std::vector<char>>& values) {
  std::vector<const void*> initial;
  for (const auto& component : values) initial.push_back(component.data());
  createAgents(agents, newAgents, initial);
}

}  // namespace mass::testing

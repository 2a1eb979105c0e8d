#pragma once

#include <mass/memory/agent_fields.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mass::detail {

/// Agent to be created.
struct NewAgent {
  std::int64_t place = 0;  ///< number of its place in the world
  std::uint64_t id = 0;    ///< identity, unique in its class, less than 2^40
};

/// Returns the coordinates of a place as text, such as "(3, 0)".
/// @param place number of the place in the world
std::string placeText(std::int64_t place, const Domain& domain);

/// Replaces all agents by `newAgents`. All ranks call it together.
/// @param newAgents all new agents, or at least those on the rows of this rank
/// @param initial by component: pointer to the initial values, in the order of `newAgents`
/// @throws UsageError if a place is outside the world or exceeds its capacity, or an identity is
///   duplicate or 2^40 or more.
/// @throws DeviceError if memory is exhausted.
void createAgents(AgentFields& agents, const std::vector<NewAgent>& newAgents,
                  const std::vector<const void*>& initial);

}  // namespace mass::detail

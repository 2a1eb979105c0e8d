#pragma once

#include <mass/memory/agent_fields.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mass::detail {

/// An agent to be, at a place given by its number in the world.
struct NewAgent {
  std::int64_t place = 0;
  std::uint64_t id = 0;
};

/// The coordinates of the place of a number, as "(3, 0)", for messages.
std::string placeText(std::int64_t place, const Domain& domain);

/// Makes these the agents, in place of those there were. `initial` has a pointer for each component
/// to its values, in the order of the newcomers. @throws UsageError when a place is outside the
/// world or holds more than its capacity, or an identity is there twice or is 2^40 or more.
void createAgents(AgentFields& agents, const std::vector<NewAgent>& newAgents,
                  const std::vector<const void*>& initial);

}  // namespace mass::detail

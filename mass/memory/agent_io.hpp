#pragma once

#include <mass/memory/agent_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

// All ranks call these functions together.

/// Completes an array with an entry for each agent, in the global order of agents, of which each
/// rank has written the entries of its own agents.
/// @param entryBytes bytes of an entry @param packed the array
void gatherAgents(const AgentFields& agents, std::size_t entryBytes, void* packed);
/// Returns the identities of all agents, in the global order of agents: by place, then by identity.
/// The order does not depend on the number of devices.
std::vector<std::uint64_t> agentIds(const AgentFields& agents);
/// Returns the global index of the place of each agent, in the global order of agents.
std::vector<std::int64_t> agentPlaces(const AgentFields& agents);
/// Returns the prefix sums of the agents of each row: element i is the number of agents on rows [0,
/// i), the last element the number of all agents.
std::vector<std::int64_t> agentsBeforeRows(const AgentFields& agents);
/// Copies a component of all agents to host memory, in the global order of agents.
void readAgents(const AgentFields& agents, int component, void* packed);
/// Copies a component of the agents of this rank from host memory, which has that of all agents;
/// the inverse of readAgents(). Marks ghosts as out of date.
void writeAgents(AgentFields& agents, int component, const void* packed);

/// True if an agent requests a move, its death or a child in the next manageAll.
bool haveRequests(const AgentFields& agents);

/// Returns a hash of the state of all agents; it does not depend on the number of devices or
/// threads.
std::uint64_t hashOf(const AgentFields& agents);

}  // namespace mass::detail

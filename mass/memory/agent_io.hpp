#pragma once

#include <mass/memory/agent_fields.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// The identities of all agents, in the order of their places and, on a place, of themselves: the
/// order of all agents, the same on every number of devices.
std::vector<std::uint64_t> agentIds(const AgentFields& agents);
/// The numbers in the world of the places they are on.
std::vector<std::int64_t> agentPlaces(const AgentFields& agents);
/// By row of the world: how many are on the rows before it; one more at the end, how many in all.
std::vector<std::int64_t> agentsBeforeRows(const AgentFields& agents);
/// Copies one component of all agents out.
void readAgents(const AgentFields& agents, int component, void* packed);
/// The opposite. Ghosts are out of date afterwards.
void writeAgents(AgentFields& agents, int component, const void* packed);

/// A hash of the state of all agents: the same for every number of devices and threads.
std::uint64_t hashOf(const AgentFields& agents);

}  // namespace mass::detail

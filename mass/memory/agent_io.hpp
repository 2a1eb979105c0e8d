#pragma once

#include <mass/memory/agent_fields.hpp>
#include <mass/support/export.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace mass::detail {

// All ranks call these functions together.

/// Value of agents: its size, and the access to that of the agents of a device.
struct AgentColumn {
  std::size_t bytes = 0;  ///< bytes of the value of an agent
  /// Copies the values of own agents [first, first + count) of a band to host memory.
  std::function<void(const AgentBand& band, std::int64_t first, std::int64_t count, char* packed)>
      read;
};
/// Returns the identities: std::uint64_t.
AgentColumn idColumn();
/// Returns the global indices of the places of the agents: std::int64_t.
AgentColumn placeColumn(const AgentFields& agents);
/// Returns a component of an attribute.
MASS_EXPORT AgentColumn componentColumn(const AgentFields& agents, int component);

// The global order of agents is by place, then by identity. It does not depend on the number of
// devices. Their order by row differs from it for the nodes of a network whose rows are in another
// order.

/// Returns the number of agents on the devices of this rank.
MASS_EXPORT std::int64_t localAgentCount(const AgentFields& agents);
/// Returns the number of the first agent of this rank in the order by row.
MASS_EXPORT std::int64_t firstLocalAgent(const AgentFields& agents);
/// Completes an array with an entry for each agent, in the order by row, of which each rank has
/// written the entries of its own agents, and puts it into the global order.
/// @param entryBytes bytes of an entry @param packed the array
MASS_EXPORT void gatherAgents(const AgentFields& agents, std::size_t entryBytes, void* packed);
/// Returns the range, in the global order, of the agents that this rank reports: its own ones; if
/// the rows of nodes are in another order, all on rank 0 and none on others.
MASS_EXPORT RowRange reportedAgents(const AgentFields& agents);
/// Returns the values of reportedAgents(), in the global order.
/// @param own values of the agents of this rank, in the order by row
/// @param length number of elements of an agent
template <class T>
std::vector<T> reported(const AgentFields& agents, std::vector<T> own, std::size_t length = 1) {
  if (!agents.places().areOrdered()) return own;
  std::vector<T> all(static_cast<std::size_t>(agents.alive()) * length);
  std::copy(own.begin(), own.end(),
            all.begin() + firstLocalAgent(agents) * static_cast<std::int64_t>(length));
  gatherAgents(agents, sizeof(T) * length, all.data());
  if (reportedAgents(agents).size() == 0) all.clear();
  return all;
}
/// Copies the values of all agents to host memory of every rank, in the global order of agents.
MASS_EXPORT void readAgents(const AgentFields& agents, const AgentColumn& column, void* packed);
/// Copies the values of reportedAgents() to host memory, in the global order of agents.
std::vector<char> readReportedAgents(const AgentFields& agents, const AgentColumn& column);
/// Copies the values of agents [first, first + count) of the global order to host memory. Rank 0
/// gets all of them; other ranks use `packed` for those of their own agents.
void readAgentsOnFirstRank(const AgentFields& agents, const AgentColumn& column, std::int64_t first,
                           std::int64_t count, void* packed);
/// Returns the identities of all agents, in the global order of agents.
MASS_EXPORT std::vector<std::uint64_t> agentIds(const AgentFields& agents);
/// Returns the global index of the place of each agent, in the global order of agents.
MASS_EXPORT std::vector<std::int64_t> agentPlaces(const AgentFields& agents);
/// Returns the prefix sums of the agents of each row: element i is the number of agents on rows [0,
/// i), the last element the number of all agents.
std::vector<std::int64_t> agentsBeforeRows(const AgentFields& agents);
/// Copies a component of the agents of this rank from host memory, which has that of all agents;
/// the inverse of readAgents(). Marks ghosts as out of date.
MASS_EXPORT void writeAgents(AgentFields& agents, int component, const void* packed);
/// Copies the summary of each band, except its bins, from its owner to all other ranks.
void shareSummaries(AgentFields& agents);

/// True if an agent requests a move, its death or a child in the next manageAll.
MASS_EXPORT bool haveRequests(const AgentFields& agents);

/// Returns a hash of the state of all agents; it does not depend on the number of devices or
/// threads.
MASS_EXPORT std::uint64_t hashOf(const AgentFields& agents);

}  // namespace mass::detail

#pragma once

#include <mass/memory/agent_fetch.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstdint>
#include <vector>

// Agents of ghost rows and their copies. They follow from the summaries of all devices alone, so
// that each process computes the same for any device.

namespace mass::detail::migration {

/// Agents and bins of ghost rows that a device copies from one other device.
struct GhostTransfer {
  int fromDevice = 0;
  std::int64_t fromAgent = 0, toAgent = 0, agents = 0;  ///< first agents there and here; number
  std::int64_t fromBin = 0, toBin = 0, bins = 0;        ///< first bins there and here; number
};

/// Returns the transfers to a device, in order of their bins there. Its ghosts follow its own
/// agents.
std::vector<GhostTransfer> ghostTransfers(const AgentFields& agents, int device);
/// Returns the number of ghosts of a device.
std::int64_t ghostCount(const AgentFields& agents, int device);
/// Returns the copies of ghosts to a device, and of the first agents of the bins after each of
/// their bins to AgentBand::nextFirst.
std::vector<Fetch> ghostFetches(const AgentFields& agents, int device);

}  // namespace mass::detail::migration

#pragma once

#include <mass/dispatch/agent_kernel.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstdint>

namespace mass::detail::migration {

/// Checks the result of a migration.
/// @param census numbers of agents, for messages
/// @param identities checksum of identities, see Count; 0 if no agent was lost or duplicated
/// @param invalidRequests number of intents that were invalid
/// @throws Error if the checksum is not 0.
/// @throws UsageError if an intent was invalid, or identities have reached 2^40.
void check(const AgentFields& agents, const Census& census, std::uint64_t identities,
           std::uint64_t invalidRequests);

/// Checks the distances at which rules on GPUs have read agents.
/// @param farthest distance in places that exceeded the reach of the agents; 0 if none did
/// @throws UsageError if `farthest` is not 0.
void checkFarthest(const AgentFields& agents, int farthest);

/// Restores the scratch memory after a failed migration, marks ghosts stale, and rethrows the
/// exception being handled. Call it from a catch block.
/// @throws DeviceError instead of std::bad_alloc.
[[noreturn]] void rollBack(AgentFields& agents);

}  // namespace mass::detail::migration

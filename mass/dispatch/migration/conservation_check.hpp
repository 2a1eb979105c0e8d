#pragma once

#include <mass/dispatch/agent_kernel.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstdint>

namespace mass::detail::migration {

/// After management. @param identities 0 when none was lost or doubled. @param erring how many
/// agents wanted what they may not. @throws as AgentExecutor::manage.
void check(const AgentFields& agents, const Census& census, std::uint64_t identities,
           std::uint64_t invalidRequests);

/// After rules on GPUs have read agents, one of them as far as `farthest` places, or 0 if all
/// within their reach. @throws UsageError when that is too far.
void checkFarthest(const AgentFields& agents, int farthest);

/// For a catch block: makes all as it was before a management that failed, but for ghosts, and
/// throws again, in words when memory has ended.
[[noreturn]] void rollBack(AgentFields& agents);

}  // namespace mass::detail::migration

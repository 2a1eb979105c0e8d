#pragma once

#include <mass/dispatch/agent_kernel.hpp>
#include <mass/dispatch/kernel.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <functional>
#include <span>

// Rules that act together: all read the state before.

namespace mass::detail {

struct Engine;
struct PlacesState;
struct AgentsState;

/// Calls `rules`, and makes the changes by the rules that it calls the state afterwards.
/// @throws UsageError if it is called by itself; what `rules` throws, without any change of the
/// state
MASS_EXPORT void runTogether(Engine& engine, const std::function<void()>& rules);

/// Prepares kernels for rules that act together: their results go to back buffers. Does nothing if
/// they do not.
/// @throws UsageError if the rules cannot, or the places have been changed together with others
void prepareTogether(const PlacesState& places, std::span<Kernel> turn, std::int64_t turns);
void prepareTogether(const AgentsState& agents, AgentKernel& kernel);

}  // namespace mass::detail

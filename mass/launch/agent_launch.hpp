#pragma once

#include <mass/launch/launch.hpp>
#include <mass/memory/agent_view.hpp>

#include <cstdint>

namespace mass::detail {

/// Threads of a GPU that share what a rule adds up for an agent, if they do; a power of 2.
inline constexpr int sharedLanes = 4;

class PlaceFields;

/// The agents of class A over all devices, as a rule that reads them is told of them.
template <class A>
struct AgentSource {
  const PlaceFields* home = nullptr;  ///< where they live
  const AgentView* byDevice = nullptr;
};

/// What a rule of agents is given on one device.
struct AgentLaunch {
  /// Of the places that the agents live on, to be read; but step, population and arguments are
  /// those of the agents' rule.
  Launch places;
  AgentView agents;
  /// On a GPU: how many there are, where the host only knows that there are no more than the rule
  /// is run for; or null.
  const std::uint64_t* alive = nullptr;
  bool isShared = false;  ///< on a GPU: by `sharedLanes` threads an agent, if the rule can be
  const std::int32_t* bin = nullptr;    ///< by agent
  void* const* out = nullptr;           ///< by component; may be agents.components
  std::int64_t* targets = nullptr;      ///< by agent; null for a rule without intents
  std::uint8_t* births = nullptr;       ///< by agent: how many children
  void* const* children = nullptr;      ///< by component: `offspring` elements for each agent
  std::int64_t* birthplaces = nullptr;  ///< by child: the number of a place in the world
  void* results = nullptr;              ///< of a reading rule: one value an agent
};

/// Runs a rule on the agents [begin, end) of a device.
using AgentKernelFunction = void (*)(const AgentLaunch&, std::int64_t begin, std::int64_t end);

/// A rule of agents as GPUs run it.
struct GpuAgentKernel {
  /// Queues the rule for the first `count` agents of a device on a stream. Pointers to pointers in
  /// the launch are in the host's memory. Returns CUDA's status.
  int (*launch)(const AgentLaunch&, std::int64_t count, void* stream) = nullptr;
};

}  // namespace mass::detail

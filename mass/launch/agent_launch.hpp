#pragma once

#include <mass/launch/launch.hpp>
#include <mass/launch/scale.hpp>
#include <mass/memory/agent_view.hpp>

#include <array>
#include <cstdint>

namespace mass::detail {

/// Number of GPU threads that share the sums of one agent (see AgentLaunch::isShared); a power of
/// 2.
inline constexpr int sharedLanes = 4;

struct AgentsState;

/// Agents that a rule reads.
struct AnyAgentSource {
  AgentsState* agents = nullptr;
  const AgentView* byDevice = nullptr;  ///< set by prepareArguments()
  bool isPrey = false;                  ///< the rule may take them
  Scale scale = Scale::same;            ///< their places, compared with those of the rule
  std::array<AxisRatio, 3>
      ratio{};  ///< ratios of rows, lines and columns; set by prepareArguments()
};

/// Agents of class A on all devices: the argument of a rule that reads agents.
template <class A>
struct AgentSource : AnyAgentSource {};

/// AgentSource of agents on finer or coarser places than those of the rule.
template <class A, Scale scale_>
struct ScaledAgentSource : AnyAgentSource {};

/// AgentSource of agents that the rule of another class takes.
template <class A>
struct PreySource : AnyAgentSource {};

/// Parameters of a kernel that runs a rule of agents on one device.
struct AgentLaunch {
  /// Read access to the places that the agents live on. `step`, `population` and `arguments` are
  /// those of the agents' rule.
  Launch places;
  AgentView agents;
  /// On a GPU: number of agents, if the host knows an upper bound (`count` of the launch) only;
  /// else null.
  const std::uint64_t* alive = nullptr;
  bool isShared = false;  ///< on a GPU: `sharedLanes` threads run the rule for one agent
  const std::int32_t* bin = nullptr;  ///< by agent: number of its bin in the band
  void* const* out = nullptr;         ///< by component; may be agents.components
  /// By agent: number of the place that it moves to; null for a rule without intents.
  std::int64_t* targets = nullptr;
  std::uint8_t* births = nullptr;       ///< by agent: number of its children
  void* const* children = nullptr;      ///< by component: `offspring` elements for each agent
  std::int64_t* birthplaces = nullptr;  ///< by child: number of its place in the world
  void* results = nullptr;              ///< result of a reading rule: one value for each agent
};

/// Runs a rule on the agents [begin, end) of a device.
using AgentKernelFunction = void (*)(const AgentLaunch&, std::int64_t begin, std::int64_t end);

/// GPU kernel of a rule of agents.
struct GpuAgentKernel {
  /// Queues the rule for the first `count` agents of a device on a stream (a cudaStream_t). Arrays
  /// of pointers in the launch lie in host memory. Returns a cudaError_t.
  int (*launch)(const AgentLaunch&, std::int64_t count, void* stream) = nullptr;
};

}  // namespace mass::detail

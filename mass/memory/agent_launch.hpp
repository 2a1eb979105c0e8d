#pragma once

#include <mass/memory/bins.hpp>
#include <mass/memory/launch.hpp>

#include <cstdint>

namespace mass {

/// Agents that rules on GPUs look at together, the first of which has a number that is a multiple
/// of theirs. So they load some that are not there, after the last.
inline constexpr int lookedAtTogether = 4;
/// Threads of a GPU that share what a rule adds up for an agent, if they do; a power of 2.
inline constexpr int sharedLanes = 4;

/// The agents of one class on one device, as kernels read them: sorted by bin, and in a bin by
/// identity; agents of ghost rows after the band's own.
struct AgentView {
  Bins bins;
  const void* const* components = nullptr;  ///< the state before the rule under way
  const std::uint64_t* ids = nullptr;
  const std::int32_t* first = nullptr;  ///< by bin: its first agent; one more at the end
  /// On a GPU, which cannot throw: where a rule that looks further than the class's reach says how
  /// far, in the host's memory.
  int* farthest = nullptr;
};

class PlaceFields;

/// The agents of class A over all devices, as a rule that reads them is told of them.
template <class A>
struct AgentSource {
  const PlaceFields* home = nullptr;  ///< where they live
  const AgentView* byDevice = nullptr;
};

/// What an agent's intent means for manageAll: the number of a place in the world, or one of these.
inline constexpr std::int64_t stays = -1;
inline constexpr std::int64_t dies = -2;
/// It wants what it may not: GPUs cannot throw, so manageAll does.
inline constexpr std::int64_t errs = -3;
/// To go to a place drawn of all that have room.
inline constexpr std::int64_t seeks = -4;
/// It was to have such a place, and there were too few: what manageAll makes of `seeks`.
inline constexpr std::int64_t foundNone = -5;

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

}  // namespace mass

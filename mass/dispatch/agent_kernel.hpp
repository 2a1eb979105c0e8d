#pragma once

#include <mass/launch/agent_launch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Compiled rule of agents with its arguments.
struct AgentKernel {
  AgentKernelFunction function = nullptr;  ///< runs the rule on CPUs
  const GpuAgentKernel* gpu = nullptr;     ///< null if the model was not compiled for GPUs
  const void* arguments = nullptr;         ///< tuple of the rule's arguments, in host memory
  bool readsPlaces = false;                ///< requires fresh halos of the places
  std::vector<std::vector<std::int64_t>> neighborSteps{};  ///< see Kernel::neighborSteps
  bool hasIntents = false;   ///< the rule may request moves, deaths or births
  bool inPlace = false;      ///< writes the front buffers; no back buffers are used
  bool reads = false;        ///< reading rule: returns one value per agent
  std::vector<int> written;  ///< components that the rule writes; empty for a reading rule
  std::vector<int> taken{};  ///< components of the places that the agents take from
  /// Reading rule: one value per agent of this rank, by device, then number.
  void* results = nullptr;
  std::size_t resultBytes = 0;  ///< bytes of one value

  /// True if the rule reads the places that it changes: their next state goes to back buffers.
  bool takesBesideReads() const { return readsPlaces && !taken.empty(); }
};

}  // namespace mass::detail

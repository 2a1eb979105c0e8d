#pragma once

#include <mass/launch/agent_launch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// A rule of agents made ready to run.
struct AgentKernel {
  AgentKernelFunction function = nullptr;
  const GpuAgentKernel* gpu = nullptr;  ///< null when the model was not compiled for GPUs
  const void* arguments = nullptr;
  bool readsPlaces = false;  ///< then the ghosts of the places must be up to date
  std::vector<std::vector<std::int64_t>> neighborSteps{};  ///< as a Kernel has them
  bool hasIntents = false;   ///< it may ask for something that management does
  bool inPlace = false;      ///< then there is no next state beside the old one
  bool reads = false;        ///< it only reads, and gives a value
  std::vector<int> written;  ///< components it changes; empty for a reading rule
  void* results = nullptr;   ///< of a reading rule: one value an agent, in the order of all agents
  std::size_t resultBytes = 0;  ///< of a value
};

}  // namespace mass::detail

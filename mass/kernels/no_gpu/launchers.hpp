#pragma once

// Replaces the launchers of GPU kernels where a compiler other than CUDA's compiles a model: there
// are no kernels.

#include <mass/launch/agent_launch.hpp>
#include <mass/launch/gpu_launch.hpp>

namespace mass::detail {

template <class P, auto Rule, class W>
const GpuKernel* changeGpuKernel() {
  return nullptr;
}
template <class P, class... Rules>
const GpuKernel* turnGpuKernel() {
  return nullptr;
}
template <class P, auto Rule, class W>
const GpuKernel* aaGpuKernel() {
  return nullptr;
}
template <class P>
const GpuKernel* restoreLayoutGpuKernel() {
  return nullptr;
}
template <class P, auto Before, auto Rule>
const GpuKernel* scatterGpuKernel() {
  return nullptr;
}
template <class P, auto Rule>
const GpuKernel* mapGpuKernel() {
  return nullptr;
}
template <class P, auto Rule, class Op>
const GpuKernel* reduceGpuKernel() {
  return nullptr;
}
template <class A, auto Rule, class W>
const GpuAgentKernel* changeAgentsGpuKernel() {
  return nullptr;
}
template <class A, auto Rule>
const GpuAgentKernel* mapAgentsGpuKernel() {
  return nullptr;
}

}  // namespace mass::detail

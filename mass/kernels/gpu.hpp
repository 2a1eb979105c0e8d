#pragma once

// The GPU forms of rules, where the compiler makes any.

#include <mass/launch/agent_launch.hpp>
#include <mass/launch/gpu_launch.hpp>

#if defined(__CUDACC__)
#include <mass/kernels/gpu/launchers.hpp>
#include <mass/kernels/scatter/gpu_launchers.hpp>
#include <mass/kernels/streaming/gpu_launchers.hpp>
#else

namespace mass::detail {

template <class P, auto Rule, class W>
const GpuKernel* changeGpuKernel() {
  return nullptr;
}
template <class P, auto Rule, class W>
const GpuKernel* moveGpuKernel() {
  return nullptr;
}
template <class P>
const GpuKernel* settleGpuKernel() {
  return nullptr;
}
template <class P, auto Before, auto Rule>
const GpuKernel* sendGpuKernel() {
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

#endif

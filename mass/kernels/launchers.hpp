#pragma once

// The forms of a rule that lie above the CPU loops: GPU kernels, and both forms of the AA pattern.
// Top of mass/kernels. A compiler other than CUDA's makes no GPU kernels: their launchers are null.

#include <mass/kernels/streaming/aa_pattern.hpp>
#include <mass/launch/agent_launch.hpp>
#include <mass/launch/gpu_launch.hpp>

#if defined(__CUDACC__)
#include <mass/kernels/gpu/launchers.hpp>
#include <mass/kernels/scatter/gpu_launchers.hpp>
#include <mass/kernels/streaming/gpu_launchers.hpp>
#endif

namespace mass::detail {

#if !defined(__CUDACC__)
template <class P, auto Rule, class W>
const GpuKernel* changeGpuKernel() {
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
#endif

/// Returns the form of a changing rule by the AA pattern; null if the rule has none
/// (streamsInPlace).
template <class P, auto Rule, class W>
const AaKernel* aaKernel() {
  if constexpr (streamsInPlace<P, Rule, W>()) {
    static const AaKernel kernel{&moveInPlace<P, Rule, W, true>, &moveInPlace<P, Rule, W, false>,
                                 &settleKernel<P, Rule>, aaGpuKernel<P, Rule, W>(),
                                 restoreLayoutGpuKernel<P>()};
    return &kernel;
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail

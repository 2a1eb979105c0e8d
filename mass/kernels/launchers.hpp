#pragma once

// GPU kernels of a rule and its kernels by the AA pattern; the top of mass/kernels. Only a CUDA
// compiler makes GPU kernels: for any other, the functions that return them return null.

#include <mass/kernels/streaming/aa_pattern.hpp>
#include <mass/launch/launch.hpp>

#if defined(__CUDACC__)
#include <mass/kernels/gpu/launchers.hpp>
#include <mass/kernels/scatter/gpu_launchers.hpp>
#include <mass/kernels/streaming/gpu_launchers.hpp>
#else
#include <mass/kernels/no_gpu/launchers.hpp>
#endif

namespace mass::detail {

/// Returns the kernels of a changing rule by the AA pattern; null if it cannot use the pattern (see
/// streamsInPlace).
template <class P, auto Rule, class W>
const AaKernel* aaKernel() {
  if constexpr (streamsInPlace<P, Rule, W>()) {
    static const AaKernel kernel{&aaStepKernel<P, Rule, W, true>, &aaStepKernel<P, Rule, W, false>,
                                 &restoreLayoutKernel<P, Rule>, aaGpuKernel<P, Rule, W>(),
                                 restoreLayoutGpuKernel<P>()};
    return &kernel;
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail

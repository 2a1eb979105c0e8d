#pragma once

// Warps that may have a place at a fixed end of a line. Included where nvcc compiles a model.

#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/partition/border.hpp>

namespace mass::detail {

/// True if a kernel has separate code for warps that may have a place at a fixed end of a line. It
/// pays for elements of 16 bits or less, for which selecting addresses takes time.
template <class P, auto Rule>
constexpr bool separatesEndWarps() {
  if constexpr (!Traits<Rule>::streams || P::dimensions == 1) return false;
  bool separates = false;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    separates = separates || (S::isStreamed && sizeof(typename S::Stored) < 4);
  });
  return separates;
}
/// True if a thread of this warp may have a place at a fixed end of a line; uniform in a warp.
template <int Width>
__device__ inline bool mayBeEndWarp(const GpuLaunch& gpu, int axis, const GpuPlace& place) {
  constexpr int columns = 32 * Width;
  const int first = place.column / columns * columns;
  return gpu.launch.domain.borders[axis] == Border::fixed &&
         (first == 0 || first + columns >= static_cast<int>(gpu.launch.layout.columns));
}

}  // namespace mass::detail

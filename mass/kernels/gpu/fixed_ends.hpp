#pragma once

// Which warps may meet a fixed end of a line. Included where nvcc compiles a model.

#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/partition/border.hpp>

namespace mass::detail {

/// Whether a kernel tells warps that may have a place at a fixed end of a line from all others: for
/// elements of 16 bits or less, to select addresses is not free.
template <class P, auto Rule>
constexpr bool tellsEnds() {
  if constexpr (!Traits<Rule>::streams || P::dimensions == 1) return false;
  bool tells = false;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    tells = tells || (S::isStreamed && sizeof(typename S::Stored) < 4);
  });
  return tells;
}
/// Whether a thread of a warp may have such a place: the same for all of a warp.
template <int Width>
__device__ inline bool warpMayBeAtEnd(const GpuLaunch& gpu, int axis, const GpuPlace& place) {
  constexpr int columns = 32 * Width;
  const int first = place.column / columns * columns;
  return gpu.launch.domain.borders[axis] == Border::fixed &&
         (first == 0 || first + columns >= static_cast<int>(gpu.launch.layout.columns));
}

}  // namespace mass::detail

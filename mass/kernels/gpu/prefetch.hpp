#pragma once

// Prefetches the streamed elements of a block's next line. Included where nvcc compiles a model.

#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/neighborhood.hpp>
#include <mass/support/cuda/ptx.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// First slot of a Place that is streamed and interleaved; void if there is none.
template <class List>
struct FirstInterleaved {
  using type = void;
};
template <class Head, class... Tail>
struct FirstInterleaved<SlotList<Head, Tail...>> {
  using type = std::conditional_t<(Head::interleave > 1), Head,
                                  typename FirstInterleaved<SlotList<Tail...>>::type>;
};

/// Prefetches the elements that stream into a warp's places of its next line while it updates the
/// present one; otherwise it would alternate between loads and arithmetic. Lane k requests element
/// k.
template <class Call, int Width>
class LinePrefetch {
  using P = typename Call::Place;
  using S = typename FirstInterleaved<AttributeSlots<P>>::type;
  using Stored = typename S::Stored;
  static constexpr int warp = 32;
  static constexpr int bytes = warp * Width * static_cast<int>(sizeof(Stored));

 public:
  __device__ explicit LinePrefetch(const Call& call) {
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const int lane = static_cast<int>(threadIdx.x) % warp;
    const int element = lane < S::interleave ? lane : S::interleave - 1;
    std::int64_t source = 0;  // computed, not looked up: a table would lie in memory
#pragma unroll
    for (int k = 0; k < S::interleave; ++k) {
      const auto offset = sourceOf<S>(k);
      if (k == element) source = offset[0] * layout.rowStride + offset[1] * layout.pitch;
    }
    const GpuPlace first = placeOfThread<P::dimensions>(gpu, 1, Width);
    const int ahead = first.column - lane * Width;
    const int column = ahead < 0 ? 0 : ahead;
    const Cursor line0(cursorOf<P::dimensions>(gpu, {first.row, 0, 0, 1, 1}));
    at_ = static_cast<const char*>(call.in[S::first + static_cast<std::size_t>(element)]) +
          ((line0.line + source) * S::interleave + column) * static_cast<int>(sizeof(Stored));
    stride_ = static_cast<int>(layout.pitch) * S::interleave * static_cast<int>(sizeof(Stored));
  }

  /// Prefetches for the line after that of `place`. Called for each of a thread's places.
  __device__ void fetch(const GpuLaunch& gpu, const GpuPlace& place) const {
    const int next = place.line + static_cast<int>(gridDim.y * blockDim.y);
    if (next >= static_cast<int>(gpu.launch.layout.lines)) return;
    const char* const from = at_ + std::int64_t{next} * stride_;
#pragma unroll
    for (int line = 0; line < bytes; line += 128) prefetch(from + line);
  }

 private:
  const char* at_;  ///< source of the element for line 0
  int stride_;      ///< bytes from one line to the next
};

}  // namespace mass::detail

#pragma once

// Copies of places after a star sweep: from memory, where the block has just stored them, to the
// padding and to the halos of other devices. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/support/cuda/ptx.hpp>

#include <cstdint>

namespace mass::detail {

/// Threads of a block of a star sweep along a line: one warp.
inline constexpr int starColumns = 32;

/// Returns a thread's places of all rows of its block, `Width` columns of a line; their `width` is
/// 0 beyond the end of the world. @param zero 0
template <int Width>
__device__ inline GpuPlace placesInRows(const GpuLaunch& gpu, int zero) {
  GpuPlace places = placeOfThread<3>(gpu, gpu.rowsPerSweep + zero, Width + zero);
  const int left = static_cast<int>(gpu.rowEnd - gpu.rowBegin) - places.row;
  places.rows = left < gpu.rowsPerSweep ? left : gpu.rowsPerSweep;
  places.line += zero;
  const Layout& layout = gpu.launch.layout;
  const bool isThere = places.column < static_cast<int>(layout.columns) &&
                       places.line < static_cast<int>(layout.lines);
  places.width = isThere ? Width : 0;
  return places;
}

/// Copies `Width` successive places from index `at` of `from` to index `image` of `to`: their
/// attributes in W.
template <class P, class W, int Width>
__device__ inline void copyPlaces(void* const* to, Index image, void* const* from, Index at) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    using Elements = Pack<typename S::Stored, Width>;
    if constexpr (isWritten<S, W>) {
      *reinterpret_cast<Elements*>(static_cast<typename S::Stored*>(to[S::first]) + image) =
          *reinterpret_cast<const Elements*>(
              static_cast<const typename S::Stored*>(from[S::first]) + at);
    }
  });
}

/// Copies the places of a line of the block to their images before and after the line, in one row.
/// @param row within the launch
/// @param at index of the line in the row
/// @param image index of the line, or of its image, in the padding of which the images lie
/// @param begin, end columns of the block
template <class P, class W, class Call>
__device__ inline void storeBesideLine(const Call& call, int row, Index at, Index image, int begin,
                                       int end) {
  const Launch& launch = call.gpu.launch;
  const auto columns = static_cast<int>(launch.layout.columns);
  const auto padding = static_cast<int>(launch.layout.padding);
#pragma unroll 1
  for (int i = 0; i < 2 * padding; ++i) {
    const int position = i < padding ? -1 - i : columns + i - padding;
    const int source = sourceOf(position, columns, launch.domain.borders[2]);
    if (source < begin || source >= end) continue;
    forEachCopy(call, call.gpu.rowBegin + row, [&](void* const* out, Copy) {
      copyPlaces<P, W, 1>(out, image + position, call.out, at + source);
    });
  }
}

/// Ends of a line at which a thread's places have images beyond it.
struct LineEnds {
  static constexpr int first = 1, last = 2;
  int ends = 0;  ///< sum of the above

  __device__ LineEnds(const GpuLaunch& gpu, const GpuPlace& place) {
    if (gpu.launch.domain.borders[2] != Border::fixed) {
      const bool isLast = place.column + packWidth == static_cast<int>(gpu.launch.layout.columns);
      ends = (place.column == 0 ? first : 0) + (isLast ? last : 0);
    }
    keepInRegister(ends);
  }

  /// Stores the images of the places, in the padding of the line.
  /// @param at index of the first place
  template <class P, class W, class Call>
  __device__ void storeImages(const Call& call, const GpuPlace& place, Index at,
                              const P (&places)[packWidth]) const {
    if (ends == 0) return;
    // Places have their images at the same end beyond a mirrored border, in the order of their
    // distance from it, and at the other end beyond a periodic one.
    const bool isMirrored = call.gpu.launch.domain.borders[2] == Border::mirrored;
    const Index before = at - place.column - 1;
    const Index after = before + 1 + static_cast<Index>(call.gpu.launch.layout.columns);
    const auto store = [&](Index to, int step, int begin, int order) {
#pragma unroll
      for (int i = 0; i < P::reach; ++i)
        storePlace<P, W>(call.out, Cursor(to + i * step, 0), places[begin + i * order]);
    };
    if ((ends & first) != 0) store(isMirrored ? before : after, isMirrored ? -1 : 1, 0, 1);
    if ((ends & last) != 0)
      store(isMirrored ? after : before, isMirrored ? 1 : -1, packWidth - 1, -1);
  }
};

/// Copies the places of a line of the block to other devices and to their images in other lines of
/// the padding. Called by all lanes of the warp that has stored the line.
/// @param place the lane's places of all rows; their `width` is 0 or packWidth
template <class P, class W, class Call>
__device__ inline void storeStarImages(const Call& call, const GpuPlace& place) {
  const GpuLaunch& gpu = call.gpu;
  const Launch& launch = gpu.launch;
  const auto lines = static_cast<int>(launch.layout.lines);
  if (place.line >= lines) return;
  const auto columns = static_cast<int>(launch.layout.columns);
  const auto padding = static_cast<int>(launch.layout.padding);
  const auto stride = static_cast<Index>(launch.layout.rowStride);
  const auto lane = static_cast<int>(threadIdx.x);
  const int begin = place.column - lane * packWidth;
  const int end = min(begin + starColumns * packWidth, columns);
  const bool hasEnds =
      launch.domain.borders[2] != Border::fixed && (begin < padding || end > columns - padding);
  const Index own = cursorOf<3>(gpu, place).line;
  // No other device has copies of rows [insideBegin, insideEnd).
  const auto first = static_cast<int>(rowOf(gpu, place)),
             depth = static_cast<int>(launch.layout.depth);
  const int insideBegin = gpu.haloStoreCount == 0 ? 0 : depth - first;
  const int insideEnd =
      gpu.haloStoreCount == 0 ? place.rows : static_cast<int>(launch.layout.rows) - depth - first;
  __syncwarp();  // lanes read places of other lanes
#pragma unroll 1
  for (int i = 0; i <= (isAtLinePadding<3>(launch, place) ? 2 * padding : 0); ++i) {
    int line = place.line;
    if (!isImage(i, place.line, lines, padding, launch.domain.borders[1], line)) continue;
    const Index image = own + (line - place.line) * static_cast<Index>(launch.layout.pitch);
    // The line itself and its ends are stored already.
    const auto isDone = [&](int k) { return i == 0 && k >= insideBegin && k < insideEnd; };
#pragma unroll 1
    for (int k = 0; k < place.rows; ++k) {
      if (isDone(k)) k = insideEnd;
      if (k >= place.rows || place.width == 0) break;
      const Index down = k * stride + place.column;
      forEachCopy(call, first + k, [&](void* const* out, Copy copy) {
        if (i == 0 && copy == Copy::own) return;
        copyPlaces<P, W, packWidth>(out, image + down, call.out, own + down);
      });
    }
#pragma unroll 1
    for (int k = lane; hasEnds && k < place.rows; k += starColumns) {
      if (isDone(k)) continue;
      storeBesideLine<P, W>(call, place.row + k, own + k * stride, image + k * stride, begin, end);
    }
  }
  storeFurtherGhosts<3>(call, place);
}

}  // namespace mass::detail

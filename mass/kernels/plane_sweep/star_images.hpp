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

/// Ends of a line at which a thread's places have images beyond it.
class LineEnds {
 public:
  __device__ LineEnds(const GpuLaunch& gpu, const GpuPlace& place) {
    if (gpu.launch.domain.borders[2] != Border::fixed && place.width > 0) {
      const bool isLast = place.column + packWidth == static_cast<int>(gpu.launch.layout.columns);
      ends_ = (place.column == 0 ? first : 0) + (isLast ? last : 0);
    }
    keepInRegister(ends_);
  }

  /// Stores the images of the places, in the padding of the line.
  /// @param at index of the first place
  template <class P, class W, class Call>
  __device__ void storeImages(const Call& call, const GpuPlace& place, Index at,
                              const P (&places)[packWidth]) const {
    forEachImage<P>(call.gpu.launch, place.column, at, [&](Index image, int c) {
      storePlace<P, W>(call.out, Cursor(image, 0), places[c]);
    });
  }
  /// Calls f(image, c) for the images of the places: index of the image, column within the pack.
  /// @param column, at column and index of the first place
  template <class P, class F>
  __device__ void forEachImage(const Launch& launch, int column, Index at, F&& f) const {
    if (ends_ == 0) return;
    // Places have their images at the same end beyond a mirrored border, in the order of their
    // distance from it, and at the other end beyond a periodic one.
    const bool isMirrored = launch.domain.borders[2] == Border::mirrored;
    const Index before = at - column - 1;
    const Index after = before + 1 + static_cast<Index>(launch.layout.columns);
    const auto each = [&](Index image, int step, int begin, int order) {
#pragma unroll
      for (int i = 0; i < P::reach; ++i) f(image + i * step, begin + i * order);
    };
    if ((ends_ & first) != 0) each(isMirrored ? before : after, isMirrored ? -1 : 1, 0, 1);
    if ((ends_ & last) != 0)
      each(isMirrored ? after : before, isMirrored ? 1 : -1, packWidth - 1, -1);
  }

 private:
  static constexpr int first = 1, last = 2;
  int ends_ = 0;  ///< sum of these
};

/// Copies `Width` successive places from index `at` of `from` to index `image` of `to`: their
/// attributes in W.
template <class P, class W, int Width>
__device__ inline void copyPlaces(void* const* to, std::int64_t image, void* const* from,
                                  Index at) {
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

/// Copies a thread's places of a row, from index `at` on, to index `image` of `to`, with their
/// images in the padding of that line.
template <class P, class W, class Call>
__device__ inline void copyWithEnds(const Call& call, const LineEnds& ends, const GpuPlace& place,
                                    void* const* to, std::int64_t image, Index at) {
  copyPlaces<P, W, packWidth>(to, image, call.out, at);
  ends.forEachImage<P>(call.gpu.launch, place.column, at, [&](Index end, int c) {
    copyPlaces<P, W, 1>(to, image + (end - at), call.out, at + c);
  });
}

/// Copies the places of a line of the block, which the thread has stored with the images at its
/// ends, to other devices and to their images in other lines of the padding.
/// @param place the thread's places of all rows; their `width` is 0 or packWidth
template <class P, class W, class Call>
__device__ inline void storeStarImages(const Call& call, const GpuPlace& place) {
  const GpuLaunch& gpu = call.gpu;
  const Launch& launch = gpu.launch;
  if (place.width == 0) return;
  const auto lines = static_cast<int>(launch.layout.lines);
  const auto padding = static_cast<int>(launch.layout.padding);
  const auto stride = static_cast<Index>(launch.layout.rowStride);
  const LineEnds ends(gpu, place);
  const Cursor start = cursorOf<3>(gpu, place);
  const std::int64_t first = rowOf(gpu, place);
  // No other device has copies of the rows from insideBegin to insideEnd.
  const std::int64_t insideBegin = gpu.haloStoreCount == 0 ? 0 : launch.layout.depth;
  const std::int64_t insideEnd = launch.layout.rows - insideBegin;
#pragma unroll 1
  for (int i = 0; i <= (isAtLinePadding<3>(launch, place) ? 2 * padding : 0); ++i) {
    int line = place.line;
    if (!isImage(i, place.line, lines, padding, launch.domain.borders[1], line)) continue;
    const Index toImage = (line - place.line) * static_cast<Index>(launch.layout.pitch);
#pragma unroll 1
    for (int k = 0; k < place.rows; ++k) {
      const std::int64_t row = first + k;
      const bool isInside = row >= insideBegin && row < insideEnd;
      if (i == 0 && isInside) {
        k = static_cast<int>(insideEnd - first) - 1;
        continue;
      }
      const Index at = start.line + start.column + k * stride;
      if (i > 0) copyWithEnds<P, W>(call, ends, place, call.out, at + toImage, at);
      if (isInside) continue;
#pragma unroll 1
      for (int n = 0; n < gpu.haloStoreCount; ++n) {
        const HaloStore& store = gpu.haloStores[n];
        if (!isStoredIn(store, row)) continue;
        const std::int64_t away = toImage + gpu.rowBegin * launch.layout.rowStride + store.shift;
        copyWithEnds<P, W>(call, ends, place, store.out, at + away, at);
      }
    }
  }
}

}  // namespace mass::detail

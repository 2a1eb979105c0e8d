#pragma once

// Copies of places after a star sweep: from memory, where the block has just stored them, to the
// padding and to the halos of other devices. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/support/cuda/ptx.hpp>

#include <bit>
#include <cstddef>
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

/// Images of a thread's places in the padding of their row: beyond the ends of their line, and in
/// another line, with its ends.
template <class P>
class RowImages {
 public:
  /// Places that are stored at a time beyond an end: `reach`, and those that a pack has besides,
  /// which no rule reads.
  static constexpr int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(P::reach)));
  static_assert(width <= packWidth);

  /// @param place the thread's places, of which a line has more
  __device__ RowImages(const GpuLaunch& gpu, const GpuPlace& place) {
    const Launch& launch = gpu.launch;
    const Layout& layout = launch.layout;
    if (place.width == 0) return;
    const bool isFirst = place.column == 0;
    const bool isLast = place.column + packWidth == static_cast<int>(layout.columns);
    if (launch.domain.borders[2] != Border::fixed && (isFirst || isLast)) {
      // Beyond a mirrored border images are at the same end, beyond a periodic one at the other.
      const bool isBefore = isFirst == isMirrored(launch, 2);
      where_ = atEnd + (isLast ? atLast : 0) + (isMirrored(launch, 2) ? reversed : 0);
      toEnd_ = isBefore ? -place.column - width : static_cast<int>(layout.columns) - place.column;
    }
    if (areInOneLine(launch) && isAtLinePadding<3>(launch, place)) {
      const auto lines = static_cast<int>(layout.lines);
      const bool isBefore = place.line < static_cast<int>(layout.padding);
      const int mirrored = (isBefore ? 0 : 2 * lines) - 1 - 2 * place.line;
      const int away = isMirrored(launch, 1) ? mirrored : isBefore ? lines : -lines;
      toLine_ = away * static_cast<Index>(layout.pitch);
      where_ += inOtherLine;
    }
    keepInRegister(where_);
  }

  /// True if no line has images in several others.
  __device__ static bool areInOneLine(const Launch& launch) {
    return launch.layout.lines >= 2 * launch.layout.padding;
  }

  /// Stores the images of the places; those in other lines only if they are in one.
  /// @param at index of the first place
  template <class W, class Call>
  __device__ void store(const Call& call, Index at, const P (&places)[packWidth]) const {
    if (where_ == 0) return;
    storeAtEnd<W>(call, at, places);
    if ((where_ & inOtherLine) == 0) return;
    storeRow<P, W>(call.out, Cursor(at + toLine_, 0, 0, packWidth), 0, places, Copy::own);
    storeAtEnd<W>(call, at + toLine_, places);
  }
  /// True if places have images beyond an end of their line.
  __device__ bool areAtEnd() const { return (where_ & atEnd) != 0; }
  /// Distance of the first of `width` images there from the first place.
  __device__ Index toEnd() const { return toEnd_; }

 private:
  __device__ static bool isMirrored(const Launch& launch, std::size_t axis) {
    return launch.domain.borders[axis] == Border::mirrored;
  }
  /// Stores the images beyond an end of the line, in reverse order beyond a mirrored border.
  template <class W, class Call>
  __device__ void storeAtEnd(const Call& call, Index at, const P (&places)[packWidth]) const {
    if (!areAtEnd()) return;
    const bool isReversed = (where_ & reversed) != 0, isLast = (where_ & atLast) != 0;
    P images[width];
#pragma unroll
    for (int c = 0; c < width; ++c) {
      images[c] = places[c];
      if (isLast) images[c] = places[packWidth - width + c];
      P other = places[width - 1 - c];
      if (isLast) other = places[packWidth - 1 - c];
      if (isReversed) images[c] = other;
    }
    storeRow<P, W>(call.out, Cursor(at + toEnd_, 0, 0, width), 0, images, Copy::own);
  }

  static constexpr int atEnd = 1, atLast = 2, reversed = 4, inOtherLine = 8;
  int where_ = 0;     ///< places and images: sum of these
  Index toEnd_ = 0;   ///< distance of the images beyond an end of the line
  Index toLine_ = 0;  ///< distance of the images in another line
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
__device__ inline void copyWithEnds(const Call& call, const RowImages<P>& images, void* const* to,
                                    std::int64_t image, Index at) {
  copyPlaces<P, W, packWidth>(to, image, call.out, at);
  if (!images.areAtEnd()) return;
  const Index end = images.toEnd();
  copyPlaces<P, W, RowImages<P>::width>(to, image + end, call.out, at + end);
}

/// Copies the places of a line of the block, which the thread has stored with their RowImages, to
/// other devices; also to their images in other lines, if they are in several.
/// @param place the thread's places of all rows; their `width` is 0 or packWidth
template <class P, class W, class Call>
__device__ inline void storeStarImages(const Call& call, const GpuPlace& place) {
  const GpuLaunch& gpu = call.gpu;
  const Launch& launch = gpu.launch;
  if (place.width == 0) return;
  const auto lines = static_cast<int>(launch.layout.lines);
  const auto padding = static_cast<int>(launch.layout.padding);
  const auto stride = static_cast<Index>(launch.layout.rowStride);
  const RowImages<P> images(gpu, place);
  const Cursor start = cursorOf<3>(gpu, place);
  const std::int64_t first = rowOf(gpu, place);
  // No other device has copies of the rows from insideBegin to insideEnd.
  const std::int64_t insideBegin = gpu.haloStoreCount == 0 ? 0 : launch.layout.depth;
  const std::int64_t insideEnd = launch.layout.rows - insideBegin;
  const bool areStored = RowImages<P>::areInOneLine(launch);
#pragma unroll 1
  for (int i = 0; i <= (isAtLinePadding<3>(launch, place) ? 2 * padding : 0); ++i) {
    int line = place.line;
    if (!isImage(i, place.line, lines, padding, launch.domain.borders[1], line)) continue;
    const Index toImage = (line - place.line) * static_cast<Index>(launch.layout.pitch);
#pragma unroll 1
    for (int k = 0; k < place.rows; ++k) {
      const std::int64_t row = first + k;
      const bool isInside = row >= insideBegin && row < insideEnd;
      if (isInside && (i == 0 || areStored)) {
        k = static_cast<int>(insideEnd - first) - 1;
        continue;
      }
      const Index at = start.line + start.column + k * stride;
      if (i > 0 && !areStored) copyWithEnds<P, W>(call, images, call.out, at + toImage, at);
      if (isInside) continue;
#pragma unroll 1
      for (int n = 0; n < gpu.haloStoreCount; ++n) {
        const HaloStore& store = gpu.haloStores[n];
        if (!isStoredIn(store, row)) continue;
        const std::int64_t away = toImage + gpu.rowBegin * launch.layout.rowStride + store.shift;
        copyWithEnds<P, W>(call, images, store.out, at + away, at);
      }
    }
  }
}

}  // namespace mass::detail

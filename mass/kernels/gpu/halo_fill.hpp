#pragma once

// Stores images of places into padding and halos. Included where nvcc compiles a model.

#include <mass/kernels/gpu/ghost_store.hpp>

#include <cstdint>

namespace mass::detail {

/// Copies a component of each of a thread's rows to its image `lines` and `columns` away, here and
/// in halos. Reads the element from memory, where it was just stored, so that one copy of the code
/// serves all columns.
template <class Call>
__device__ inline void copyToImage(const Call& call, const GpuPlace& place, int component,
                                   std::int64_t column, int lines, int columns) {
  const GpuLaunch& gpu = call.gpu;
  const Layout layout = gpu.launch.layout.interleaved(call.interleave[component]);
  const int size = call.writtenSize[component];
  const std::int64_t first = layout.at(place.row, place.line, column);
  const std::int64_t distance = (lines * layout.pitch + columns) * size;
  const auto address = [&](void* buffer, int k) {
    return static_cast<char*>(buffer) + (first + k * layout.rowStride) * size;
  };
#pragma unroll 4
  for (int k = 0; k < place.rows; ++k) {
    const std::int64_t row = rowOf(gpu, place) + k;
    const char* const from = address(call.out[component], k);
    copyElement(address(call.out[component], k) + distance, from, size);
    for (int i = 0; i < inlineHaloStores && i < gpu.haloStoreCount; ++i) {
      if (!isStoredIn(gpu.inlineStores[i], row)) continue;
      copyElement(address(call.haloOut[i][component], k) + distance, from, size);
    }
  }
}

/// True if a thread's places lie in a line of a 3-D row that has an image beyond a border.
template <int D>
__device__ inline bool isAtLinePadding(const Launch& launch, const GpuPlace& place) {
  const Layout& layout = launch.layout;
  return D == 3 && (place.line < layout.padding || place.line >= layout.lines - layout.padding) &&
         launch.domain.borders[1] != Border::fixed;
}
/// True if a thread's places lie at an end of their line (in 3-D, or row) that has an image beyond
/// a border.
template <int D>
__device__ inline bool isAtPadding(const Launch& launch, const GpuPlace& place) {
  const Layout& layout = launch.layout;
  if (layout.padding == 0) return false;
  const bool atEnd =
      place.column < layout.padding || place.column + place.width > layout.columns - layout.padding;
  return isAtLinePadding<D>(launch, place) ||
         (atEnd && launch.domain.borders[D - 1] != Border::fixed);
}

/// Stores a place as the image beyond the other end of its line, where the border is periodic.
template <class P, class W, class Call>
__device__ inline void storeAtOtherEnd(const Call& call, std::int64_t row, int column, Cursor at,
                                       const P& next) {
  constexpr int axis = P::dimensions - 1;
  const Layout& layout = call.gpu.launch.layout;
  const auto columns = static_cast<int>(layout.columns), padding = static_cast<int>(layout.padding);
  const auto repeat = [&](int away, std::uint64_t read) {
    forEachCopy(call, row, [&](void* const* out, Copy copy) {
      storePlace<P, W>(out, at.moved(0, away), next, copy, read);
    });
  };
  if (column < padding) repeat(columns, readBeyond<P>(axis, 1));
  if (column >= columns - padding) repeat(-columns, readBeyond<P>(axis, -1));
}

/// Stores the images of a thread's places from registers. For threads with a few places of one row,
/// of which the first lies at `at`.
template <class P, class W, int Width, class Call>
__device__ inline void storePadding(const Call& call, const GpuPlace& place, Cursor at,
                                    const P (&next)[Width]) {
  constexpr int D = P::dimensions;
  const Launch& launch = call.gpu.launch;
  const std::int64_t row = rowOf(call.gpu, place);
  if (!isAtPadding<D>(launch, place)) return;
  if (!isAtLinePadding<D>(launch, place) && launch.domain.borders[D - 1] == Border::periodic &&
      launch.layout.columns >= launch.layout.padding) {  // nearly always
#pragma unroll
    for (int c = 0; c < Width; ++c)
      storeAtOtherEnd<P, W>(call, row, place.column + c, at.moved(0, c), next[c]);
    return;
  }
  const auto pitch = static_cast<Index>(launch.layout.pitch);
#pragma unroll
  for (int c = 0; c < Width; ++c) {
    forEachImage(launch, place.line, place.column + c,
                 [&](int lines, int columns, int lineSide, int columnSide) {
                   if (lineSide == 0 && columnSide == 0) return;
                   const Cursor to = at.moved(lines * pitch, c + columns);
                   const std::uint64_t read = readInPadding<P>(lineSide, columnSide);
                   forEachCopy(call, row, [&](void* const* out, Copy copy) {
                     storePlace<P, W>(out, to, next[c], copy, read);
                   });
                 });
  }
}

/// Stores the images of a thread's places from memory. For threads with more places.
template <int D, class Call>
__device__ inline void copyToPadding(const Call& call, const GpuPlace& place) {
  if (!isAtPadding<D>(call.gpu.launch, place)) return;
  constexpr int components = sizeof(call.out) / sizeof(call.out[0]);
#pragma unroll 1
  for (int c = 0; c < place.width; ++c) {
    const int column = place.column + c;
    forEachImage(call.gpu.launch, place.line, column,
                 [&](int lines, int columns, int lineSide, int columnSide) {
                   if (lineSide == 0 && columnSide == 0) return;
                   const auto read = readInPadding<typename Call::Place>(lineSide, columnSide);
#pragma unroll 1
                   for (int component = 0; component < components; ++component) {
                     if (component < 64 && (read >> component & 1) == 0) continue;
                     if (call.writtenSize[component] == 0) continue;
                     copyToImage(call, place, component, column, lines, columns);
                   }
                 });
  }
}

/// Stores a row of a thread's places into the halos whose HaloStore does not fit into kernel
/// parameters.
template <class Call>
__device__ inline void storeFurtherGhostsOfRow(const Call& call, const GpuPlace& place,
                                               std::int64_t row) {
  const GpuLaunch& gpu = call.gpu;
  constexpr int components = sizeof(call.out) / sizeof(call.out[0]);
#pragma unroll 1
  for (int number = 0; number < place.width * components; ++number) {
    const int component = number % components;
    const int column = place.column + number / components;
    const int size = call.writtenSize[component];
    const Layout each = gpu.launch.layout.interleaved(call.interleave[component]);
    const std::int64_t whole = each.at(row, place.line, column);
    const char* const from = static_cast<const char*>(call.out[component]) +
                             (whole - gpu.rowBegin * each.rowStride) * size;
#pragma unroll 1
    for (int i = inlineHaloStores; i < gpu.haloStoreCount && size > 0; ++i) {
      const HaloStore& store = gpu.haloStores[i];
      if (!isStoredIn(store, row)) continue;
      char* const to = static_cast<char*>(store.out[component]) +
                       (whole + store.shift * call.interleave[component]) * size;
      forEachImage(gpu.launch, place.line, column, [&](int lines, int columns, int, int) {
        copyElement(to + (lines * each.pitch + columns) * size, from, size);
      });
    }
  }
}

/// Stores border rows into the halos whose HaloStore does not fit into kernel parameters. There are
/// such if bands are thinner than the halo depth, and at mirrored borders with a reach above 1.
template <int D, class Call>
__device__ inline void storeFurtherGhosts(const Call& call, const GpuPlace& place) {
  const GpuLaunch& gpu = call.gpu;
  if (gpu.haloStoreCount <= inlineHaloStores) return;
  const Layout& layout = gpu.launch.layout;
  const std::int64_t first = rowOf(gpu, place);
  const auto isInterior = [&](std::int64_t row) {
    return row >= layout.depth && row < layout.rows - layout.depth;
  };
  if (isInterior(first) && isInterior(first + place.rows - 1)) return;
#pragma unroll 1
  for (int k = 0; k < place.rows; ++k)
    if (!isInterior(first + k)) storeFurtherGhostsOfRow(call, place, first + k);
}

}  // namespace mass::detail

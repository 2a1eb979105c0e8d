#pragma once

// How a place is repeated where borders and other devices need it. Included where nvcc compiles a
// model.

#include <mass/kernels/gpu/ghost_store.hpp>

#include <cstdint>

namespace mass::detail {

/// Copies an element of each of a thread's rows to where it is repeated, so many lines and columns
/// away, here and in ghosts. What was just stored is read back, so that this is compiled once for
/// all columns.
template <class Call>
__device__ inline void repeatColumn(const Call& call, const GpuPlace& place, int component,
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
    for (int i = 0; i < inlineHaloStores && i < gpu.ghostCount; ++i) {
      if (!isRepeatedIn(gpu.inlineStores[i], row)) continue;
      copyElement(address(call.ghostOut[i][component], k) + distance, from, size);
    }
  }
}

/// Whether a thread's places lie in a line of a 3-D row that borders repeat.
template <int D>
__device__ inline bool isAtLineSide(const Launch& launch, const GpuPlace& place) {
  const Layout& layout = launch.layout;
  return D == 3 && (place.line < layout.padding || place.line >= layout.lines - layout.padding) &&
         launch.domain.borders[1] != Border::fixed;
}
/// Whether a thread's places lie at an end of their line (in 3-D: or row) where borders repeat
/// them.
template <int D>
__device__ inline bool isAtSide(const Launch& launch, const GpuPlace& place) {
  const Layout& layout = launch.layout;
  if (layout.padding == 0) return false;
  const bool atEnd =
      place.column < layout.padding || place.column + place.width > layout.columns - layout.padding;
  return isAtLineSide<D>(launch, place) || (atEnd && launch.domain.borders[D - 1] != Border::fixed);
}

/// Repeats a place at the other end of its line, in a world that is periodic there.
template <class P, class W, class Call>
__device__ inline void repeatAcross(const Call& call, std::int64_t row, int column, Cursor at,
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

/// Repeats the places of a thread that takes a few of one row, of which the first lies at `at`,
/// from what it has at hand.
template <class P, class W, int Width, class Call>
__device__ inline void repeatPlacesAtSides(const Call& call, const GpuPlace& place, Cursor at,
                                           const P (&next)[Width]) {
  constexpr int D = P::dimensions;
  const Launch& launch = call.gpu.launch;
  const std::int64_t row = rowOf(call.gpu, place);
  if (!isAtSide<D>(launch, place)) return;
  if (!isAtLineSide<D>(launch, place) && launch.domain.borders[D - 1] == Border::periodic &&
      launch.layout.columns >= launch.layout.padding) {  // nearly all of them
#pragma unroll
    for (int c = 0; c < Width; ++c)
      repeatAcross<P, W>(call, row, place.column + c, at.moved(0, c), next[c]);
    return;
  }
  const auto pitch = static_cast<Index>(launch.layout.pitch);
#pragma unroll
  for (int c = 0; c < Width; ++c) {
    forEachRepeat(launch, place.line, place.column + c,
                  [&](int lines, int columns, int lineSide, int columnSide) {
                    if (lineSide == 0 && columnSide == 0) return;
                    const Cursor to = at.moved(lines * pitch, c + columns);
                    const std::uint64_t read = readBeside<P>(lineSide, columnSide);
                    forEachCopy(call, row, [&](void* const* out, Copy copy) {
                      storePlace<P, W>(out, to, next[c], copy, read);
                    });
                  });
  }
}

/// Repeats the places of a thread that takes more.
template <int D, class Call>
__device__ inline void repeatAtSides(const Call& call, const GpuPlace& place) {
  if (!isAtSide<D>(call.gpu.launch, place)) return;
  constexpr int components = sizeof(call.out) / sizeof(call.out[0]);
#pragma unroll 1
  for (int c = 0; c < place.width; ++c) {
    const int column = place.column + c;
    forEachRepeat(call.gpu.launch, place.line, column,
                  [&](int lines, int columns, int lineSide, int columnSide) {
                    if (lineSide == 0 && columnSide == 0) return;
                    const auto read = readBeside<typename Call::Place>(lineSide, columnSide);
#pragma unroll 1
                    for (int component = 0; component < components; ++component) {
                      if (component < 64 && (read >> component & 1) == 0) continue;
                      if (call.writtenSize[component] == 0) continue;
                      repeatColumn(call, place, component, column, lines, columns);
                    }
                  });
  }
}

/// Repeats border rows in ghosts beyond those that kernels know from their parameters: where bands
/// are thinner than ghosts are deep.
template <int D, class Call>
__device__ inline void repeatInFurtherGhosts(const Call& call, const GpuPlace& place) {
  const GpuLaunch& gpu = call.gpu;
  const Layout& layout = gpu.launch.layout;
  if (gpu.ghostCount <= inlineHaloStores) return;
  constexpr int components = sizeof(call.out) / sizeof(call.out[0]);
#pragma unroll 1
  for (int number = 0; number < place.rows * place.width * components; ++number) {
    const int component = number % components;
    const std::int64_t row = rowOf(gpu, place) + number / components / place.width;
    const int column = place.column + number / components % place.width;
    const int size = call.writtenSize[component];
    const Layout each = layout.interleaved(call.interleave[component]);
    const std::int64_t whole = each.at(row, place.line, column);
    const char* const from = static_cast<const char*>(call.out[component]) +
                             (whole - gpu.rowBegin * each.rowStride) * size;
#pragma unroll 1
    for (int i = inlineHaloStores; i < gpu.ghostCount && size > 0; ++i) {
      const HaloStore& ghost = gpu.ghosts[i];
      if (!isRepeatedIn(ghost, row)) continue;
      char* const to = static_cast<char*>(ghost.out[component]) +
                       (whole + ghost.shift * call.interleave[component]) * size;
      forEachRepeat(gpu.launch, place.line, column, [&](int lines, int columns, int, int) {
        copyElement(to + (lines * each.pitch + columns) * size, from, size);
      });
    }
  }
}

}  // namespace mass::detail

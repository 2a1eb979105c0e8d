#pragma once

// How a place is repeated where borders and other devices need it. Included where nvcc compiles a
// model.

#include <mass/memory/gpu_launch.hpp>
#include <mass/model/gpu/place.hpp>
#include <mass/partition/border.hpp>

#include <cstdint>

namespace mass::detail {

/// Copies an element of any size.
__device__ inline void copyElement(char* to, const char* from, int size) {
  switch (size) {
    case 1:
      *to = *from;
      break;
    case 2:
      *reinterpret_cast<std::uint16_t*>(to) = *reinterpret_cast<const std::uint16_t*>(from);
      break;
    case 4:
      *reinterpret_cast<std::uint32_t*>(to) = *reinterpret_cast<const std::uint32_t*>(from);
      break;
    case 8:
      *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<const std::uint64_t*>(from);
      break;
    default:
#pragma unroll 1
      for (int i = 0; i < size; ++i) to[i] = from[i];
  }
}

/// Position number `i` of an axis where the place at `at` may be repeated: `at` itself for 0, then
/// the `side` positions before and after the axis. False when that position repeats another place.
__device__ inline bool repeats(int i, int at, int length, int side, Border border, int& position) {
  position = i == 0 ? at : i <= side ? -i : length - 1 + i - side;
  return i == 0 || (border != Border::fixed && sourceOf(position, length, border) == at);
}

/// Calls f(distance) for the place at (line, column) itself, and for all places beside the lines of
/// its row that repeat it.
template <class F>
__device__ inline void forEachRepeat(const Launch& launch, int line, int column, F&& f) {
  const Layout& layout = launch.layout;
  const Border* const borders = launch.domain.borders.data();
  const int dimensions = launch.domain.dimensions;
  const auto side = static_cast<int>(layout.side);
  const int beside = 2 * side + 1;
#pragma unroll 1
  for (int i = 0; i < (dimensions == 3 ? beside : 1); ++i) {
    int there = line;
    if (!repeats(i, line, static_cast<int>(layout.lines), side, borders[1], there)) continue;
    const std::int64_t lines = (there - line) * layout.pitch;
#pragma unroll 1
    for (int j = 0; j < beside; ++j) {
      int then = column;
      if (repeats(j, column, static_cast<int>(layout.columns), side, borders[dimensions - 1],
                  then)) {
        f(lines + then - column);
      }
    }
  }
}

/// Repeats what a thread has just stored for one place wherever a border or another device needs
/// it. Reads it back rather than being told: so it is compiled once for all of a thread's places.
template <class Call>
__device__ inline void repeatPlace(const Call& call, std::int64_t row, std::int64_t line,
                                   std::int64_t column) {
  const GpuLaunch& gpu = call.gpu;
  const std::int64_t whole = gpu.launch.layout.at(row, line, column);
  const std::int64_t here = whole - gpu.rowBegin * gpu.launch.layout.rowStride;
  constexpr int components = sizeof(call.out) / sizeof(call.out[0]);
#pragma unroll 1
  for (int c = 0; c < components; ++c) {
    const int size = call.writtenSize[c];
    if (size == 0) continue;
    const char* const mine = static_cast<const char*>(call.out[c]) + here * size;
#pragma unroll 1
    for (int i = -1; i < gpu.ghostCount; ++i) {  // -1: beside the place itself
      char* base = static_cast<char*>(call.out[c]) + here * size;
      if (i >= 0) {
        const GhostStore& ghost = gpu.ghosts[i];
        if (row < ghost.begin || row >= ghost.end) continue;
        base = static_cast<char*>(ghost.out[c]) + (whole + ghost.shift) * size;
      }
      forEachRepeat(gpu.launch, static_cast<int>(line), static_cast<int>(column),
                    [&](std::int64_t distance) {
                      if (i >= 0 || distance != 0) copyElement(base + distance * size, mine, size);
                    });
    }
  }
}

/// Repeats the places of a thread that lie at an edge of the band or of their line.
template <int D, class Call>
__device__ inline void repeatPlaces(const Call& call, const GpuPlace& place) {
  const Layout& layout = call.gpu.launch.layout;
  const bool atSide =
      layout.side > 0 &&
      (place.column < layout.side || place.column + place.width > layout.columns - layout.side ||
       (D == 3 && (place.line < layout.side || place.line >= layout.lines - layout.side)));
  const bool hasGhosts =
      call.gpu.ghostCount > 0 &&
      (place.row < layout.depth || place.row + place.rows > layout.rows - layout.depth);
  if (!atSide && !hasGhosts) return;
#pragma unroll 1
  for (int i = 0; i < place.rows * place.width; ++i) {
    repeatPlace(call, place.row + i / place.width, place.line, place.column + i % place.width);
  }
}

}  // namespace mass::detail

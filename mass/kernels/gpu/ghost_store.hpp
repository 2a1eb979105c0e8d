#pragma once

// Where the copies of a place lie: beside its lines and in other devices' ghosts. Included where
// nvcc compiles a model.

#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/partition/border.hpp>
#include <mass/rules/storing.hpp>

#include <cstddef>
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
__device__ inline bool repeats(int i, int at, int length, int padding, Border border,
                               int& position) {
  position = i == 0 ? at : i <= padding ? -i : length - 1 + i - padding;
  return i == 0 || (border != Border::fixed && sourceOf(position, length, border) == at);
}

/// On which side of an axis a position is: -1 before it, 1 after it, 0 on it.
__device__ inline int sideOf(int position, int length) {
  return position < 0 ? -1 : position >= length ? 1 : 0;
}

/// Calls f(lines, columns, lineSide, columnSide) for the place at (line, column) itself, and for
/// all places beside the lines of its row that repeat it, so many lines and columns away.
template <class F>
__device__ inline void forEachRepeat(const Launch& launch, int line, int column, F&& f) {
  const Layout& layout = launch.layout;
  const Border* const borders = launch.domain.borders.data();
  const int dimensions = launch.domain.dimensions;
  const auto padding = static_cast<int>(layout.padding);
  const int beside = 2 * padding + 1;
#pragma unroll 1
  for (int i = 0; i < (dimensions == 3 ? beside : 1); ++i) {
    int there = line;
    if (!repeats(i, line, static_cast<int>(layout.lines), padding, borders[1], there)) continue;
#pragma unroll 1
    for (int j = 0; j < beside; ++j) {
      int then = column;
      if (repeats(j, column, static_cast<int>(layout.columns), padding, borders[dimensions - 1],
                  then)) {
        f(there - line, then - column, sideOf(there, static_cast<int>(layout.lines)),
          sideOf(then, static_cast<int>(layout.columns)));
      }
    }
  }
}

__device__ inline bool isRepeatedIn(const HaloStore& ghost, std::int64_t row) {
  return ghost.begin <= row && row < ghost.end;
}

/// Calls store(out, copy) for a device's own buffers and for those of other devices that have the
/// row as a ghost.
template <class Call, class Store>
__device__ inline void forEachCopy(const Call& call, std::int64_t row, Store&& store) {
  store(call.out, Copy::own);
  const Layout& layout = call.gpu.launch.layout;
  if (call.gpu.ghostCount == 0) return;
  if (row >= layout.depth && row < layout.rows - layout.depth) return;
#pragma unroll
  for (int i = 0; i < inlineHaloStores; ++i) {
    if (i < call.gpu.ghostCount && isRepeatedIn(call.gpu.inlineStores[i], row)) {
      store(call.ghostOut[i],
            call.gpu.inlineStores[i].isBefore ? Copy::ghostBefore : Copy::ghostAfter);
    }
  }
}

/// The components that rules read beyond one end of an axis: a bit for each of the first 64.
template <class P>
constexpr std::uint64_t readBeyond(int axis, int padding) {
  std::uint64_t bits = ~std::uint64_t{0};
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      for (std::size_t k = 0; k < S::count && S::first + k < 64; ++k) {
        const int along = S::Directions::velocity(static_cast<int>(k))[axis];
        if (along * padding >= 0) bits &= ~(std::uint64_t{1} << (S::first + k));
      }
    }
  });
  return bits;
}
/// The same where a place is repeated on a side of its lines and one of their columns.
template <class P>
__device__ inline std::uint64_t readBeside(int lineSide, int columnSide) {
  constexpr int columns = P::dimensions - 1, lines = columns > 0 ? columns - 1 : 0;
  constexpr std::uint64_t before = readBeyond<P>(columns, -1), after = readBeyond<P>(columns, 1);
  constexpr std::uint64_t above = readBeyond<P>(lines, -1), below = readBeyond<P>(lines, 1);
  std::uint64_t bits = ~std::uint64_t{0};
  if (columnSide != 0) bits &= columnSide < 0 ? before : after;
  if (lineSide != 0) bits &= lineSide < 0 ? above : below;
  return bits;
}

}  // namespace mass::detail

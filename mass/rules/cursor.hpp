#pragma once

#include <mass/rules/storage.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Columns that a thread of a GPU takes at once, at most, where lines are aligned to as many.
inline constexpr int packWidth = 4;

/// Bytes of a pack that are loaded or stored at once.
template <class T, int Width>
constexpr std::size_t packAlignment() {
  constexpr std::size_t bytes = sizeof(T) * static_cast<std::size_t>(Width);
  return std::max(alignof(T), std::min(bytes & (~bytes + 1), std::size_t{16}));
}

/// Neighbouring elements of a line, of which the first is at a multiple of Width; no larger than
/// they are.
template <class T, int Width>
struct alignas(packAlignment<T, Width>()) Pack {
  T values[static_cast<std::size_t>(Width)];
};

#if defined(__CUDACC__)
/// An unsigned number of that many bytes.
template <std::size_t Bytes>
using Word = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<
        Bytes == 2, std::uint16_t,
        std::conditional_t<Bytes == 4, std::uint32_t,
                           std::conditional_t<Bytes == 8, std::uint64_t, unsigned __int128>>>>;
#endif

#if defined(__CUDA_ARCH__)

/// Element `lane` of an aligned pack; a constant once rules are inlined. Loaded as one number,
/// which the compiler does not take apart as it would an array, so that a pack is loaded once.
template <int Width, class T>
__device__ inline T loadFromPack(const T* pack, int lane) {
  constexpr std::size_t bytes = packAlignment<T, Width>();
  constexpr int count = static_cast<int>(bytes / sizeof(T));
  const auto word = *reinterpret_cast<const Word<bytes>*>(pack + lane / count * count);
  return std::bit_cast<T>(static_cast<Word<sizeof(T)>>(word >> (lane % count * 8 * sizeof(T))));
}

/// Where a place lies in the buffers: in the line that begins at `line`, `lane` columns after
/// `column`, the first of a thread that takes `width` of them. The last two are constants once
/// rules are inlined: elements of the thread's own columns come from one load of all of them.
struct Cursor {
  Index line, column;
  int lane, width;

  /// A place, or agent, by its number: of a class none of whose components are bundled.
  MASS_FN Cursor(Index number) : Cursor(number, 0) {}
  MASS_FN Cursor(Index lineBegin, Index firstColumn, int ownLane = 0, int columns = 1)
      : line(lineBegin), column(firstColumn), lane(ownLane), width(columns) {}

  /// The place `distance` away, a multiple of whole lines, and then `columns` to the right.
  MASS_FN Cursor moved(Index distance, int columns) const {
    return {line + distance, column, lane + columns, width};
  }
  /// The same place in component `number` of a bundle, counted from where the first one lies. With
  /// an address for each component, registers would be so scarce that loads wait for each other.
  MASS_FN Cursor component(int number, Index pitch) const {
    return {line, column + number * pitch, lane, width};
  }
  /// The number of column `column` in the buffer of so many components.
  MASS_FN Index first(int interleave) const { return interleave * line + column; }
  MASS_FN Index number(int interleave) const { return first(interleave) + lane; }

  /// Whether the place is one of two of which a thread takes both.
  MASS_FN bool isInPair() const { return width == 2 && (lane == 0 || lane == 1); }
  /// Elements of 16 bits of both, the first one lower.
  MASS_FN std::uint32_t loadPair(const void* data, int interleave) const {
    return *reinterpret_cast<const std::uint32_t*>(static_cast<const std::uint16_t*>(data) +
                                                   first(interleave));
  }

  template <class Stored>
  MASS_FN Stored load(const void* data, int interleave) const {
    const auto* const elements = static_cast<const Stored*>(data) + first(interleave);
    if constexpr (std::is_arithmetic_v<Stored> || std::is_enum_v<Stored>) {
      const bool isOwn = lane >= 0 && lane < width;
      if (width == 2 && isOwn) return loadFromPack<2>(elements, lane);
      if (width == packWidth && isOwn) return loadFromPack<packWidth>(elements, lane);
    }
    return elements[lane];
  }

  /// The bytes of all of the thread's columns, the first lowest; the cursor's own is number
  /// `ownLane`, as if it had not been moved to the side.
  MASS_FN std::uint32_t loadBytes(const void* data, int ownLane) const {
    const auto* const bytes = static_cast<const unsigned char*>(data) + first(1);
    const auto word = *reinterpret_cast<const std::uint32_t*>(bytes);
    const int shift = lane - ownLane;
    if (shift == 0) return word;
    if (shift == -1) return word << 8 | bytes[-1];
    if (shift == 1) return word >> 8 | static_cast<std::uint32_t>(bytes[packWidth]) << 24;
    std::uint32_t all = 0;
    for (int k = 0; k < packWidth; ++k)
      all |= static_cast<std::uint32_t>(bytes[k + shift]) << 8 * k;
    return all;
  }
};

/// Adds up the bytes at the cursors find(0), find(1)... around a place; the sum fits into a byte.
/// A thread that takes several columns adds those of all its columns in one number: the sum of
/// every column is the same expression, which the compiler computes once.
template <int Count, class Find>
__device__ inline std::uint8_t sumOfBytes(const void* data, Cursor here, Find&& find) {
  std::uint32_t sums = 0;
  if (here.width == packWidth) {
    for (int i = 0; i < Count; ++i) sums += find(i).loadBytes(data, here.lane);
    return static_cast<std::uint8_t>(sums >> (here.lane * 8));
  }
  for (int i = 0; i < Count; ++i) sums += find(i).template load<unsigned char>(data, 1);
  return static_cast<std::uint8_t>(sums);
}

#else

/// Where a place lies in the buffers: in the line that begins at `line`.
struct Cursor {
  Index line, column;

  /// A place, or agent, by its number: of a class none of whose components are bundled.
  MASS_FN Cursor(Index number) : Cursor(number, 0) {}
  MASS_FN Cursor(Index lineBegin, Index columnInLine) : line(lineBegin), column(columnInLine) {}

  /// The place `distance` away, a multiple of whole lines, and then `columns` to the right.
  MASS_FN Cursor moved(Index distance, int columns) const {
    return {line + distance, column + columns};
  }
  MASS_FN Cursor component(int number, Index pitch) const {
    return {line, column + number * pitch};
  }
  /// The number of the place in the buffer of so many components.
  MASS_FN Index number(int interleave) const { return interleave * line + column; }

  template <class Stored>
  MASS_FN Stored load(const void* data, int interleave) const {
    return static_cast<const Stored*>(data)[number(interleave)];
  }
};

/// Adds up the bytes at the cursors find(0), find(1)... around a place; the sum fits into a byte.
template <int Count, class Find>
inline std::uint8_t sumOfBytes(const void* data, Cursor /*here*/, Find&& find) {
  std::uint8_t sum = 0;
  for (int i = 0; i < Count; ++i) {
    sum = static_cast<std::uint8_t>(sum + find(i).template load<unsigned char>(data, 1));
  }
  return sum;
}

#endif

}  // namespace mass::detail

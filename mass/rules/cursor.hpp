#pragma once

#include <mass/rules/storage.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Maximum number of columns per thread of a GPU; lines are then aligned to this number of columns.
inline constexpr int packWidth = 4;

/// Alignment of a Pack in bytes: the largest power of 2 that divides its size, at most 16.
template <class T, int Width>
constexpr std::size_t packAlignment() {
  constexpr std::size_t bytes = sizeof(T) * static_cast<std::size_t>(Width);
  return std::max(alignof(T), std::min(bytes & (~bytes + 1), std::size_t{16}));
}

/// `Width` successive elements of a line for one load or store, without padding.
/// @pre the column of the first element is a multiple of Width
template <class T, int Width>
struct alignas(packAlignment<T, Width>()) Pack {
  T values[static_cast<std::size_t>(Width)];
};

/// Unsigned integer of 16 bytes.
__extension__ using Word128 = unsigned __int128;
/// Unsigned integer of `Bytes` bytes: 1, 2, 4, 8 or 16.
template <std::size_t Bytes>
using Word = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t,
                                          std::conditional_t<Bytes == 8, std::uint64_t, Word128>>>>;

/// Returns element `lane` of an aligned pack. The pack is loaded as one integer: the compiler would
/// split the load of an array into loads of its elements. After inlining, `lane` is a constant.
template <int Width, class T>
MASS_FN inline T loadFromPack(const T* pack, int lane) {
  constexpr std::size_t bytes = packAlignment<T, Width>();
  constexpr int count = static_cast<int>(bytes / sizeof(T));
  const auto word = *reinterpret_cast<const Word<bytes>*>(pack + lane / count * count);
  const int bits = lane % count * static_cast<int>(8 * sizeof(T));
  return std::bit_cast<T>(static_cast<Word<sizeof(T)>>(word >> bits));
}

/// Position of a place in the buffers of its components, for a thread of a GPU. The thread
/// processes `width` columns from `column` on; the place is `lane` columns after `column` (lane < 0
/// or >= width: a place of another thread). After inlining, `lane` and `width` are constants, and
/// the elements of the thread's own columns are read by one load.
struct PackedCursor {
  Index line;    ///< Index of column 0 of the line in a buffer of one component.
  Index column;  ///< First column of the thread.
  int lane, width;

  /// Position of a place or agent by its index in a buffer. @pre no component is interleaved
  MASS_FN PackedCursor(Index number) : PackedCursor(number, 0) {}
  MASS_FN PackedCursor(Index lineBegin, Index firstColumn, int ownLane = 0, int columns = 1)
      : line(lineBegin), column(firstColumn), lane(ownLane), width(columns) {}

  /// Returns the position at `distance`, a multiple of the pitch, plus `columns` columns.
  MASS_FN PackedCursor moved(Index distance, int columns) const {
    return {line + distance, column, lane + columns, width};
  }
  /// Returns the position of this place for a thread that has no other: it is loaded by itself.
  MASS_FN PackedCursor alone() const { return {line, column + lane}; }
  /// Returns the position of this place in component k of an interleaved buffer, relative to the
  /// address of component 0. One address per buffer instead of one per component saves registers:
  /// loads then overlap.
  MASS_FN PackedCursor component(int k, Index pitch) const {
    return {line, column + k * pitch, lane, width};
  }
  /// Index of column `column` in a buffer of `interleave` components.
  MASS_FN Index first(int interleave) const { return interleave * line + column; }
  /// Index of the place in a buffer of `interleave` components.
  MASS_FN Index number(int interleave) const { return first(interleave) + lane; }

  /// True if the place `columns` columns after this one is in one of the thread's columns.
  MASS_FN bool isOwn(int columns) const {
    const int other = lane + columns;
    return other >= 0 && other < width;
  }
  /// True if the thread processes two columns and the place is in one of them.
  MASS_FN bool isInPair() const { return width == 2 && (lane == 0 || lane == 1); }
  /// Loads the elements of 16 bits of both columns; the first one is in the lower half.
  MASS_FN std::uint32_t loadPair(const void* data, int interleave) const {
    return *reinterpret_cast<const std::uint32_t*>(static_cast<const std::uint16_t*>(data) +
                                                   first(interleave));
  }

  /// Loads the stored element of the place.
  template <class Stored>
  MASS_FN Stored loadStored(const void* data, int interleave) const {
    const auto* const elements = static_cast<const Stored*>(data) + first(interleave);
    if constexpr (std::is_arithmetic_v<Stored> || std::is_enum_v<Stored>) {
      const bool isInPack = lane >= 0 && lane < width;
      if (width == 2 && isInPack) return loadFromPack<2>(elements, lane);
      if (width == packWidth && isInPack) return loadFromPack<packWidth>(elements, lane);
    }
    return elements[lane];
  }
  /// Loads the element of the place and decodes it. @tparam Form its representation
  template <class Form>
  MASS_FN auto load(const void* data, int interleave) const {
    if constexpr (requires { Form::decodeOne(0U, 0); }) {
      if (isInPair()) return Form::decodeOne(loadPair(data, interleave), lane);
    }
    return Form::decode(loadStored<typename Form::Stored>(data, interleave));
  }

  /// Loads the bytes at `lane - ownLane` columns from each column of the thread; the byte of the
  /// first column is in the lowest bits. @param ownLane lane of this cursor before moved()
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

/// Returns the sum of the bytes at the cursors find(0), ..., find(Count - 1) around `here`. A
/// thread that processes packWidth columns sums all of them in one word of 32 bits. This expression
/// is the same for each of these columns, and the compiler evaluates it once.
/// @pre the sum of each column is at most 255
template <int Count, class Find>
MASS_FN inline std::uint8_t sumOfBytes(const void* data, PackedCursor here, Find&& find) {
  std::uint32_t sums = 0;
  if (here.width == packWidth) {
    for (int i = 0; i < Count; ++i) sums += find(i).loadBytes(data, here.lane);
    return static_cast<std::uint8_t>(sums >> (here.lane * 8));
  }
  for (int i = 0; i < Count; ++i) sums += find(i).template loadStored<unsigned char>(data, 1);
  return static_cast<std::uint8_t>(sums);
}

/// Position of a place in the buffers of its components, for a thread of a CPU.
struct PlainCursor {
  Index line;    ///< Index of column 0 of the line in a buffer of one component.
  Index column;  ///< Column of the place.

  /// Position of a place or agent by its index in a buffer. @pre no component is interleaved
  MASS_FN PlainCursor(Index number) : PlainCursor(number, 0) {}
  MASS_FN PlainCursor(Index lineBegin, Index columnInLine)
      : line(lineBegin), column(columnInLine) {}

  /// Returns the position at `distance`, a multiple of the pitch, plus `columns` columns.
  MASS_FN PlainCursor moved(Index distance, int columns) const {
    return {line + distance, column + columns};
  }
  /// Returns this position; see PackedCursor::alone().
  MASS_FN PlainCursor alone() const { return *this; }
  /// Returns the position in component k of an interleaved buffer, relative to that of component 0.
  MASS_FN PlainCursor component(int k, Index pitch) const { return {line, column + k * pitch}; }
  /// Index of the place in a buffer of `interleave` components.
  MASS_FN Index number(int interleave) const { return interleave * line + column; }

  /// True if the place `columns` columns after this one is this place.
  MASS_FN bool isOwn(int columns) const { return columns == 0; }

  /// Loads the stored element of the place.
  template <class Stored>
  MASS_FN Stored loadStored(const void* data, int interleave) const {
    return static_cast<const Stored*>(data)[number(interleave)];
  }
  /// Loads the element of the place and decodes it. @tparam Form its representation
  template <class Form>
  MASS_FN auto load(const void* data, int interleave) const {
    return Form::decode(loadStored<typename Form::Stored>(data, interleave));
  }
};

/// Returns the sum of the bytes at the cursors find(0), ..., find(Count - 1).
/// @pre the sum is at most 255
template <int Count, class Find>
MASS_FN inline std::uint8_t sumOfBytes(const void* data, PlainCursor /*here*/, Find&& find) {
  std::uint8_t sum = 0;
  for (int i = 0; i < Count; ++i) {
    sum = static_cast<std::uint8_t>(sum + find(i).template loadStored<unsigned char>(data, 1));
  }
  return sum;
}

/// Position of a place in the buffers of its components.
using Cursor = std::conditional_t<onGpu, PackedCursor, PlainCursor>;

}  // namespace mass::detail

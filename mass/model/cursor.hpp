#pragma once

#include <mass/model/storage.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Columns that a thread of a GPU takes at once, where lines are aligned to as many.
inline constexpr int packWidth = 4;

/// How neighbouring elements that begin at a multiple of packWidth are aligned, up to 16 bytes.
template <class T>
constexpr std::size_t packAlignment() {
  constexpr std::size_t bytes = sizeof(T) * packWidth;
  return std::max(alignof(T), std::min(bytes & (~bytes + 1), std::size_t{16}));
}

/// Neighbouring elements of a line, stored at once; no larger than they are.
template <class T>
struct alignas(packAlignment<T>()) Pack {
  T values[packWidth];
};

#if defined(__CUDA_ARCH__)

/// Element `lane` of an aligned pack; a constant once rules are inlined. Loaded as one number,
/// which the compiler does not take apart as it would an array, so that a pack is loaded once.
template <class T>
__device__ inline T loadFromPack(const T* pack, int lane) {
  if constexpr (sizeof(T) == 1) {
    const auto word = *reinterpret_cast<const std::uint32_t*>(pack);
    return std::bit_cast<T>(static_cast<std::uint8_t>(word >> (lane * 8)));
  } else if constexpr (sizeof(T) == 2) {
    const auto word = *reinterpret_cast<const std::uint64_t*>(pack);
    return std::bit_cast<T>(static_cast<std::uint16_t>(word >> (lane * 16)));
  } else if constexpr (sizeof(T) == 4) {
    const auto word = *reinterpret_cast<const unsigned __int128*>(pack);
    return std::bit_cast<T>(static_cast<std::uint32_t>(word >> (lane * 32)));
  } else {
    static_assert(sizeof(T) == 8);
    const auto word = *reinterpret_cast<const unsigned __int128*>(pack + lane / 2 * 2);
    return std::bit_cast<T>(static_cast<std::uint64_t>(word >> (lane % 2 * 64)));
  }
}

/// Where a place lies in a buffer: `lane` columns after `at`, which is the first column of a thread
/// that takes `width` of them. Both are constants once rules are inlined: elements of the thread's
/// own columns come from one load of all of them.
struct Cursor {
  Index at;
  int lane = 0;
  int width = 1;

  MASS_FN Cursor(Index place) : at(place) {}
  MASS_FN Cursor(Index first, int column, int columns) : at(first), lane(column), width(columns) {}

  /// The place `distance` away, a multiple of whole lines, and then `columns` to the right.
  MASS_FN Cursor moved(Index distance, int columns) const {
    return {at + distance, lane + columns, width};
  }

  template <class Stored>
  MASS_FN Stored load(const void* data) const {
    const auto* const elements = static_cast<const Stored*>(data) + at;
    if constexpr (std::is_arithmetic_v<Stored> || std::is_enum_v<Stored>) {
      if (width == packWidth && lane >= 0 && lane < packWidth) return loadFromPack(elements, lane);
    }
    return elements[lane];
  }

  /// The bytes of all of the thread's columns, the first lowest; the cursor's own is number
  /// `ownLane`, as if it had not been moved to the side.
  MASS_FN std::uint32_t loadBytes(const void* data, int ownLane) const {
    const auto* const bytes = static_cast<const unsigned char*>(data) + at;
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
  for (int i = 0; i < Count; ++i) sums += find(i).template load<unsigned char>(data);
  return static_cast<std::uint8_t>(sums);
}

#else

/// Where a place lies in a buffer.
struct Cursor {
  Index at;

  MASS_FN Cursor(Index place) : at(place) {}
  MASS_FN Cursor(Index first, int column, int /*columns*/) : at(first + column) {}

  /// The place `distance` away, a multiple of whole lines, and then `columns` to the right.
  MASS_FN Cursor moved(Index distance, int columns) const { return at + distance + columns; }

  template <class Stored>
  MASS_FN Stored load(const void* data) const {
    return static_cast<const Stored*>(data)[at];
  }
};

/// Adds up the bytes at the cursors find(0), find(1)... around a place; the sum fits into a byte.
template <int Count, class Find>
inline std::uint8_t sumOfBytes(const void* data, Cursor /*here*/, Find&& find) {
  std::uint8_t sum = 0;
  for (int i = 0; i < Count; ++i) {
    sum = static_cast<std::uint8_t>(sum + find(i).template load<unsigned char>(data));
  }
  return sum;
}

#endif

}  // namespace mass::detail

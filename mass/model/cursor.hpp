#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// What an element is in a buffer: bools are bytes there.
template <class T>
using Packed = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

/// Columns that a thread of a GPU takes at once, where lines are aligned to as many.
inline constexpr int packWidth = 4;

/// Neighbouring elements of a line, stored at once.
template <class T>
struct alignas(sizeof(T) * packWidth <= 16 ? sizeof(T) * packWidth : 16) Pack {
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

  template <class T>
  MASS_FN Packed<T> load(const void* data) const {
    using Stored = Packed<T>;
    const auto* const elements = static_cast<const Stored*>(data) + at;
    if constexpr (std::is_arithmetic_v<Stored> || std::is_enum_v<Stored>) {
      if (width == packWidth && lane >= 0 && lane < packWidth) return loadFromPack(elements, lane);
    }
    return elements[lane];
  }
};

#else

/// Where a place lies in a buffer.
struct Cursor {
  Index at;

  MASS_FN Cursor(Index place) : at(place) {}
  MASS_FN Cursor(Index first, int column, int /*columns*/) : at(first + column) {}

  /// The place `distance` away, a multiple of whole lines, and then `columns` to the right.
  MASS_FN Cursor moved(Index distance, int columns) const { return at + distance + columns; }

  template <class T>
  MASS_FN Packed<T> load(const void* data) const {
    return static_cast<const Packed<T>*>(data)[at];
  }
};

#endif

}  // namespace mass::detail

#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/support/heap_sort.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Entry of an agenda: an arrival, or a candidate of the place itself. Sorted by tick, then by the
/// number of the place where it begins, then by position in the list of that place.
struct AgendaKey {
  static constexpr int maxPosition = 1 << 21;
  static constexpr unsigned own = 0x80;       ///< code of a candidate of hop 0; others follow
  static constexpr unsigned ownEvent = 0xff;  ///< code of a candidate that is no hop
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// Returns the key of an entry.
  /// @param rank rank of the number of the place among those around, below 8
  /// @param position index in the list of its place, below maxPosition
  /// @param code kind of particle of an arrival, or see above
  MASS_FN static std::uint64_t of(std::uint32_t tick, unsigned rank, unsigned position,
                                  unsigned code) {
    return std::uint64_t{tick} << 32 | rank << 29 | position << 8 | code;
  }
  MASS_FN static std::uint32_t tick(std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32);
  }
  MASS_FN static unsigned rank(std::uint64_t key) { return static_cast<unsigned>(key >> 29 & 7); }
  MASS_FN static unsigned position(std::uint64_t key) {
    return static_cast<unsigned>(key >> 8 & (maxPosition - 1));
  }
  MASS_FN static unsigned code(std::uint64_t key) { return static_cast<unsigned>(key & 0xff); }
};

/// Places around a place from which particles arrive, and the ranks of their numbers.
struct PlaceRanks {
  unsigned own = 0;
  unsigned of[maxDirections + 2] = {};

  MASS_FN PlaceRanks(const EventView& view, std::int32_t place) {
    std::uint32_t numbers[maxDirections + 2];
    for (int k = 0; k < maxDirections + 2; ++k) numbers[k] = ~std::uint32_t{0};
    for (int k = 0; k < view.directions; ++k) {
      const std::int32_t source = view.neighbor(place, k);
      if (source >= 0) numbers[k] = view.numberOf(source);
    }
    numbers[maxDirections] = view.numberOf(place);
    for (int k = 0; k < maxDirections + 2; ++k)
      for (int j = 0; j < maxDirections + 2; ++j) of[k] += numbers[j] < numbers[k];
    own = of[maxDirections];
  }
};

/// Sorts different keys into `sorted`.
/// @param keys, sorted arrays with memory for `count` keys, rounded up to a multiple of 16
MASS_FN inline void sortKeys(std::uint64_t* keys, int count, std::uint64_t* sorted) {
  if (count > 32) {
    for (int i = 0; i < count; ++i) sorted[i] = keys[i];
    heapSort(sorted, count, [](std::uint64_t a, std::uint64_t b) { return a < b; });
    return;
  }
  const int padded = (count + 15) / 16 * 16;
  for (int i = count; i < padded; ++i) keys[i] = AgendaKey::never;
  for (int i = 0; i < count; ++i) {
    unsigned rank = 0;
    for (int block = 0; block < padded; block += 16) {
      for (int j = 0; j < 16; ++j) rank += keys[block + j] < keys[i];
    }
    sorted[rank] = keys[i];
  }
}

}  // namespace mass::detail

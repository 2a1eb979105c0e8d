#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/support/heap_sort.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
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

/// Part of a departure list.
struct DepartureRange {
  const Departure* list = nullptr;
  std::uint32_t count = 0;
};

/// Parts of departure lists that arrive at a place.
struct PlaceSources {
  static constexpr int most = 8;  // directions, the place itself, and one

  DepartureRange ranges[most];   ///< by direction
  unsigned ranks[most] = {};     ///< ranks of the numbers of the places; maxDirections: itself
  std::uint32_t departures = 0;  ///< number of all

  MASS_FN PlaceSources(const EventView& view, std::int32_t place) {
    const std::int32_t* const neighbors = view.neighborsOf(place);
    std::int32_t places[most];
    for (int k = 0; k < most; ++k) places[k] = noPlace;
    for (int k = 0; k < view.directions; ++k) {
      places[k] = neighbors[k];
      const unsigned part = view.parts.arriving[static_cast<std::size_t>(k)];
      const bool arrives = (neighbors[k] != noPlace) & (part != HopParts::none);
      const DepartureList& list = view.departureLists[arrives ? neighbors[k] : 0];
      const int from = static_cast<int>(arrives ? part : 0);
      const std::uint32_t begin = list.beginOf(from);
      ranges[k] = {list.begin + begin, arrives ? list.ends[from] - begin : 0};
      departures += ranges[k].count;
    }
    places[maxDirections] = place;
    for (int j = 0; j < most; ++j) {
      for (int k = 0; k < most; ++k) ranks[k] += places[j] < places[k];
    }
  }
};

/// Events of a place in a window, arrivals and candidates, in any order.
struct Agenda {
  std::uint64_t* keys = nullptr;
  std::uint64_t* sorted = nullptr;
  std::uint32_t* ticks = nullptr;  ///< ticks of `keys`
  int capacity = 0;                ///< capacity of each, a multiple of 16
  int count = 0;

  /// Appends an entry if `condition` is true. @pre count < capacity
  MASS_FN void addIf(bool condition, std::uint64_t key) {
    keys[count] = key;
    ticks[count] = AgendaKey::tick(key);
    count += static_cast<int>(condition);
  }
  /// Fills `sorted`. @pre count + 16 <= capacity
  MASS_FN void sort() {
    const bool isSorted = count > 4 && (count <= 16   ? sortByTicks<16>()
                                        : count <= 32 ? sortByTicks<32>()
                                                      : false);
    if (!isSorted) sortByKeys();
  }

 private:
  /// Counts the smaller ticks for each entry. @return false if two ticks are equal
  /// @tparam Padded number of entries with padding, a multiple of 16
  template <int Padded>
  MASS_FN bool sortByTicks() {
    std::uint32_t ranks[static_cast<std::size_t>(Padded)] = {};
    for (int i = count; i < Padded; ++i) ticks[i] = ~std::uint32_t{0};
    for (int j = 0; j < count; ++j) {
      const std::uint32_t tick = ticks[j];
      for (int i = 0; i < Padded; ++i) ranks[i] += tick < ticks[i];
    }
    std::uint32_t sum = 0;
    for (int i = 0; i < count; ++i) {
      sorted[ranks[i]] = keys[i];
      sum += ranks[i];
    }
    return sum == static_cast<std::uint32_t>(count * (count - 1) / 2);
  }
  MASS_FN void sortByKeys() {
    if (count > 32) {
      for (int i = 0; i < count; ++i) sorted[i] = keys[i];
      heapSort(sorted, count, [](std::uint64_t a, std::uint64_t b) { return a < b; });
      return;
    }
    for (int i = 0; i < count; ++i) {
      int at = i;
      for (; at > 0 && sorted[at - 1] > keys[i]; --at) sorted[at] = sorted[at - 1];
      sorted[at] = keys[i];
    }
  }
};

}  // namespace mass::detail

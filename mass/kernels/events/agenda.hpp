#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/support/heap_sort.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Entry of an agenda: an arrival, or a candidate of the place itself. Keys are ordered by tick.
struct AgendaKey {
  static constexpr int maxPosition = 1 << 21;
  static constexpr unsigned own = 0x80;       ///< code of a candidate of hop 0; others follow
  static constexpr unsigned ownEvent = 0xff;  ///< code of a candidate that is no hop
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// Returns the key of an entry.
  /// @param source direction of the place where it begins; maxDirections: the place itself
  /// @param position index in the list of its place, below maxPosition
  /// @param code kind of particle of an arrival, or see above
  MASS_FN static std::uint64_t of(std::uint32_t tick, unsigned source, unsigned position,
                                  unsigned code) {
    return std::uint64_t{tick} << 32 | source << 29 | position << 8 | code;
  }
  MASS_FN static std::uint32_t tick(std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32);
  }
  MASS_FN static unsigned source(std::uint64_t key) { return static_cast<unsigned>(key >> 29 & 7); }
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

/// Parts of departure lists that arrive at a place. @tparam Directions number of directions
template <int Directions>
struct PlaceSources {
  DepartureRange ranges[static_cast<std::size_t>(Directions)];  ///< by direction
  const std::int32_t* neighbors;
  std::int32_t place;
  std::uint32_t departures = 0;  ///< number of all

  MASS_FN PlaceSources(const EventView& view, std::int32_t receiver)
      : neighbors(view.neighborsOf(receiver)), place(receiver) {
    for (int k = 0; k < Directions; ++k) {
      const unsigned part = view.parts.arriving[static_cast<std::size_t>(k)];
      const bool arrives = (neighbors[k] != noPlace) & (part != HopParts::none);
      const std::uint32_t mask = 0U - static_cast<std::uint32_t>(arrives);
      const DepartureList& list =
          view.departureLists[neighbors[k] & static_cast<std::int32_t>(mask)];
      const int from = static_cast<int>(part & mask);
      const std::uint32_t begin = list.beginOf(from);
      ranges[k] = {list.begin + begin, (list.ends[from] - begin) & mask};
      departures += ranges[k].count;
    }
  }
  /// Returns the number of the place where an entry of the agenda begins.
  MASS_FN std::int32_t originOf(std::uint64_t key) const {
    const unsigned source = AgendaKey::source(key);
    return source == maxDirections ? place : neighbors[source];
  }
  /// True if entry `a` is before entry `b`: by tick, then by the number of the place where it
  /// begins, then by position in the list of that place.
  MASS_FN bool precedes(std::uint64_t a, std::uint64_t b) const {
    constexpr std::uint64_t inList = (1U << 29) - 1;
    if (AgendaKey::tick(a) != AgendaKey::tick(b)) return a < b;
    const std::int32_t originOfA = originOf(a), originOfB = originOf(b);
    return originOfA != originOfB ? originOfA < originOfB : (a & inList) < (b & inList);
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
  /// @param sources sources of the entries
  template <class Sources>
  MASS_FN void sort(const Sources& sources) {
    const bool isSorted = count <= 4    ? sortFour()
                          : count <= 16 ? sortByTicks<16>()
                          : count <= 32 ? sortByTicks<32>()
                                        : false;
    if (!isSorted) sortByKeys(sources);
  }

 private:
  /// Sorts up to four entries by a network of comparisons. @return false if two ticks are equal
  MASS_FN bool sortFour() {
    for (int i = count; i < 4; ++i) keys[i] = AgendaKey::never;
    std::uint64_t a = keys[0], b = keys[1], c = keys[2], d = keys[3];
    const auto order = [](std::uint64_t& first, std::uint64_t& second) {
      const std::uint64_t less = second < first ? second : first;
      second = second < first ? first : second;
      first = less;
    };
    order(a, b), order(c, d), order(a, c), order(b, d), order(b, c);
    sorted[0] = a, sorted[1] = b, sorted[2] = c, sorted[3] = d;
    const auto areEqual = [](std::uint64_t first, std::uint64_t second) {
      return ((first ^ second) >> 32 == 0) & (second != AgendaKey::never);
    };
    return !(areEqual(a, b) | areEqual(b, c) | areEqual(c, d));
  }
  /// Counts the smaller ticks for each entry. @return false if two ticks are equal
  /// @tparam Padded number of entries with padding, a multiple of 16
  template <int Padded>
  MASS_FN bool sortByTicks() {
    constexpr int step = 4;  // few different numbers of iterations, which are predictable
    std::uint32_t ranks[static_cast<std::size_t>(Padded)] = {};
    for (int i = 0; i < 16; ++i) ticks[count + i] = ~std::uint32_t{0};
    for (int j = 0; j < count; j += step) {
      for (int k = 0; k < step; ++k) {
        const std::uint32_t tick = ticks[j + k];
        for (int i = 0; i < Padded; ++i) ranks[i] += tick < ticks[i];
      }
    }
    // The padding, of rank `count` at least, is written after the entries.
    const auto end = static_cast<std::uint32_t>(count);
    std::uint32_t sum = 0;
    for (int i = 0; i < count; i += step) {
      for (int k = i; k < i + step; ++k) {
        const bool isEntry = k < count;
        sorted[isEntry ? ranks[k] : end] = keys[k];
        sum += isEntry ? ranks[k] : 0;
      }
    }
    return sum == static_cast<std::uint32_t>(count * (count - 1) / 2);
  }
  template <class Sources>
  __attribute__((noinline)) MASS_FN void sortByKeys(const Sources& sources) {
    const auto precedes = [&](std::uint64_t a, std::uint64_t b) { return sources.precedes(a, b); };
    if (count > 32) {
      for (int i = 0; i < count; ++i) sorted[i] = keys[i];
      heapSort(sorted, count, precedes);
      return;
    }
    for (int i = 0; i < count; ++i) {
      int at = i;
      for (; at > 0 && precedes(keys[i], sorted[at - 1]); --at) sorted[at] = sorted[at - 1];
      sorted[at] = keys[i];
    }
  }
};

}  // namespace mass::detail

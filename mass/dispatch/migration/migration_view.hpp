#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <cstring>

namespace mass::detail::migration {

/// What is counted while agents are managed.
enum Count : int {
  died,
  moved,
  blocked,
  born,
  unborn,
  invalidRequests,  ///< agents that wanted what they may not
  children,         ///< that parents asked for
  identities,       ///< a sum that no agent may be missing from, or be in twice
  counts
};

/// Counts of one thread, or of several together.
struct Counters {
  std::uint64_t of[counts] = {};
};

/// Which counts a body may change.
constexpr unsigned maskOf(Count count) {
  return 1U << count;
}

/// What happens to an agent: first it stays or is gone or claims a place, then the claim is
/// settled.
enum MoveState : std::uint8_t { staying, gone, claiming, arriving, refused };

/// One component of agents: where it is, where it will be, and that of their children.
struct Column {
  char* front = nullptr;
  char* back = nullptr;
  const char* children = nullptr;
  std::int64_t size = 0;  ///< bytes of an element
};

/// The bits of an element of 1, 2, 4 or 8 bytes.
MASS_FN inline std::uint64_t loadWord(const char* from, std::int64_t size) {
#if defined(__CUDA_ARCH__)
  if (size == 4) return *reinterpret_cast<const std::uint32_t*>(from);
  if (size == 8) return *reinterpret_cast<const std::uint64_t*>(from);
  if (size == 2) return *reinterpret_cast<const std::uint16_t*>(from);
  return *reinterpret_cast<const std::uint8_t*>(from);
#else
  std::uint64_t word = 0;
  std::memcpy(&word, from, static_cast<std::size_t>(size));
  return word;
#endif
}
MASS_FN inline void storeWord(char* to, std::uint64_t word, std::int64_t size) {
#if defined(__CUDA_ARCH__)
  if (size == 4) *reinterpret_cast<std::uint32_t*>(to) = static_cast<std::uint32_t>(word);
  if (size == 8) *reinterpret_cast<std::uint64_t*>(to) = word;
  if (size == 2) *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(word);
  if (size == 1) *reinterpret_cast<std::uint8_t*>(to) = static_cast<std::uint8_t>(word);
#else
  std::memcpy(to, &word, static_cast<std::size_t>(size));
#endif
}
MASS_FN inline bool isWord(std::int64_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8;
}

/// The agents of one device while they are managed. Numbers: first those that live here, then those
/// that want to come from other devices, then children.
struct MigrationView {
  std::uint64_t* counts = nullptr;  ///< to which tallies are added
  // What they want and where they are.
  std::int64_t own = 0, arrivals = 0, newborn = 0;
  std::int64_t worldPlaces = 0, firstPlace = 0;
  std::int32_t ownBins = 0, allBins = 0;
  std::int64_t capacity = 0;
  std::int32_t offspring = 0;
  std::uint64_t key = 0;  ///< of priorities
  const std::uint64_t* ids = nullptr;
  const std::int32_t* bin = nullptr;
  const std::int32_t* first = nullptr;
  std::int64_t* targets = nullptr;
  std::uint8_t* births = nullptr;
  const std::int64_t* birthplaces = nullptr;
  const Column* columns = nullptr;
  std::int32_t columnCount = 0;
  // What comes of it.
  std::uint64_t* newIds = nullptr;  ///< ids, to be written behind those that live here
  std::uint64_t* nextIds = nullptr;
  std::int32_t* nextBin = nullptr;
  std::int32_t* nextFirst = nullptr;
  // The desk.
  std::int32_t* nextClaim = nullptr;
  std::int32_t* kept = nullptr;
  std::uint8_t* moveStates = nullptr;
  std::int32_t* lastClaim = nullptr;
  std::int32_t* immigrants = nullptr;
  std::uint64_t* crowdedBins =
      nullptr;  ///< bins that many come into; which, is in nextBin for a while
  // What goes to other devices and comes from there.
  int devices = 1;
  const std::int64_t* placeEnds = nullptr;
  std::uint64_t* sentMoves = nullptr;     ///< by device: how many; later where the next goes
  std::uint64_t* sentChildren = nullptr;  ///< the same
  std::uint64_t* localChildren = nullptr;
  std::int64_t* sentPlaces = nullptr;
  std::int32_t* sentOrigins = nullptr;
  const std::uint8_t* decisions = nullptr;
  std::int64_t* free = nullptr;           ///< places of this device that have room
  const std::int64_t* allFree = nullptr;  ///< those of all devices
  std::uint64_t seekersBefore = 0;        ///< seekers of the devices before
  std::uint64_t* seekers = nullptr;       ///< how many there are: here, then on all devices
  std::uint64_t* freePlaces = nullptr;    ///< the same
  std::uint64_t firstChild = 0;           ///< the identity of this device's first child
  std::uint64_t* alive = nullptr;
  const std::int32_t* edgeBins = nullptr;
  std::uint64_t* edges = nullptr;  ///< the first agents of some bins
  std::int32_t edgeCount = 0;

  MASS_FN std::int64_t all() const { return own + arrivals + newborn; }
  MASS_FN bool isHere(std::int64_t place) const {
    return place >= firstPlace && place - firstPlace < ownBins;
  }
  MASS_FN std::int32_t binOf(std::int64_t place) const {
    return static_cast<std::int32_t>(place - firstPlace);
  }
  MASS_FN int ownerOf(std::int64_t place) const {
    int owner = 0;
    while (place >= placeEnds[owner]) ++owner;
    return owner;
  }
  /// No two agents have the same one: mix is a bijection. The lowest come in first.
  MASS_FN std::uint64_t priorityOf(std::int64_t agent) const { return mix(ids[agent] ^ key); }

  /// How many may come into a bin beside those that are there and do not die.
  MASS_FN std::int64_t roomIn(std::int64_t here) const {
    std::int64_t room = capacity;
    for (std::int32_t j = first[here]; j < first[here + 1]; ++j) room -= targets[j] != targetDie;
    return room;
  }
  /// Of those that are in a bin in the new state, the first that was not there before; they come
  /// after the others while they are listed.
  MASS_FN std::int32_t firstImmigrant(std::int32_t here) const {
    return nextFirst[here] + kept[first[here + 1]] - kept[first[here]];
  }
  /// Puts an agent among those that want to come into a bin. Where all can, it does.
  MASS_FN void claim(std::int64_t agent, std::int32_t here, Counters& counters) const {
    if (capacity == 0) return admit(agent, here, counters);
    moveStates[agent] = claiming;
    nextClaim[agent] = exchange(lastClaim[here], static_cast<std::int32_t>(agent));
  }
  MASS_FN void admit(std::int64_t agent, std::int32_t here, Counters& counters) const {
    moveStates[agent] = arriving;
    fetchAdd(immigrants[here], 1);
    if (agent < own + arrivals) {
      ++counters.of[moved];
    } else {
      ++counters.of[born];
      counters.of[identities] -= mix(ids[agent]);
    }
  }
  /// Counts the agents of a bin's claims for which `counts(agent)`, up to `limit`.
  template <class F>
  MASS_FN std::int64_t countClaims(std::int32_t here, std::int64_t limit, F&& isCounted) const {
    std::int64_t count = 0;
    for (std::int32_t other = lastClaim[here]; other >= 0 && count < limit;
         other = nextClaim[other]) {
      if (isCounted(other)) ++count;
    }
    return count;
  }
  /// Whether an agent is among the first `room` of those that claim its bin and have numbers from
  /// `begin` on.
  MASS_FN bool wins(std::int64_t agent, std::int32_t here, std::int64_t room,
                    std::int64_t begin) const {
    if (room <= 0) return false;
    const std::uint64_t mine = priorityOf(agent);
    return countClaims(here, room, [&](std::int32_t other) {
             return other >= begin && priorityOf(other) < mine;
           }) < room;
  }
  /// Copies element `from` of every column's `Source` to element `to` of its `Target`.
  template <auto Source, auto Target>
  MASS_FN void copyColumns(std::int64_t from, std::int64_t to) const {
    // Some columns are loaded before the first is stored, so as to wait for all of them at once.
    constexpr std::int32_t together = 4;
    for (std::int32_t begin = 0; begin < columnCount; begin += together) {
      std::uint64_t words[together] = {};
#pragma unroll
      for (std::int32_t k = 0; k < together && begin + k < columnCount; ++k) {
        const Column& column = columns[begin + k];
        const char* const element = column.*Source + from * column.size;
        if (isWord(column.size)) {
          words[k] = loadWord(element, column.size);
        } else {
          for (std::int64_t i = 0; i < column.size; ++i) {
            (column.*Target)[to * column.size + i] = element[i];
          }
        }
      }
#pragma unroll
      for (std::int32_t k = 0; k < together && begin + k < columnCount; ++k) {
        const Column& column = columns[begin + k];
        if (!isWord(column.size)) continue;
        storeWord(column.*Target + to * column.size, words[k], column.size);
      }
    }
  }
};

}  // namespace mass::detail::migration

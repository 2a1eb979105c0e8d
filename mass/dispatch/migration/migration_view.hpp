#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <cstring>

namespace mass::detail::migration {

/// Counters of a migration.
enum Count : int {
  died,             ///< agents that died
  moved,            ///< agents that moved
  blocked,          ///< agents that stay because their target was full, or no place was free
  born,             ///< children that were born
  unborn,           ///< children that were not born because their place was full
  invalidRequests,  ///< intents that were invalid
  children,         ///< children that agents requested
  /// Checksum: hashes of the identities after the migration minus those expected, modulo 2^64.
  identities,
  counts  ///< number of counters
};

/// Counters of one thread.
struct Counters {
  std::uint64_t of[counts] = {};  ///< by Count
};

/// Returns the bit mask of a counter. The `mask` of a body has the bits of all counters it changes.
constexpr unsigned maskOf(Count count) {
  return 1U << count;
}

/// Progress of an agent in a migration. A claim is the request of an agent to enter a bin of
/// limited capacity. The claims of a bin are a linked list until ResolveMoves or ResolveBirths
/// decides them.
enum MoveState : std::uint8_t {
  staying,   ///< stays in its bin
  gone,      ///< dies, or emigrates to another device
  claiming,  ///< has an undecided claim
  arriving,  ///< enters its target bin
  refused,   ///< immigrant or child that does not enter its target bin
};

/// Buffers of one component of the agents.
struct Column {
  char* front = nullptr;           ///< present state
  char* back = nullptr;            ///< next state
  const char* children = nullptr;  ///< initial values of children
  std::int64_t size = 0;           ///< bytes of an element
};

/// Loads an element of 1, 2, 4 or 8 bytes, zero-extended.
MASS_FN inline std::uint64_t loadWord(const char* from, std::int64_t size) {
  if constexpr (onGpu) {
    if (size == 4) return *reinterpret_cast<const std::uint32_t*>(from);
    if (size == 8) return *reinterpret_cast<const std::uint64_t*>(from);
    if (size == 2) return *reinterpret_cast<const std::uint16_t*>(from);
    return *reinterpret_cast<const std::uint8_t*>(from);
  } else {
    std::uint64_t word = 0;
    std::memcpy(&word, from, static_cast<std::size_t>(size));
    return word;
  }
}
/// Stores the low `size` bytes of `word`, 1, 2, 4 or 8.
MASS_FN inline void storeWord(char* to, std::uint64_t word, std::int64_t size) {
  if constexpr (onGpu) {
    if (size == 4) *reinterpret_cast<std::uint32_t*>(to) = static_cast<std::uint32_t>(word);
    if (size == 8) *reinterpret_cast<std::uint64_t*>(to) = word;
    if (size == 2) *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(word);
    if (size == 1) *reinterpret_cast<std::uint8_t*>(to) = static_cast<std::uint8_t>(word);
  } else {
    std::memcpy(to, &word, static_cast<std::size_t>(size));
  }
}
/// True if loadWord() and storeWord() support elements of `size` bytes.
MASS_FN inline bool isWord(std::int64_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8;
}

/// Agents of one device during a migration, as bodies see them. Agents are numbered: first the own
/// agents of the device, then immigrants, then children.
struct MigrationView {
  std::uint64_t* counts = nullptr;  ///< sums of Counters, by Count
  // Present state and intents.
  std::int64_t own = 0, arrivals = 0, newborn = 0;  ///< own agents, immigrants, children
  std::int64_t worldPlaces = 0, firstPlace = 0;     ///< places of the world; number of bin 0
  std::int32_t ownBins = 0, allBins = 0;            ///< bins without and with those of ghost rows
  std::int64_t capacity = 0;                        ///< agents per place; 0: unlimited
  std::int32_t offspring = 0;                       ///< maximum number of children of an agent
  std::uint64_t key = 0;                            ///< key of priorities and random placement
  const std::uint64_t* ids = nullptr;               ///< by agent: identity
  const std::int32_t* bin = nullptr;                ///< by agent: its bin
  const std::int32_t* first = nullptr;        ///< by bin: its first agent; one more at the end
  std::int64_t* targets = nullptr;            ///< by agent: target place, or target... constant
  std::uint8_t* births = nullptr;             ///< by agent: number of children
  const std::int64_t* birthplaces = nullptr;  ///< by child: its place; `offspring` per agent
  const Column* columns = nullptr;            ///< by component
  std::int32_t columnCount = 0;
  // Next state.
  std::uint64_t* newIds = nullptr;  ///< writable `ids`, for those of immigrants and children
  std::uint64_t* nextIds = nullptr;
  std::int32_t* nextBin = nullptr;
  std::int32_t* nextFirst = nullptr;
  // Scratch memory.
  /// By agent: next claim of the same bin, or -1; later the list of ListImmigrants.
  std::int32_t* nextClaim = nullptr;
  std::int32_t* prefixSums = nullptr;    ///< by agent: result of the last scan over agents
  std::uint8_t* moveStates = nullptr;    ///< by agent: its MoveState
  std::int32_t* lastClaim = nullptr;     ///< by bin: head of its list of claims, or -1
  std::int32_t* immigrants = nullptr;    ///< by bin: number of agents that enter
  std::uint64_t* crowdedBins = nullptr;  ///< number of crowded bins, listed in nextBin for a while
  // Exchange with other devices.
  int devices = 1;
  const std::int64_t* placeEnds = nullptr;  ///< by device: end of its range of places
  std::uint64_t* sentMoves = nullptr;       ///< by device: emigrants; later index of the next one
  std::uint64_t* sentChildren = nullptr;    ///< by device: children; later index of the next one
  std::uint64_t* localChildren = nullptr;  ///< children on this device; later index of the next one
  std::int64_t* sentPlaces = nullptr;      ///< by emigrant and child: target place
  std::int32_t* sentOrigins = nullptr;     ///< by emigrant: its number on this device
  const std::uint8_t* decisions = nullptr;  ///< by emigrant: its MoveState on the other device
  std::int64_t* freePlaceList = nullptr;    ///< places of this device with room
  const std::int64_t* allFreePlaceList = nullptr;  ///< places of all devices with room
  std::uint64_t seekersBefore = 0;                 ///< number of seekers on the devices before
  std::uint64_t* seekers = nullptr;                ///< number of seekers, here, then on all devices
  std::uint64_t* freePlaces = nullptr;  ///< number of free places, here, then on all devices
  std::uint64_t firstChild = 0;         ///< identity of the first child of this device
  std::uint64_t* alive = nullptr;       ///< number of agents of this device after the migration
  const std::int32_t* edgeBins =
      nullptr;                     ///< bins at which ghost rows of other devices begin or end
  std::uint64_t* edges = nullptr;  ///< by edge bin: its first agent after the migration
  std::int32_t edgeCount = 0;

  /// Returns the number of own agents, immigrants and children.
  MASS_FN std::int64_t all() const { return own + arrivals + newborn; }
  /// True if a place belongs to this device.
  MASS_FN bool isHere(std::int64_t place) const {
    return place >= firstPlace && place - firstPlace < ownBins;
  }
  /// Returns the bin of a place of this device.
  MASS_FN std::int32_t binOf(std::int64_t place) const {
    return static_cast<std::int32_t>(place - firstPlace);
  }
  /// Returns the device to which a place belongs.
  MASS_FN int ownerOf(std::int64_t place) const {
    int owner = 0;
    while (place >= placeEnds[owner]) ++owner;
    return owner;
  }
  /// Returns the priority of an agent; the lowest wins. Priorities are distinct, since mix() is a
  /// bijection.
  MASS_FN std::uint64_t priorityOf(std::int64_t agent) const { return mix(ids[agent] ^ key); }

  /// Returns the number of agents that a bin can admit beside its present ones that do not die.
  MASS_FN std::int64_t roomIn(std::int64_t here) const {
    std::int64_t room = capacity;
    for (std::int32_t j = first[here]; j < first[here + 1]; ++j) room -= targets[j] != targetDie;
    return room;
  }
  /// Returns the index, in the list of ListImmigrants, of the first agent that enters a bin.
  MASS_FN std::int32_t firstImmigrant(std::int32_t here) const {
    return nextFirst[here] + prefixSums[first[here + 1]] - prefixSums[first[here]];
  }
  /// Prepends a claim to the list of a bin; admits the agent at once if capacity is unlimited.
  MASS_FN void claim(std::int64_t agent, std::int32_t here, Counters& counters) const {
    if (capacity == 0) return admit(agent, here, counters);
    moveStates[agent] = claiming;
    nextClaim[agent] = exchange(lastClaim[here], static_cast<std::int32_t>(agent));
  }
  /// Lets an agent enter a bin.
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
  /// Returns the number of claims of a bin for which isCounted(agent) is true, at most `limit`.
  template <class F>
  MASS_FN std::int64_t countClaims(std::int32_t here, std::int64_t limit, F&& isCounted) const {
    std::int64_t count = 0;
    for (std::int32_t other = lastClaim[here]; other >= 0 && count < limit;
         other = nextClaim[other]) {
      if (isCounted(other)) ++count;
    }
    return count;
  }
  /// True if an agent has one of the `room` lowest priorities among the claims of its bin by agents
  /// with numbers of at least `begin`.
  MASS_FN bool wins(std::int64_t agent, std::int32_t here, std::int64_t room,
                    std::int64_t begin) const {
    if (room <= 0) return false;
    const std::uint64_t priority = priorityOf(agent);
    return countClaims(here, room, [&](std::int32_t other) {
             return other >= begin && priorityOf(other) < priority;
           }) < room;
  }
  /// Copies element `from` of `Source` to element `to` of `Target` for every column.
  /// @tparam Source, Target members of Column, such as &Column::front
  template <auto Source, auto Target>
  MASS_FN void copyColumns(std::int64_t from, std::int64_t to) const {
    // Loads several columns before storing the first, so that their latencies overlap.
    constexpr std::int32_t batch = 4;
    for (std::int32_t begin = 0; begin < columnCount; begin += batch) {
      std::uint64_t words[batch] = {};
#pragma unroll
      for (std::int32_t k = 0; k < batch && begin + k < columnCount; ++k) {
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
      for (std::int32_t k = 0; k < batch && begin + k < columnCount; ++k) {
        const Column& column = columns[begin + k];
        if (!isWord(column.size)) continue;
        storeWord(column.*Target + to * column.size, words[k], column.size);
      }
    }
  }
};

}  // namespace mass::detail::migration

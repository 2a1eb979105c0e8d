#pragma once

#include <mass/memory/agent_launch.hpp>
#include <mass/random/permutation.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <cstring>

// What managing agents does with each of them, on whatever kind of device: every body is called
// once for each number below a count, in any order, by many threads.

namespace mass::agents {

/// What is counted while agents are managed.
enum Count : int {
  died,
  moved,
  blocked,
  born,
  unborn,
  erring,      ///< agents that wanted what they may not
  children,    ///< that parents asked for
  identities,  ///< a sum that no agent may be missing from, or be in twice
  counts
};

/// Counts of one thread, or of several together.
struct Tally {
  std::uint64_t of[counts] = {};
};

/// Which counts a body may change.
constexpr unsigned maskOf(Count count) {
  return 1U << count;
}

/// What happens to an agent: first it stays or is gone or claims a place, then the claim is
/// settled.
enum Fate : std::uint8_t { staying, gone, claiming, arriving, refused };

/// One component of agents: where it is, where it will be, and that of their children.
struct Column {
  char* front = nullptr;
  char* back = nullptr;
  const char* children = nullptr;
  std::int64_t size = 0;  ///< bytes of an element
};

template <class Word>
MASS_FN inline void copyWord(char* to, const char* from) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<Word*>(to) = *reinterpret_cast<const Word*>(from);
#else
  std::memcpy(to, from, sizeof(Word));
#endif
}
MASS_FN inline void copyElement(char* to, const char* from, std::int64_t size) {
  switch (size) {
    case 1:
      return copyWord<std::uint8_t>(to, from);
    case 2:
      return copyWord<std::uint16_t>(to, from);
    case 4:
      return copyWord<std::uint32_t>(to, from);
    case 8:
      return copyWord<std::uint64_t>(to, from);
    default:
      for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
  }
}

/// The agents of one device while they are managed. Numbers: first those that live here, then those
/// that want to come from other devices, then children.
struct Managed {
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
  std::uint64_t* newcomerIds = nullptr;  ///< ids, to be written behind those that live here
  std::uint64_t* nextIds = nullptr;
  std::int32_t* nextBin = nullptr;
  std::int32_t* nextFirst = nullptr;
  // The desk.
  std::int32_t* nextClaim = nullptr;
  std::int32_t* kept = nullptr;
  std::uint8_t* fates = nullptr;
  std::int32_t* lastClaim = nullptr;
  std::int32_t* incomers = nullptr;
  // What goes to other devices and comes from there.
  int device = 0, devices = 1;
  const std::int64_t* placeEnds = nullptr;
  std::uint64_t* sentMoves = nullptr;     ///< by device: how many; later where the next goes
  std::uint64_t* sentChildren = nullptr;  ///< the same
  std::uint64_t* localChildren = nullptr;
  std::int64_t* sentPlaces = nullptr;
  std::int32_t* sentOrigins = nullptr;
  const std::uint8_t* verdicts = nullptr;
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
    for (std::int32_t j = first[here]; j < first[here + 1]; ++j) room -= targets[j] != dies;
    return room;
  }
  /// Puts an agent among those that want to come into a bin. Where all can, it does.
  MASS_FN void claim(std::int64_t agent, std::int32_t here, Tally& tally) const {
    const auto number = static_cast<std::int32_t>(agent);
    nextClaim[agent] = exchange(lastClaim[here], number);
    fates[agent] = claiming;
    if (capacity == 0) letIn(agent, here, tally);
  }
  MASS_FN void letIn(std::int64_t agent, std::int32_t here, Tally& tally) const {
    fates[agent] = arriving;
    fetchAdd(incomers[here], 1);
    if (agent < own + arrivals) {
      ++tally.of[moved];
    } else {
      ++tally.of[born];
      tally.of[identities] -= mix(ids[agent]);
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
  MASS_FN void copyColumns(std::int64_t from, char* Column::*into, std::int64_t to) const {
    for (std::int32_t k = 0; k < columnCount; ++k) {
      const Column& column = columns[k];
      copyElement(column.*into + to * column.size, column.front + from * column.size, column.size);
    }
  }
};

/// Whether an agent wants any place that is free, to be added up.
struct Seeking {
  Managed m;
  MASS_FN std::int32_t operator()(std::int64_t i) const { return m.targets[i] == seeks ? 1 : 0; }
};
/// Whether a bin has room, to be added up.
struct HasRoom {
  Managed m;
  MASS_FN std::int32_t operator()(std::int64_t here) const { return m.roomIn(here) > 0 ? 1 : 0; }
};
/// Lists the bins that have room.
struct ListFree {
  static constexpr unsigned mask = 0;
  Managed m;

  MASS_FN void operator()(std::int64_t here, Tally&) const {
    if (m.roomIn(here) > 0) m.free[m.nextFirst[here]] = m.firstPlace + here;
    if (here > 0) return;
    *m.seekers = static_cast<std::uint64_t>(m.kept[m.own]);
    *m.freePlaces = static_cast<std::uint64_t>(m.nextFirst[m.ownBins]);
  }
};
/// Draws a place for an agent that wants any: another one for each, as agents are numbered over all
/// devices and the numbers of free places brought into an order drawn at random.
struct Draw {
  static constexpr unsigned mask = maskOf(blocked);
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally& tally) const {
    if (m.targets[i] != seeks) return;
    const std::uint64_t places = *m.freePlaces, agents = *m.seekers;
    const Permutation drawn(places > agents ? places : agents, m.key);
    const std::uint64_t place = drawn(m.seekersBefore + static_cast<std::uint64_t>(m.kept[i]));
    m.targets[i] = place < places ? m.allFree[place] : stays;
    tally.of[blocked] += place < places ? 0 : 1;
  }
};

/// Everything that an agent wants, first of all.
struct Propose {
  static constexpr unsigned mask =
      maskOf(died) | maskOf(moved) | maskOf(erring) | maskOf(children) | maskOf(identities);
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally& tally) const {
    countChildren(i, tally);
    std::int64_t target = m.targets[i];
    m.fates[i] = target == dies ? gone : staying;
    if (target == dies) {
      ++tally.of[died];
      return;
    }
    tally.of[identities] -= mix(m.ids[i]);
    if (target == stays) return;
    if (target < 0 || target >= m.worldPlaces) {
      ++tally.of[erring];
      m.targets[i] = stays;
    } else if (m.isHere(target)) {
      m.claim(i, m.binOf(target), tally);
    } else {
      fetchAdd(m.sentMoves[m.ownerOf(target)], std::uint64_t{1});
      if (m.capacity == 0) m.fates[i] = gone;
    }
  }
  MASS_FN void countChildren(std::int64_t i, Tally& tally) const {
    if (m.offspring == 0) return;
    if (m.births[i] > m.offspring) {
      ++tally.of[erring];
      m.births[i] = static_cast<std::uint8_t>(m.offspring);
    }
    tally.of[children] += m.births[i];
    for (int k = 0; k < m.births[i]; ++k) {
      const std::int64_t place = m.birthplaces[i * m.offspring + k];
      if (m.isHere(place)) {
        fetchAdd(*m.localChildren, std::uint64_t{1});
      } else {
        fetchAdd(m.sentChildren[m.ownerOf(place)], std::uint64_t{1});
      }
    }
  }
};

/// How many children an agent has, to be added up.
struct Births {
  Managed m;
  MASS_FN std::int32_t operator()(std::int64_t i) const { return m.births[i]; }
};

/// Gives children their identities, in the order of their parents, and puts them behind those that
/// arrive, or where another device will fetch them from.
struct Bear {
  static constexpr unsigned mask = 0;
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally&) const {
    for (int k = 0; k < m.births[i]; ++k) {
      const std::int64_t slot = i * m.offspring + k;
      const std::int64_t place = m.birthplaces[slot];
      const std::uint64_t id = m.firstChild + static_cast<std::uint64_t>(m.kept[i] + k);
      if (m.isHere(place)) {
        const auto to = static_cast<std::int64_t>(fetchAdd(*m.localChildren, std::uint64_t{1}));
        m.newcomerIds[to] = id;
        m.targets[to] = place;
        copyChild(slot, &Column::front, to);
      } else {
        std::uint64_t& next = m.sentChildren[m.ownerOf(place)];
        const auto to = static_cast<std::int64_t>(fetchAdd(next, std::uint64_t{1}));
        m.nextIds[to] = id;
        m.sentPlaces[to] = place;
        copyChild(slot, &Column::back, to);
      }
    }
  }
  MASS_FN void copyChild(std::int64_t slot, char* Column::*into, std::int64_t to) const {
    for (std::int32_t k = 0; k < m.columnCount; ++k) {
      const Column& column = m.columns[k];
      copyElement(column.*into + to * column.size, column.children + slot * column.size,
                  column.size);
    }
  }
};

/// Puts agents that want to leave this device where the other one will fetch them from.
struct Send {
  static constexpr unsigned mask = 0;
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally&) const {
    const std::int64_t target = m.targets[i];
    if (target < 0 || m.isHere(target)) return;
    std::uint64_t& next = m.sentMoves[m.ownerOf(target)];
    const auto to = static_cast<std::int64_t>(fetchAdd(next, std::uint64_t{1}));
    m.nextIds[to] = m.ids[i];
    m.sentPlaces[to] = target;
    m.sentOrigins[to] = static_cast<std::int32_t>(i);
    m.copyColumns(i, &Column::back, to);
  }
};

/// The claims of agents from another device.
struct Arrive {
  static constexpr unsigned mask = maskOf(moved);
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally& tally) const {
    m.claim(m.own + i, m.binOf(m.targets[m.own + i]), tally);
  }
};

/// Decides who of those that move to a place of limited capacity come in: as many as there is room
/// for beside those that are there and do not die, even if these move away.
struct SettleMoves {
  static constexpr unsigned mask = maskOf(moved) | maskOf(blocked);
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally& tally) const {
    if (m.fates[i] != claiming) return;
    const std::int32_t here = m.binOf(m.targets[i]);
    if (m.wins(i, here, m.roomIn(here), 0)) {
      m.letIn(i, here, tally);
    } else {
      m.fates[i] = i < m.own ? staying : refused;
      ++tally.of[blocked];
    }
  }
};

/// What other devices have decided about agents that were sent there.
struct Obey {
  static constexpr unsigned mask = 0;
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally&) const {
    m.fates[m.sentOrigins[i]] = m.verdicts[i] == arriving ? gone : staying;
  }
};

/// The claims of children.
struct Claim {
  static constexpr unsigned mask = maskOf(born) | maskOf(identities);
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally& tally) const {
    const std::int64_t child = m.own + m.arrivals + i;
    m.claim(child, m.binOf(m.targets[child]), tally);
  }
};

/// Decides which children are born on places of limited capacity, beside those that are there after
/// the moves.
struct SettleBirths {
  static constexpr unsigned mask = maskOf(born) | maskOf(unborn) | maskOf(identities);
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally& tally) const {
    const std::int64_t firstBirth = m.own + m.arrivals;
    const std::int64_t child = firstBirth + i;
    if (m.fates[child] != claiming) return;
    const std::int32_t here = m.binOf(m.targets[child]);
    std::int64_t room = m.capacity;
    for (std::int32_t j = m.first[here]; j < m.first[here + 1]; ++j) room -= m.fates[j] == staying;
    room -= m.countClaims(here, m.capacity, [&](std::int32_t other) {
      return other < firstBirth && m.fates[other] == arriving;
    });
    if (m.wins(child, here, room, firstBirth)) {
      m.letIn(child, here, tally);
    } else {
      m.fates[child] = refused;
      ++tally.of[unborn];
    }
  }
};

/// Whether an agent stays on its place, to be added up.
struct Staying {
  Managed m;
  MASS_FN std::int32_t operator()(std::int64_t i) const { return m.fates[i] == staying ? 1 : 0; }
};

/// How many agents a bin will have, to be added up.
struct Population {
  Managed m;
  MASS_FN std::int32_t operator()(std::int64_t here) const {
    return m.kept[m.first[here + 1]] - m.kept[m.first[here]] + m.incomers[here];
  }
};

/// Puts those that stay and those that arrive where they belong, sorted by bin and identity.
struct Arrange {
  static constexpr unsigned mask = 0;
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally&) const {
    const std::uint8_t fate = m.fates[i];
    if (fate != staying && fate != arriving) return;
    const std::int32_t here = fate == staying ? m.bin[i] : m.binOf(m.targets[i]);
    const std::int32_t begin = m.first[here];
    const std::int64_t before =
        fate == staying ? i : firstWithHigherId(begin, m.first[here + 1], m.ids[i]);
    std::int64_t to = m.nextFirst[here] + (m.kept[before] - m.kept[begin]);
    if (m.incomers[here] > 0) {
      to += m.countClaims(here, m.all(), [&](std::int32_t other) {
        return m.fates[other] == arriving && m.ids[other] < m.ids[i];
      });
    }
    m.nextIds[to] = m.ids[i];
    m.nextBin[to] = here;
    m.copyColumns(i, &Column::back, to);
  }
  MASS_FN std::int64_t firstWithHigherId(std::int64_t begin, std::int64_t end,
                                         std::uint64_t id) const {
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (m.ids[middle] < id) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
};

/// Clears the desk, and counts those that are there now.
struct Finish {
  static constexpr unsigned mask = maskOf(identities);
  Managed m;

  MASS_FN void operator()(std::int64_t i, Tally& tally) const {
    const std::int32_t own = m.nextFirst[m.ownBins];
    if (i < m.all()) {
      const std::int64_t target = m.targets[i];
      if (target >= 0 && m.isHere(target)) {
        m.lastClaim[m.binOf(target)] = -1;
        m.incomers[m.binOf(target)] = 0;
      }
      m.targets[i] = stays;
      m.births[i] = 0;
      if (i < own) tally.of[identities] += mix(m.nextIds[i]);
    }
    if (i < m.allBins - m.ownBins) m.nextFirst[m.ownBins + 1 + i] = own;  // no ghosts yet
    if (i < m.edgeCount) m.edges[i] = static_cast<std::uint64_t>(m.nextFirst[m.edgeBins[i]]);
    if (i == 0) *m.alive = static_cast<std::uint64_t>(own);
  }
};

/// Where the agents of ghost bins begin, from where they begin on the device that they come from.
struct ShiftFirst {
  static constexpr unsigned mask = 0;
  const std::int32_t* from = nullptr;
  std::int32_t* to = nullptr;
  std::int32_t shift = 0;

  MASS_FN void operator()(std::int64_t i, Tally&) const { to[i] = from[i] + shift; }
};
struct SetFirst {
  static constexpr unsigned mask = 0;
  std::int32_t* to = nullptr;
  std::int32_t value = 0;

  MASS_FN void operator()(std::int64_t i, Tally&) const { to[i] = value; }
};

}  // namespace mass::agents

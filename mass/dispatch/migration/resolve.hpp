#pragma once

#include <mass/dispatch/migration/migration_view.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/heap_sort.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

// Bodies as in proposing.hpp: who gets what, and what comes of it.

namespace mass::detail::migration {

/// Agents that come into a bin each compare themselves with all others, up to so many. The others
/// of a crowd are sorted in so many pieces, in each of which an agent looks for its place.
constexpr std::int32_t mostCompared = 256, crowdPieces = 128;
MASS_FN constexpr std::int32_t crowdPieceOf(std::int32_t crowd) {
  return (crowd - 1) / crowdPieces + 1;
}

/// Decides who of those that move to a place of limited capacity come in: as many as there is room
/// for beside those that are there and do not die, even if these move away.
struct ResolveMoves {
  static constexpr unsigned mask = maskOf(moved) | maskOf(blocked);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    if (m.moveStates[i] != claiming) return;
    const std::int32_t here = m.binOf(m.targets[i]);
    if (m.wins(i, here, m.roomIn(here), 0)) {
      m.admit(i, here, counters);
    } else {
      m.moveStates[i] = i < m.own ? staying : refused;
      ++counters.of[blocked];
    }
  }
};

/// What other devices have decided about agents that were sent there.
struct ApplyRemoteDecisions {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    m.moveStates[m.sentOrigins[i]] = m.decisions[i] == arriving ? gone : staying;
  }
};

/// The claims of children.
struct ClaimForNewborns {
  static constexpr unsigned mask = maskOf(born) | maskOf(identities);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    const std::int64_t child = m.own + m.arrivals + i;
    m.claim(child, m.binOf(m.targets[child]), counters);
  }
};

/// Decides which children are born on places of limited capacity, beside those that are there after
/// the moves.
struct ResolveBirths {
  static constexpr unsigned mask = maskOf(born) | maskOf(unborn) | maskOf(identities);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    const std::int64_t firstBirth = m.own + m.arrivals;
    const std::int64_t child = firstBirth + i;
    if (m.moveStates[child] != claiming) return;
    const std::int32_t here = m.binOf(m.targets[child]);
    std::int64_t room = m.capacity;
    for (std::int32_t j = m.first[here]; j < m.first[here + 1]; ++j)
      room -= m.moveStates[j] == staying;
    room -= m.countClaims(here, m.capacity, [&](std::int32_t other) {
      return other < firstBirth && m.moveStates[other] == arriving;
    });
    if (m.wins(child, here, room, firstBirth)) {
      m.admit(child, here, counters);
    } else {
      m.moveStates[child] = refused;
      ++counters.of[unborn];
    }
  }
};

/// Whether an agent stays on its place, to be added up.
struct StaysInPlace {
  static constexpr bool isSequential = true;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t i) const {
    return m.moveStates[i] == staying ? 1 : 0;
  }
};

/// How many agents a bin will have, to be added up.
struct FutureBinSize {
  static constexpr bool isSequential = false;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t here) const {
    return m.kept[m.first[here + 1]] - m.kept[m.first[here]] + m.immigrants[here];
  }
};

/// Lists those that come into a bin, in any order, in place of claims: where in the new state that
/// bin's last agents are.
struct ListImmigrants {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    if (m.moveStates[i] != arriving) return;
    const std::int32_t here = m.binOf(m.targets[i]);
    const std::int32_t left = fetchAdd(m.immigrants[here], -1);
    m.nextClaim[m.nextFirst[here + 1] - left] = static_cast<std::int32_t>(i);
    if (left == mostCompared + 1) m.nextBin[fetchAdd(*m.crowdedBins, std::uint64_t{1})] = here;
  }
};

/// Sorts those that come into crowded bins, in as many pieces as crowdPieces. To be called for each
/// piece of each bin that ListImmigrants has found to be crowded.
struct SortCrowds {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    if (static_cast<std::uint64_t>(i / crowdPieces) >= *m.crowdedBins) return;
    const std::int32_t here = m.nextBin[i / crowdPieces];
    const std::int32_t begin = m.firstImmigrant(here), end = m.nextFirst[here + 1];
    const std::int32_t length = crowdPieceOf(end - begin);
    const std::int64_t from = begin + i % crowdPieces * length;
    if (from >= end) return;
    const std::int64_t to = from + length < end ? from + length : end;
    heapSort(m.nextClaim + from, to - from,
             [&](std::int32_t a, std::int32_t b) { return m.ids[a] < m.ids[b]; });
  }
};

/// Puts those that stay and those that arrive where they belong, sorted by bin and identity.
struct ScatterToNewOrder {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    const std::uint8_t state = m.moveStates[i];
    if (state != staying && state != arriving) return;
    const std::int32_t here = state == staying ? m.bin[i] : m.binOf(m.targets[i]);
    const std::int32_t begin = m.first[here];
    const std::uint64_t id = m.ids[i];
    const std::int64_t before =
        state == staying
            ? i
            : firstNotBelow(begin, m.first[here + 1], id, [&](std::int64_t j) { return m.ids[j]; });
    const std::int64_t to =
        m.nextFirst[here] + (m.kept[before] - m.kept[begin]) + immigrantsBefore(id, here);
    m.nextIds[to] = id;
    m.nextBin[to] = here;
    m.copyColumns<&Column::front, &Column::back>(i, to);
  }
  MASS_FN std::int64_t immigrantsBefore(std::uint64_t id, std::int32_t here) const {
    const std::int32_t begin = m.firstImmigrant(here), end = m.nextFirst[here + 1];
    std::int64_t count = 0;
    if (end - begin <= mostCompared) {
#pragma unroll 4  // to wait for several at once
      for (std::int32_t j = begin; j < end; ++j) count += m.ids[m.nextClaim[j]] < id;
      return count;
    }
    const std::int64_t length = crowdPieceOf(end - begin);
    for (std::int64_t piece = begin; piece < end; piece += length) {
      const std::int64_t pieceEnd = piece + length < end ? piece + length : end;
      count += firstNotBelow(piece, pieceEnd, id,
                             [&](std::int64_t j) { return m.ids[m.nextClaim[j]]; }) -
               piece;
    }
    return count;
  }
  /// The first of some numbers whose identity is not below `id`, by bisection.
  template <class IdOf>
  MASS_FN static std::int64_t firstNotBelow(std::int64_t begin, std::int64_t end, std::uint64_t id,
                                            IdOf&& idOf) {
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (idOf(middle) < id) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
};

/// Clears the desk, and counts those that are there now.
struct ResetScratch {
  static constexpr unsigned mask = maskOf(identities);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    const std::int32_t own = m.nextFirst[m.ownBins];
    if (i < m.all()) {
      const std::int64_t target = m.targets[i];
      if (m.capacity > 0 && target >= 0 && m.isHere(target)) {
        store(m.lastClaim[m.binOf(target)], -1);  // as do others that wanted to be there
      }
      m.targets[i] = targetStay;
      m.births[i] = 0;
      if (i < own) counters.of[identities] += mix(m.nextIds[i]);
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

  MASS_FN void operator()(std::int64_t i, Counters&) const { to[i] = from[i] + shift; }
};
struct SetFirst {
  static constexpr unsigned mask = 0;
  std::int32_t* to = nullptr;
  std::int32_t value = 0;

  MASS_FN void operator()(std::int64_t i, Counters&) const { to[i] = value; }
};

}  // namespace mass::detail::migration

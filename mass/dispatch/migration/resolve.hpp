#pragma once

#include <mass/dispatch/migration/migration_view.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/heap_sort.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

// Bodies of the phases of AgentMigration that resolve claims and sort the agents, see classify.hpp.

namespace mass::detail::migration {

/// Maximum number of immigrants of a bin that are ranked by comparing each with all. A bin with
/// more is crowded: its immigrants are sorted in `runsPerCrowdedBin` runs, and each agent finds its
/// rank by a binary search in every run.
constexpr std::int32_t maxCompared = 256, runsPerCrowdedBin = 128;
/// Returns the length of a run of a crowded bin with `count` immigrants; the last run may be
/// shorter.
MASS_FN constexpr std::int32_t runLength(std::int32_t count) {
  return (count - 1) / runsPerCrowdedBin + 1;
}

/// Resolves moves into places of limited capacity. A place admits `capacity` minus its present
/// agents that do not die; agents that leave in this step still count. If more compete, the lowest
/// priorityOf() win.
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

/// Applies the decision of another device about an emigrant.
struct ApplyRemoteDecisions {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    m.moveStates[m.sentOrigins[i]] = m.decisions[i] == arriving ? gone : staying;
  }
};

/// Claims the place of a child.
struct ClaimForNewborns {
  static constexpr unsigned mask = maskOf(born) | maskOf(identities);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    const std::int64_t child = m.own + m.arrivals + i;
    m.claim(child, m.binOf(m.targets[child]), counters);
  }
};

/// Resolves births on places of limited capacity, which admit `capacity` minus their agents after
/// the moves. If more children compete, the lowest priorityOf() win.
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

/// Scan input: 1 if agent `i` stays in its bin, otherwise 0.
struct StaysInPlace {
  static constexpr bool isSequential = true;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t i) const {
    return m.moveStates[i] == staying ? 1 : 0;
  }
};

/// Scan input: number of agents of bin `here` after the migration.
struct FutureBinSize {
  static constexpr bool isSequential = false;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t here) const {
    return before(here + 1) - before(here) + added(here);
  }
  /// Number of agents in the bins before `here` that stay.
  MASS_FN std::int32_t before(std::int64_t here) const { return m.prefixSums[m.first[here]]; }
  /// Number of agents that enter bin `here`.
  MASS_FN std::int32_t added(std::int64_t here) const { return m.immigrants[here]; }
};

/// Lists the agents that enter each bin, in any order, in the last elements of the bin's range of
/// the new order. Overwrites the claims, which are decided.
struct ListImmigrants {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    if (m.moveStates[i] != arriving) return;
    const std::int32_t here = m.binOf(m.targets[i]);
    const std::int32_t left = fetchAdd(m.immigrants[here], -1);
    m.nextClaim[m.nextFirst[here + 1] - left] = static_cast<std::int32_t>(i);
    if (left == maxCompared + 1) m.nextBin[fetchAdd(*m.crowdedBins, std::uint64_t{1})] = here;
  }
};

/// Sorts run i % runsPerCrowdedBin of crowded bin i / runsPerCrowdedBin by identity. The bins are
/// those that ListImmigrants has found to be crowded.
struct SortCrowdedBins {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    if (static_cast<std::uint64_t>(i / runsPerCrowdedBin) >= *m.crowdedBins) return;
    const std::int32_t here = m.nextBin[i / runsPerCrowdedBin];
    const std::int32_t begin = m.firstImmigrant(here), end = m.nextFirst[here + 1];
    const std::int32_t length = runLength(end - begin);
    const std::int64_t from = begin + i % runsPerCrowdedBin * length;
    if (from >= end) return;
    const std::int64_t to = from + length < end ? from + length : end;
    heapSort(m.nextClaim + from, to - from,
             [&](std::int32_t a, std::int32_t b) { return m.ids[a] < m.ids[b]; });
  }
};

/// Copies agents that stay or arrive to their positions in the new order, sorted by bin and
/// identity.
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
    const std::int64_t to = m.nextFirst[here] + (m.prefixSums[before] - m.prefixSums[begin]) +
                            immigrantsBefore(id, here);
    m.nextIds[to] = id;
    m.nextBin[to] = here;
    m.copyColumns<&Column::front, &Column::back>(i, to);
  }
  /// Returns the number of agents that enter bin `here` and have identities below `id`.
  MASS_FN std::int64_t immigrantsBefore(std::uint64_t id, std::int32_t here) const {
    const std::int32_t begin = m.firstImmigrant(here), end = m.nextFirst[here + 1];
    std::int64_t count = 0;
    if (end - begin <= maxCompared) {
#pragma unroll 4  // overlaps the latencies of the loads
      for (std::int32_t j = begin; j < end; ++j) count += m.ids[m.nextClaim[j]] < id;
      return count;
    }
    const std::int64_t length = runLength(end - begin);
    for (std::int64_t run = begin; run < end; run += length) {
      const std::int64_t runEnd = run + length < end ? run + length : end;
      count +=
          firstNotBelow(run, runEnd, id, [&](std::int64_t j) { return m.ids[m.nextClaim[j]]; }) -
          run;
    }
    return count;
  }
  /// Returns the first number in [begin, end) with idOf(number) >= id, or `end`, by binary search.
  /// @pre idOf() is sorted.
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

/// Resets intents and claims for the next migration, clears ghost bins, and stores the number of
/// agents, the edges and the checksum of identities.
struct ResetScratch {
  static constexpr unsigned mask = maskOf(identities);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    const std::int32_t own = m.nextFirst[m.ownBins];
    if (i < m.all()) {
      const std::int64_t target = m.targets[i];
      if (m.capacity > 0 && target >= 0 && m.isHere(target)) {
        store(m.lastClaim[m.binOf(target)], -1);  // several agents may have had this target
      }
      m.targets[i] = targetStay;
      m.births[i] = 0;
      if (i < own) counters.of[identities] += mix(m.nextIds[i]);
    }
    if (i < m.allBins - m.ownBins) m.nextFirst[m.ownBins + 1 + i] = own;  // no ghosts
    if (i < m.edgeCount) m.edges[i] = static_cast<std::uint64_t>(m.nextFirst[m.edgeBins[i]]);
    if (i == 0) *m.alive = static_cast<std::uint64_t>(own);
  }
};

/// Computes the begins of ghost bins from those on the source device.
struct ShiftFirst {
  static constexpr unsigned mask = 0;
  const std::int32_t* from = nullptr;
  std::int32_t* to = nullptr;
  std::int32_t shift = 0;

  MASS_FN void operator()(std::int64_t i, Counters&) const { to[i] = from[i] + shift; }
};
/// Sets the begins of empty bins.
struct SetFirst {
  static constexpr unsigned mask = 0;
  std::int32_t* to = nullptr;
  std::int32_t value = 0;

  MASS_FN void operator()(std::int64_t i, Counters&) const { to[i] = value; }
};

}  // namespace mass::detail::migration

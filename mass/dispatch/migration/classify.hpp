#pragma once

#include <mass/dispatch/migration/migration_view.hpp>
#include <mass/random/permutation.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

// Bodies of the phases of AgentMigration that evaluate intents and pack emigrants and children.
// DeviceWorker::forEach calls a body once for each number below a count, in any order, by many
// threads, on CPUs and GPUs. DeviceWorker::scan computes the prefix sum of a function.

namespace mass::detail::migration {

/// Scan input: 1 if agent `i` seeks a free place, otherwise 0.
struct SeeksFreePlace {
  static constexpr bool isSequential = true;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t i) const {
    return m.targets[i] == targetAnyFree ? 1 : 0;
  }
};
/// Scan input: 1 if bin `here` has room for another agent, otherwise 0.
struct HasRoom {
  static constexpr bool isSequential = false;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t here) const { return m.roomIn(here) > 0 ? 1 : 0; }
};
/// Lists the places that have room, and stores the numbers of seekers and of free places.
struct ListFreePlaces {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t here, Counters&) const {
    if (m.roomIn(here) > 0) m.freePlaceList[m.nextFirst[here]] = m.firstPlace + here;
    if (here > 0) return;
    *m.seekers = static_cast<std::uint64_t>(m.prefixSums[m.own]);
    *m.freePlaces = static_cast<std::uint64_t>(m.nextFirst[m.ownBins]);
  }
};
/// Assigns a distinct free place to each seeker: element k of a random permutation of the free
/// places of all devices to seeker k, numbered over all devices. If a later phase fails for lack of
/// memory, the assignment stays in `targets` for the next migration.
struct AssignFreePlaces {
  static constexpr unsigned mask = maskOf(blocked);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    if (m.targets[i] == targetAnyFree) {
      const std::uint64_t places = *m.freePlaces, agents = *m.seekers;
      const Permutation drawn(places > agents ? places : agents, m.key);
      const std::uint64_t place =
          drawn(m.seekersBefore + static_cast<std::uint64_t>(m.prefixSums[i]));
      m.targets[i] = place < places ? m.allFreePlaceList[place] : targetNoneFree;
    }
    counters.of[blocked] += m.targets[i] == targetNoneFree ? 1 : 0;
  }
};

/// Evaluates the intent of an agent: counts deaths, children and emigrants, rejects invalid
/// requests, and claims the target bin of a move within the device.
struct ClassifyAgents {
  static constexpr unsigned mask = maskOf(died) | maskOf(moved) | maskOf(invalidRequests) |
                                   maskOf(children) | maskOf(identities);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    countChildren(i, counters);
    std::int64_t target = m.targets[i];
    m.moveStates[i] = target == targetDie ? gone : staying;
    if (target == targetDie) {
      ++counters.of[died];
      return;
    }
    counters.of[identities] -= mix(m.ids[i]);
    if (target == targetStay || target == targetNoneFree) return;
    if (target < 0 || target >= m.worldPlaces) {
      ++counters.of[invalidRequests];
      m.targets[i] = targetStay;
    } else if (m.isHere(target)) {
      m.claim(i, m.binOf(target), counters);
    } else {
      fetchAdd(m.sentMoves[m.ownerOf(target)], std::uint64_t{1});
      if (m.capacity == 0) m.moveStates[i] = gone;
    }
  }
  /// Counts the children of agent `i` by destination device.
  MASS_FN void countChildren(std::int64_t i, Counters& counters) const {
    if (m.offspring == 0) return;
    if (m.births[i] > m.offspring) {
      ++counters.of[invalidRequests];
      m.births[i] = static_cast<std::uint8_t>(m.offspring);
    }
    counters.of[children] += m.births[i];
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

/// Scan input: number of children of agent `i`.
struct ChildCount {
  static constexpr bool isSequential = true;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t i) const { return m.births[i]; }
};

/// Assigns identities to children, in the order of their parents, and copies each behind the
/// immigrants of this device or into the send buffers.
struct EmitChildren {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    for (int k = 0; k < m.births[i]; ++k) {
      const std::int64_t slot = i * m.offspring + k;
      const std::int64_t place = m.birthplaces[slot];
      const std::uint64_t id = m.firstChild + static_cast<std::uint64_t>(m.prefixSums[i] + k);
      if (m.isHere(place)) {
        const auto to = static_cast<std::int64_t>(fetchAdd(*m.localChildren, std::uint64_t{1}));
        m.newIds[to] = id;
        m.targets[to] = place;
        m.copyColumns<&Column::children, &Column::front>(slot, to);
      } else {
        std::uint64_t& next = m.sentChildren[m.ownerOf(place)];
        const auto to = static_cast<std::int64_t>(fetchAdd(next, std::uint64_t{1}));
        m.nextIds[to] = id;
        m.sentPlaces[to] = place;
        m.copyColumns<&Column::children, &Column::back>(slot, to);
      }
    }
  }
};

/// Copies an agent with a target on another device into the send buffers.
struct PackEmigrants {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    const std::int64_t target = m.targets[i];
    if (target < 0 || m.isHere(target)) return;
    std::uint64_t& next = m.sentMoves[m.ownerOf(target)];
    const auto to = static_cast<std::int64_t>(fetchAdd(next, std::uint64_t{1}));
    m.nextIds[to] = m.ids[i];
    m.sentPlaces[to] = target;
    m.sentOrigins[to] = static_cast<std::int32_t>(i);
    m.copyColumns<&Column::front, &Column::back>(i, to);
  }
};

/// Claims the target bin of an immigrant.
struct ClaimForImmigrants {
  static constexpr unsigned mask = maskOf(moved);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    m.claim(m.own + i, m.binOf(m.targets[m.own + i]), counters);
  }
};

}  // namespace mass::detail::migration

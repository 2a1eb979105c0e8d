#pragma once

#include <mass/dispatch/migration/migration_view.hpp>
#include <mass/random/permutation.hpp>
#include <mass/support/atomic.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

// What managing agents does with each of them, on whatever kind of device: every body is called
// once for each number below a count, in any order, by many threads. Here: who wants
// what, and what has to be known of it elsewhere.

namespace mass::detail::migration {

/// Whether an agent wants any place that is free, to be added up.
struct Seeking {
  static constexpr bool isSequential = true;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t i) const { return m.targets[i] == seeks ? 1 : 0; }
};
/// Whether a bin has room, to be added up.
struct HasRoom {
  static constexpr bool isSequential = false;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t here) const { return m.roomIn(here) > 0 ? 1 : 0; }
};
/// Lists the bins that have room.
struct ListFree {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t here, Counters&) const {
    if (m.roomIn(here) > 0) m.free[m.nextFirst[here]] = m.firstPlace + here;
    if (here > 0) return;
    *m.seekers = static_cast<std::uint64_t>(m.kept[m.own]);
    *m.freePlaces = static_cast<std::uint64_t>(m.nextFirst[m.ownBins]);
  }
};
/// Draws a place for an agent that wants any: another one for each, as agents are numbered over all
/// devices and the numbers of free places brought into an order drawn at random. What was drawn is
/// kept where memory ends after that, for the next time.
struct AssignFreePlaces {
  static constexpr unsigned mask = maskOf(blocked);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    if (m.targets[i] == seeks) {
      const std::uint64_t places = *m.freePlaces, agents = *m.seekers;
      const Permutation drawn(places > agents ? places : agents, m.key);
      const std::uint64_t place = drawn(m.seekersBefore + static_cast<std::uint64_t>(m.kept[i]));
      m.targets[i] = place < places ? m.allFree[place] : targetNoneFree;
    }
    counters.of[blocked] += m.targets[i] == targetNoneFree ? 1 : 0;
  }
};

/// AllAttributes that an agent wants, first of all.
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

/// How many children an agent has, to be added up.
struct Births {
  static constexpr bool isSequential = true;
  MigrationView m;
  MASS_FN std::int32_t operator()(std::int64_t i) const { return m.births[i]; }
};

/// Gives children their identities, in the order of their parents, and puts them behind those that
/// arrive, or where another device will fetch them from.
struct EmitChildren {
  static constexpr unsigned mask = 0;
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters&) const {
    for (int k = 0; k < m.births[i]; ++k) {
      const std::int64_t slot = i * m.offspring + k;
      const std::int64_t place = m.birthplaces[slot];
      const std::uint64_t id = m.firstChild + static_cast<std::uint64_t>(m.kept[i] + k);
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

/// Puts agents that want to leave this device where the other one will fetch them from.
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

/// The claims of agents from another device.
struct ClaimForImmigrants {
  static constexpr unsigned mask = maskOf(moved);
  MigrationView m;

  MASS_FN void operator()(std::int64_t i, Counters& counters) const {
    m.claim(m.own + i, m.binOf(m.targets[m.own + i]), counters);
  }
};

}  // namespace mass::detail::migration

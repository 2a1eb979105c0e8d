#pragma once

#include <mass/dispatch/migration/migration_counters.hpp>
#include <mass/memory/agent_fetch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail::migration {

/// Exchange of free places, agents and decisions between the devices of a migration. It follows
/// from the counters of all devices alone, so that each process computes the same for any device.
///
/// Send buffers of a device (AgentBand::nextIds, back, MigrationScratch::sentPlaces): its emigrants
/// by target device, then its children on other devices by target device.
/// Agents of a device during a migration: its own, its immigrants by source device, the children of
/// its own agents, the children from other devices by source device.
class MigrationPlan {
 public:
  /// @param devices number of devices
  /// @param components number of components of an agent
  MigrationPlan(int devices, std::size_t components);

  /// Stores the counters of a device after a phase that counts.
  void setCounters(int device, const MigrationCounters& counters) { at(device) = counters; }

  /// Returns the number of agents on devices [0, device) that seek a free place.
  std::uint64_t seekersBefore(int device) const;
  /// Returns the number of places with room on devices [0, device).
  std::uint64_t freePlacesBefore(int device) const;
  /// Returns the number of children that agents on devices [0, device) requested.
  std::uint64_t childrenBefore(int device) const;

  /// Consecutive elements of the send buffers of a device.
  struct Segment {
    std::int64_t begin = 0, count = 0;

    /// Returns the element after the last one.
    std::int64_t end() const { return begin + count; }
  };
  /// Returns the emigrants from one device to another.
  Segment sentMoves(int from, int to) const;
  /// Returns the children on `to` of agents on `from`.
  Segment sentChildren(int from, int to) const;
  /// Returns the number of emigrants of a device.
  std::int64_t emigrants(int device) const;
  /// Returns the number of elements in the send buffers of a device.
  std::int64_t sent(int device) const;
  /// Returns the number of immigrants of a device.
  std::int64_t immigrants(int device) const;
  /// Returns the number of children on a device, of its own agents and from other devices.
  std::int64_t newborns(int device) const;

  /// Returns the copies of the free places of all devices to a device.
  std::vector<Fetch> freePlaceFetches(int device) const;
  /// Returns the copies of immigrants and of children from other devices to a device.
  std::vector<Fetch> agentFetches(int device) const;
  /// Returns the copies of the decisions about the emigrants of a device to it.
  std::vector<Fetch> decisionFetches(int device) const;

 private:
  MigrationCounters& at(int device) { return counters_[static_cast<std::size_t>(device)]; }
  const MigrationCounters& at(int device) const {
    return counters_[static_cast<std::size_t>(device)];
  }
  int devices() const { return static_cast<int>(counters_.size()); }
  std::int64_t moves(int from, int to) const;
  std::int64_t childrenOf(int from, int to) const;
  /// Returns the number that the first immigrant from a device has on `to`.
  std::int64_t firstImmigrant(int from, int to) const;
  /// Appends the copies of a segment of the send buffers to the agents of `to` from `first` on.
  void appendAgents(std::vector<Fetch>& fetches, int from, Segment segment, int to,
                    std::int64_t first) const;

  std::vector<MigrationCounters> counters_;  // by device
  int components_;
};

}  // namespace mass::detail::migration

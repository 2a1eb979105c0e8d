#pragma once

// Phases of AgentMigration that exchange free places, emigrants and children between devices.

#include <mass/dispatch/migration/classify.hpp>

#include <algorithm>

namespace mass::detail::migration {

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::findFree(DeviceWorker& worker) {
  Device& device = deviceOf(worker);
  worker.once([&] { bind(worker); });
  worker.scan(device.m.own, SeeksFreePlace{device.m}, device.m.prefixSums);
  worker.scan(device.m.ownBins, HasRoom{device.m}, device.m.nextFirst);
  worker.forEach(device.m.ownBins, ListFreePlaces{device.m});
  if (isSingleDevice()) return;
  worker.once([&] {
    worker.download(device.counters);
    snapshot(worker.device()) = device.counters;
  });
}

/// Concatenates the free places of all devices, and computes the prefix sum of their seekers.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::gatherFree(DeviceWorker& worker) {
  Device& device = deviceOf(worker);
  worker.fetch([&] {
    DeviceVector<std::int64_t>& all = bandOf(worker).scratch.allFreePlaceList;
    std::uint64_t seekers = 0, places = 0;
    std::vector<Fetch> fetches;
    for (int other = 0; other < device.m.devices; ++other)
      places += snapshot(other).totals.freePlaces;
    all.reserve(static_cast<std::int64_t>(places), 0);
    std::int64_t* to = all.data();
    for (int other = 0; other < device.m.devices; ++other) {
      if (other == worker.device()) device.m.seekersBefore = seekers;
      seekers += snapshot(other).totals.seekers;
      const auto count = static_cast<std::size_t>(snapshot(other).totals.freePlaces);
      if (count == 0) continue;
      fetches.push_back({other, agents_->band(other).scratch.freePlaceList.data(), to,
                         count * sizeof(std::int64_t)});
      to += count;
    }
    device.counters.totals.seekers = seekers;
    device.counters.totals.freePlaces = places;
    return fetches;
  });
}

/// Returns the emigrants of `from` for `to`.
template <class DeviceWorker>
auto AgentMigration<DeviceWorker>::moveSegment(int from, int to) -> Segment {
  Segment segment{0, movesFrom(from, to)};
  for (int before = 0; before < to; ++before) segment.begin += movesFrom(from, before);
  return segment;
}
/// Returns the children that parents on `from` have on `to`; they follow all emigrants.
template <class DeviceWorker>
auto AgentMigration<DeviceWorker>::childSegment(int from, int to) -> Segment {
  Segment segment{0, childrenFrom(from, to)};
  for (int device = 0; device < agents_->devices(); ++device) {
    segment.begin += movesFrom(from, device);
    if (device < to) segment.begin += childrenFrom(from, device);
  }
  return segment;
}

/// Reserves memory for immigrants, children and the send buffers, and converts the counts of
/// emigrants into offsets in the send buffers.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::reserve(DeviceWorker& worker) {
  worker.once([&] {
    const int here = worker.device();
    Device& device = deviceOf(worker);
    AgentBand& band = bandOf(worker);
    band.ghosts = 0;  // discards the old ghosts, which reserve() need not copy
    MigrationView& m = device.m;
    m.newborn = static_cast<std::int64_t>(snapshot(here).totals.localChildren);
    std::uint64_t firstChild = agents_->nextId;
    for (int other = 0; other < agents_->devices(); ++other) {
      if (other < here) firstChild += snapshot(other).totals.of[children];
      m.arrivals += movesFrom(other, here);
      m.newborn += childrenFrom(other, here);
      device.sentMoves += movesFrom(here, other);
      device.sent += movesFrom(here, other) + childrenFrom(here, other);
    }
    m.firstChild = firstChild;
    agents_->reserve(here, std::max(m.all(), device.sent));
    band.scratch.sentPlaces.reserve(device.sent, 0);
    band.scratch.sentOrigins.reserve(device.sentMoves, 0);
    band.scratch.decisions.reserve(device.sentMoves, 0);
    for (int other = 0; other < agents_->devices(); ++other) {
      const auto to = static_cast<std::size_t>(other);
      device.counters.moves[to] = static_cast<std::uint64_t>(moveSegment(here, other).begin);
      device.counters.children[to] = static_cast<std::uint64_t>(childSegment(here, other).begin);
    }
    device.counters.totals.localChildren = static_cast<std::uint64_t>(m.own + m.arrivals);
    bind(worker);
  });
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::send(DeviceWorker& worker) {
  reserve(worker);
  Device& device = deviceOf(worker);
  if (hasChildren()) {
    worker.scan(device.m.own, ChildCount{device.m}, device.m.prefixSums);
    worker.forEach(device.m.own, EmitChildren{device.m});
  }
  if (!isSingleDevice())
    worker.forEach(device.sentMoves > 0 ? device.m.own : 0, PackEmigrants{device.m});
}

/// Appends the copies of a segment of the send buffers of device `from` to the agents of this
/// device from number `to` on.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::fetchAgents(DeviceWorker& worker, int from, Segment segment,
                                               std::int64_t to, std::vector<Fetch>& fetches) const {
  if (segment.count == 0) return;
  const AgentBand& source = agents_->band(from);
  AgentBand& band = bandOf(worker);
  const auto add = [&](const auto* there, auto* here, std::int64_t size) {
    fetches.push_back({from, there + segment.begin * size, here + to * size,
                       static_cast<std::size_t>(segment.count * size) * sizeof(*here)});
  };
  add(source.nextIds.data(), band.ids.data(), 1);
  add(source.scratch.sentPlaces.data(), band.targets.data(), 1);
  for (std::size_t k = 0; k < band.front.size(); ++k) {
    const auto size = static_cast<std::int64_t>(agents_->traits().components[k].elementSize);
    add(source.back[k].data(), band.front[k].data(), size);
  }
}

}  // namespace mass::detail::migration

#pragma once

// What a AgentMigration does so that devices know of each other's agents and places.

#include <mass/dispatch/migration/classify.hpp>

#include <algorithm>

namespace mass::detail::migration {

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::findFree(DeviceWorker& worker) {
  Device& mine = of(worker);
  worker.once([&] { bind(worker); });
  worker.scan(mine.m.own, Seeking{mine.m}, mine.m.kept);
  worker.scan(mine.m.ownBins, HasRoom{mine.m}, mine.m.nextFirst);
  worker.forEach(mine.m.ownBins, ListFree{mine.m});
  if (isAlone()) return;
  worker.once([&] {
    worker.download(mine.counters);
    at(worker.device()) = mine.counters;
  });
}

/// Brings the free places of all devices together.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::gatherFree(DeviceWorker& worker) {
  Device& mine = of(worker);
  worker.fetch([&] {
    DeviceVector<std::int64_t>& all = bandOf(worker).scratch.allFree;
    std::uint64_t seekers = 0, places = 0;
    std::vector<Fetch> fetches;
    for (int other = 0; other < mine.m.devices; ++other) places += at(other).freePlaces();
    all.grow(static_cast<std::int64_t>(places), 0);
    std::int64_t* to = all.data();
    for (int other = 0; other < mine.m.devices; ++other) {
      if (other == worker.device()) mine.m.seekersBefore = seekers;
      seekers += at(other).seekers();
      const auto count = static_cast<std::size_t>(at(other).freePlaces());
      if (count == 0) continue;
      fetches.push_back(
          {other, agents_->band(other).scratch.free.data(), to, count * sizeof(std::int64_t)});
      to += count;
    }
    mine.counters.seekers() = seekers;
    mine.counters.freePlaces() = places;
    return fetches;
  });
}

template <class DeviceWorker>
auto AgentMigration<DeviceWorker>::sentMoves(int from, int to) -> GhostSegment {
  GhostSegment segment{0, movesFrom(from, to)};
  for (int before = 0; before < to; ++before) segment.begin += movesFrom(from, before);
  return segment;
}
template <class DeviceWorker>
auto AgentMigration<DeviceWorker>::sentChildren(int from, int to) -> GhostSegment {
  GhostSegment segment{0, childrenFrom(from, to)};
  for (int device = 0; device < agents_->devices(); ++device) {
    segment.begin += movesFrom(from, device);
    if (device < to) segment.begin += childrenFrom(from, device);
  }
  return segment;
}

/// Makes room for those that come from elsewhere and for children, and for what is sent.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::reserve(DeviceWorker& worker) {
  worker.once([&] {
    const int here = worker.device();
    Device& mine = of(worker);
    AgentBand& band = bandOf(worker);
    band.ghosts = 0;  // the old ones need not be kept
    MigrationView& m = mine.m;
    m.newborn = static_cast<std::int64_t>(at(here).localChildren());
    std::uint64_t firstChild = agents_->nextId;
    for (int other = 0; other < agents_->devices(); ++other) {
      if (other < here) firstChild += at(other).count(children);
      m.arrivals += movesFrom(other, here);
      m.newborn += childrenFrom(other, here);
      mine.sentMoves += movesFrom(here, other);
      mine.sent += movesFrom(here, other) + childrenFrom(here, other);
    }
    m.firstChild = firstChild;
    agents_->grow(here, std::max(m.all(), mine.sent));
    band.scratch.sentPlaces.grow(mine.sent, 0);
    band.scratch.sentOrigins.grow(mine.sentMoves, 0);
    band.scratch.decisions.grow(mine.sentMoves, 0);
    for (int other = 0; other < agents_->devices(); ++other) {
      mine.counters.moves(other) = static_cast<std::uint64_t>(sentMoves(here, other).begin);
      mine.counters.children(other) = static_cast<std::uint64_t>(sentChildren(here, other).begin);
    }
    mine.counters.localChildren() = static_cast<std::uint64_t>(m.own + m.arrivals);
    bind(worker);
  });
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::send(DeviceWorker& worker) {
  reserve(worker);
  Device& mine = of(worker);
  if (hasChildren()) {
    worker.scan(mine.m.own, Births{mine.m}, mine.m.kept);
    worker.forEach(mine.m.own, EmitChildren{mine.m});
  }
  if (!isAlone()) worker.forEach(mine.sentMoves > 0 ? mine.m.own : 0, PackEmigrants{mine.m});
}

/// Adds what is to be copied so that agents of a segment come to number `to` of this device.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::fetchAgents(DeviceWorker& worker, int from, GhostSegment segment,
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

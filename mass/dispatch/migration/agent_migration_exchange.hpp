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
  if (!isSingleDevice()) updatePlan(worker);
}

/// Reserves memory for the free places of all devices, and computes the prefix sum of their
/// seekers.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::reserveFree(DeviceWorker& worker) {
  worker.once([&] {
    Device& device = deviceOf(worker);
    MigrationTotals& totals = device.counters.totals;
    device.m.seekersBefore = plan_.seekersBefore(worker.device());
    totals.seekers = plan_.seekersBefore(agents_->devices());
    totals.freePlaces = plan_.freePlacesBefore(agents_->devices());
    bandOf(worker).scratch.allFreePlaceList.reserve(static_cast<std::int64_t>(totals.freePlaces),
                                                    0);
  });
}

/// Concatenates the free places of all devices.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::gatherFree(DeviceWorker& worker) {
  worker.fetch(*agents_, [&](int device) { return plan_.freePlaceFetches(device); });
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
    m.arrivals = plan_.immigrants(here);
    const std::vector<std::size_t> joining =
        agents_->newborns.onPlaces(band.bins.place(0), band.bins.place(band.bins.own()));
    m.newborn = plan_.newborns(here) + std::ssize(joining);
    m.firstChild = agents_->nextId + plan_.childrenBefore(here);
    const std::int64_t emigrants = plan_.emigrants(here), sent = plan_.sent(here);
    agents_->reserve(here, std::max(m.all(), sent));
    admitNewborns(band, joining, m.all() - std::ssize(joining));
    band.scratch.sentPlaces.reserve(sent, 0);
    band.scratch.sentOrigins.reserve(emigrants, 0);
    band.scratch.decisions.reserve(emigrants, 0);
    for (int other = 0; other < agents_->devices(); ++other) {
      const auto to = static_cast<std::size_t>(other);
      device.counters.moves[to] = static_cast<std::uint64_t>(plan_.sentMoves(here, other).begin);
      device.counters.children[to] =
          static_cast<std::uint64_t>(plan_.sentChildren(here, other).begin);
    }
    device.counters.totals.localChildren = static_cast<std::uint64_t>(m.own + m.arrivals);
    bind(worker);
  });
}

/// Copies agents that wait to join behind all others of a device.
/// @param newborns their indices @param first number of the first on the device
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::admitNewborns(AgentBand& band,
                                                 const std::vector<std::size_t>& newborns,
                                                 std::int64_t first) const {
  const auto write = [&](const auto& from, std::size_t bytes, auto& to) {
    const auto values = detail::selected(from, bytes, newborns);
    to.write(values.data(), std::ssize(values), first * static_cast<std::int64_t>(bytes));
  };
  if (newborns.empty()) return;
  write(agents_->newborns.ids, 1, band.ids);
  write(agents_->newborns.places, 1, band.targets);
  for (std::size_t k = 0; k < band.front.size(); ++k)
    write(agents_->newborns.components[k], agents_->traits().components[k].elementSize,
          band.front[k]);
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::send(DeviceWorker& worker) {
  reserve(worker);
  Device& device = deviceOf(worker);
  if (hasChildren()) {
    worker.scan(device.m.own, ChildCount{device.m}, device.m.prefixSums);
    worker.forEach(device.m.own, EmitChildren{device.m});
  }
  if (!isSingleDevice()) {
    const bool hasEmigrants = plan_.emigrants(worker.device()) > 0;
    worker.forEach(hasEmigrants ? device.m.own : 0, PackEmigrants{device.m});
  }
}

}  // namespace mass::detail::migration

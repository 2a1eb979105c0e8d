#pragma once

// Construction, phases within a device and results of AgentMigration.

#include <mass/dispatch/migration/agent_migration_exchange.hpp>
#include <mass/dispatch/migration/classify.hpp>
#include <mass/dispatch/migration/conservation_check.hpp>
#include <mass/dispatch/migration/resolve.hpp>

#include <algorithm>

namespace mass::detail::migration {

template <class DeviceWorker>
AgentMigration<DeviceWorker>::AgentMigration(const AgentRun& run)
    : agents_(run.agents),
      key_(mix(mix(run.seed) ^ run.agents->step) ^ mix(run.population)),
      plan_(agents_->devices(), agents_->traits().components.size()) {
  devices_.reserve(static_cast<std::size_t>(agents_->devices()));
  for (int device = 0; device < agents_->devices(); ++device) {
    const std::size_t edgeBins = agents_->summary(device).edgeBins.size();
    devices_.push_back({MigrationCounters::zero(agents_->devices(), edgeBins)});
    plan_.setCounters(device, devices_.back().counters);
  }
}

template <class DeviceWorker>
auto AgentMigration<DeviceWorker>::phases() const -> std::vector<Phase> {
  std::vector<Phase> all;
  if (isSingleDevice()) {
    if (seeksFreePlaces()) all.push_back({&AgentMigration::findFree});
    all.push_back({&AgentMigration::classify});
    if (hasBirths()) all.push_back({&AgentMigration::send});
    all.push_back({&AgentMigration::resolve});
    return all;
  }
  if (seeksFreePlaces()) {
    all.push_back({.run = &AgentMigration::findFree, .counts = true});
    all.push_back({&AgentMigration::reserveFree});
    all.push_back({&AgentMigration::gatherFree, &MigrationPlan::freePlaceFetches});
  }
  all.push_back({.run = &AgentMigration::classify, .counts = true});
  all.push_back({&AgentMigration::send});
  all.push_back({&AgentMigration::resolveMoves, &MigrationPlan::agentFetches});
  // A phase of its own: it reads decisions of other devices, and overwrites the buffers from which
  // they fetch in the phase before.
  all.push_back({&AgentMigration::resolveBirths,
                 hasCapacity() ? &MigrationPlan::decisionFetches : nullptr, true});
  return all;
}

/// Sets all pointers of the view and uploads the counters.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::bind(DeviceWorker& worker) {
  AgentBand& band = bandOf(worker);
  const AgentTraits& traits = agents_->traits();
  Device& device = deviceOf(worker);
  MigrationView& m = device.m;
  const auto& shape = agents_->places().domain().shape;
  m.own = band.own;
  m.worldPlaces = shape[0] * shape[1] * shape[2];
  m.firstPlace = band.bins.place(0);
  m.ownBins = static_cast<std::int32_t>(band.bins.own());
  m.allBins = static_cast<std::int32_t>(band.bins.size());
  m.capacity = traits.capacity;
  m.offspring = traits.offspring;
  m.key = key_;
  m.ids = m.newIds = band.ids.data();
  m.bin = band.bin.data();
  m.first = band.first.data();
  m.targets = band.targets.data();
  m.births = band.births.data();
  m.birthplaces = band.birthplaces.data();
  m.nextIds = band.nextIds.data();
  m.nextBin = band.nextBin.data();
  m.nextFirst = band.nextFirst.data();
  m.nextClaim = band.scratch.nextClaim.data();
  m.prefixSums = band.scratch.prefixSums.data();
  m.moveStates = band.scratch.moveStates.data();
  m.lastClaim = band.scratch.lastClaim.data();
  m.immigrants = band.scratch.immigrants.data();
  m.devices = agents_->devices();
  m.placeEnds = band.scratch.placeEnds.data();
  m.sentPlaces = band.scratch.sentPlaces.data();
  m.sentOrigins = band.scratch.sentOrigins.data();
  m.decisions = band.scratch.decisions.data();
  m.freePlaceList = band.scratch.freePlaceList.data();
  m.allFreePlaceList =
      isSingleDevice() ? band.scratch.freePlaceList.data() : band.scratch.allFreePlaceList.data();
  m.edgeBins = band.scratch.edgeBins.data();
  m.edgeCount = static_cast<std::int32_t>(band.edgeBins.size());
  m.columnCount = static_cast<std::int32_t>(band.front.size());
  device.counters.totals.own = static_cast<std::uint64_t>(band.own);
  setColumns(device, band);
  worker.upload(device.counters, device.columns).bind(m);
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::setColumns(Device& device, const AgentBand& band) const {
  device.columns.resize(band.front.size());
  for (std::size_t k = 0; k < band.front.size(); ++k) {
    device.columns[k] = {band.front[k].data(), band.back[k].data(), band.children[k].data(),
                         static_cast<std::int64_t>(agents_->traits().components[k].elementSize)};
  }
}

/// Downloads the counters of a device into the plan, which the next phase of all devices reads.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::updatePlan(DeviceWorker& worker) {
  worker.once([&] {
    MigrationCounters& counters = deviceOf(worker).counters;
    worker.download(counters);
    plan_.setCounters(worker.device(), counters);
  });
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::classify(DeviceWorker& worker) {
  Device& device = deviceOf(worker);
  if (!(seeksFreePlaces() && isSingleDevice())) worker.once([&] { bind(worker); });
  if (seeksFreePlaces()) worker.forEach(device.m.own, AssignFreePlaces{device.m});
  worker.forEach(device.m.own, ClassifyAgents{device.m});
  if (!isSingleDevice() || hasBirths()) updatePlan(worker);
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::resolveMoves(DeviceWorker& worker) {
  const MigrationView& m = deviceOf(worker).m;
  if (!isSingleDevice()) {
    worker.fetch(*agents_, [&](int device) { return plan_.agentFetches(device); });
    worker.forEach(m.arrivals, ClaimForImmigrants{m});
  }
  if (hasCapacity()) worker.forEach(m.own + m.arrivals, ResolveMoves{m});
}

/// Resolves moves and births on a single device, without a phase boundary.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::resolve(DeviceWorker& worker) {
  resolveMoves(worker);
  resolveBirths(worker);
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::resolveBirths(DeviceWorker& worker) {
  const MigrationView& m = deviceOf(worker).m;
  if (!isSingleDevice() && hasCapacity()) {
    worker.fetch(*agents_, [&](int device) { return plan_.decisionFetches(device); });
    worker.forEach(plan_.emigrants(worker.device()), ApplyRemoteDecisions{m});
  }
  if (hasBirths()) {
    worker.forEach(m.newborn, ClaimForNewborns{m});
    if (hasCapacity()) worker.forEach(m.newborn, ResolveBirths{m});
  }
  sortIntoNewOrder(worker);
}

/// Writes the new state into the back buffers, sorted by bin and identity.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::sortIntoNewOrder(DeviceWorker& worker) {
  Device& device = deviceOf(worker);
  const MigrationView& m = device.m;
  worker.scan(m.own, StaysInPlace{m}, m.prefixSums);
  worker.scan(m.ownBins, FutureBinSize{m}, m.nextFirst);
  worker.forEach(m.all(), ListImmigrants{m});
  if (m.capacity == 0 || m.capacity > maxCompared) {
    worker.forEach(m.all() / (maxCompared + 1) * runsPerCrowdedBin, SortCrowdedBins{m});
  }
  worker.forEach(m.all(), ScatterToNewOrder{m});
  worker.forEach(std::max<std::int64_t>({m.all(), m.allBins - m.ownBins, m.edgeCount, 1}),
                 ResetScratch{m});
  worker.once([&] { worker.report(device.counters); });
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::shareCounters() {
  const DeviceConfig& devices = agents_->places().devices();
  if (devices.ranks().count() == 1) return;
  std::vector<std::size_t> offsets{0};  // by device, in the packed counters of all devices
  for (int device = 0; device < devices.size(); ++device)
    offsets.push_back(offsets.back() + packedBytes(counters(device)));
  std::vector<std::byte> packed(offsets.back());
  const auto at = [&](int device) {
    return packed.data() + offsets[static_cast<std::size_t>(device)];
  };
  for (const int device : devices.local()) pack(counters(device), at(device));
  std::vector<std::size_t> rankOffsets;
  for (const int first : devices.firstDevices())
    rankOffsets.push_back(offsets[static_cast<std::size_t>(first)]);
  devices.ranks().allGatherInPlace(packed.data(), rankOffsets);
  for (int device = 0; device < devices.size(); ++device) {
    if (devices.isLocal(device)) continue;
    unpack(at(device), counters(device));
    plan_.setCounters(device, counters(device));
  }
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::commit() {
  for (int device = 0; device < agents_->devices(); ++device) {
    AgentBand& band = agents_->band(device);
    band.ghosts = 0;
    std::swap(band.ids, band.nextIds);
    std::swap(band.bin, band.nextBin);
    std::swap(band.first, band.nextFirst);
    std::swap(band.front, band.back);
  }
  ++agents_->step;
  agents_->hasIntents = false;
  agents_->newborns.clear();
  agents_->markMoved();
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::publishCensus() {
  Census& sum = agents_->census = {};
  std::uint64_t all = 0, invalid = 0;
  for (int device = 0; device < agents_->devices(); ++device) {
    const MigrationCounters& counted = counters(device);
    const MigrationTotals& totals = counted.totals;
    AgentBand& band = agents_->band(device);
    band.own = static_cast<std::int64_t>(totals.alive);
    for (std::size_t i = 0; i < band.edges.size(); ++i) {
      band.edges[i] = static_cast<std::int64_t>(counted.edges[i]);
    }
    const auto add = [&](std::int64_t& to, Count which) {
      to += static_cast<std::int64_t>(totals.of[which]);
    };
    sum.alive += band.own;
    add(sum.died, died);
    add(sum.moved, moved);
    add(sum.blocked, blocked);
    add(sum.born, born);
    add(sum.unborn, unborn);
    all += totals.of[identities];
    invalid += totals.of[invalidRequests];
    agents_->nextId += totals.of[children];
  }
  check(*agents_, sum, all, invalid);
}

}  // namespace mass::detail::migration

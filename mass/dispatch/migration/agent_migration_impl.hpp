#pragma once

// The phases of a AgentMigration.

#include <mass/dispatch/migration/agent_migration_exchange.hpp>
#include <mass/dispatch/migration/classify.hpp>
#include <mass/dispatch/migration/conservation_check.hpp>
#include <mass/dispatch/migration/resolve.hpp>

#include <algorithm>

namespace mass::detail::migration {

template <class DeviceWorker>
AgentMigration<DeviceWorker>::AgentMigration(const AgentRun& run)
    : agents_(run.agents), key_(mix(mix(run.seed) ^ run.agents->step) ^ mix(run.population)) {
  for (int device = 0; device < agents_->devices(); ++device) {
    const AgentBand& band = agents_->band(device);
    devices_.push_back(
        {MigrationCounters(agents_->devices(), band.edgeBins.size(), band.front.size()),
         MigrationView{}});
    counted_.push_back(devices_.back().counters);
  }
}

template <class DeviceWorker>
auto AgentMigration<DeviceWorker>::phases() const -> std::vector<Phase> {
  std::vector<Phase> all;
  if (seeks()) all.push_back(&AgentMigration::findFree);
  if (seeks() && !isAlone()) all.push_back(&AgentMigration::gatherFree);
  all.push_back(&AgentMigration::classify);
  if (!isAlone() || hasChildren()) all.push_back(&AgentMigration::send);
  if (!isAlone()) {
    all.push_back(&AgentMigration::resolveMoves);
    // When others have decided about moves, and fetched what lies where the new state comes to be.
    all.push_back(&AgentMigration::resolveBirths);
  } else {
    all.push_back(&AgentMigration::resolve);
  }
  return all;
}

/// Tells bodies where everything is on the device.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::bind(DeviceWorker& worker) {
  AgentBand& band = bandOf(worker);
  const AgentTraits& traits = agents_->traits();
  Device& mine = of(worker);
  MigrationView& m = mine.m;
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
  m.kept = band.scratch.kept.data();
  m.moveStates = band.scratch.moveStates.data();
  m.lastClaim = band.scratch.lastClaim.data();
  m.immigrants = band.scratch.immigrants.data();
  m.devices = agents_->devices();
  m.placeEnds = band.scratch.placeEnds.data();
  m.sentPlaces = band.scratch.sentPlaces.data();
  m.sentOrigins = band.scratch.sentOrigins.data();
  m.decisions = band.scratch.decisions.data();
  m.free = band.scratch.free.data();
  m.allFree = isAlone() ? band.scratch.free.data() : band.scratch.allFree.data();
  m.edgeBins = band.scratch.edgeBins.data();
  for (std::size_t k = 0; k < band.front.size(); ++k) {
    mine.counters.setColumn(k, {band.front[k].data(), band.back[k].data(), band.children[k].data(),
                                static_cast<std::int64_t>(traits.components[k].elementSize)});
  }
  mine.counters.bind(worker.upload(mine.counters), m);
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::classify(DeviceWorker& worker) {
  Device& mine = of(worker);
  if (!(seeks() && isAlone())) worker.once([&] { bind(worker); });
  if (seeks()) worker.forEach(mine.m.own, AssignFreePlaces{mine.m});
  worker.forEach(mine.m.own, ClassifyAgents{mine.m});
  if (isAlone() && !hasChildren()) return;
  worker.once([&] {
    worker.download(mine.counters);
    at(worker.device()) = mine.counters;
  });
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::resolveMoves(DeviceWorker& worker) {
  Device& mine = of(worker);
  const MigrationView& m = mine.m;
  if (!isAlone()) {
    worker.fetch([&] {
      std::vector<Fetch> fetches;
      std::int64_t to = m.own;
      for (int other = 0; other < m.devices; ++other) {
        fetchAgents(worker, other, sentMoves(other, worker.device()), to, fetches);
        to += movesFrom(other, worker.device());
      }
      to += static_cast<std::int64_t>(at(worker.device()).localChildren());
      for (int other = 0; other < m.devices; ++other) {
        fetchAgents(worker, other, sentChildren(other, worker.device()), to, fetches);
        to += childrenFrom(other, worker.device());
      }
      return fetches;
    });
    worker.forEach(m.arrivals, ClaimForImmigrants{m});
  }
  if (isLimited()) worker.forEach(m.own + m.arrivals, ResolveMoves{m});
}

/// Where there are no others.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::resolve(DeviceWorker& worker) {
  resolveMoves(worker);
  resolveBirths(worker);
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::resolveBirths(DeviceWorker& worker) {
  Device& mine = of(worker);
  const MigrationView& m = mine.m;
  if (!isAlone() && isLimited()) {
    worker.fetch([&] {
      std::vector<Fetch> fetches;
      for (int other = 0; other < m.devices; ++other) {
        const GhostSegment mineThere = sentMoves(worker.device(), other);
        if (mineThere.count == 0) continue;
        std::int64_t before = agents_->band(other).own;
        for (int d = 0; d < worker.device(); ++d) before += movesFrom(d, other);
        fetches.push_back({other, agents_->band(other).scratch.moveStates.data() + before,
                           bandOf(worker).scratch.decisions.data() + mineThere.begin,
                           static_cast<std::size_t>(mineThere.count)});
      }
      return fetches;
    });
    worker.forEach(mine.sentMoves, ApplyRemoteDecisions{m});
  }
  if (hasChildren()) {
    worker.forEach(m.newborn, ClaimForNewborns{m});
    if (isLimited()) worker.forEach(m.newborn, ResolveBirths{m});
  }
  sortIntoNewOrder(worker);
}

/// Puts together the new state, sorted, beside the old one.
template <class DeviceWorker>
void AgentMigration<DeviceWorker>::sortIntoNewOrder(DeviceWorker& worker) {
  Device& mine = of(worker);
  const MigrationView& m = mine.m;
  worker.scan(m.own, StaysInPlace{m}, m.kept);
  worker.scan(m.ownBins, FutureBinSize{m}, m.nextFirst);
  worker.forEach(m.all(), ListImmigrants{m});
  if (m.capacity == 0 || m.capacity > mostCompared) {
    worker.forEach(m.all() / (mostCompared + 1) * crowdPieces, SortCrowds{m});
  }
  worker.forEach(m.all(), ScatterToNewOrder{m});
  worker.forEach(std::max<std::int64_t>({m.all(), m.allBins - m.ownBins, m.edgeCount, 1}),
                 ResetScratch{m});
  worker.once([&] { worker.report(mine.counters); });
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
  agents_->ghostsStale = true;
}

template <class DeviceWorker>
void AgentMigration<DeviceWorker>::publishCensus() {
  Census& sum = agents_->census = {};
  std::uint64_t all = 0, invalid = 0;
  for (int device = 0; device < agents_->devices(); ++device) {
    MigrationCounters& counted = counters(device);
    AgentBand& band = agents_->band(device);
    band.own = static_cast<std::int64_t>(counted.alive());
    for (std::size_t i = 0; i < band.edges.size(); ++i) band.edges[i] = counted.edge(i);
    const auto add = [&](std::int64_t& to, Count which) {
      to += static_cast<std::int64_t>(counted.count(which));
    };
    sum.alive += band.own;
    add(sum.died, died);
    add(sum.moved, moved);
    add(sum.blocked, blocked);
    add(sum.born, born);
    add(sum.unborn, unborn);
    all += counted.count(identities);
    invalid += counted.count(invalidRequests);
    agents_->nextId += counted.count(children);
  }
  check(*agents_, sum, all, invalid);
}

}  // namespace mass::detail::migration

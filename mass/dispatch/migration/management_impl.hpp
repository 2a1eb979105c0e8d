#pragma once

// The phases of a Management.

#include <mass/dispatch/migration/check.hpp>
#include <mass/dispatch/migration/management_exchange.hpp>
#include <mass/dispatch/migration/proposing.hpp>
#include <mass/dispatch/migration/settling.hpp>

#include <algorithm>

namespace mass::agents {

template <class Share>
Management<Share>::Management(const AgentRun& run)
    : agents_(run.agents), key_(mix(mix(run.seed) ^ run.agents->step) ^ mix(run.population)) {
  for (int device = 0; device < agents_->devices(); ++device) {
    const AgentBand& band = agents_->band(device);
    devices_.push_back(
        {Ledger(agents_->devices(), band.edgeBins.size(), band.front.size()), Managed{}});
    counted_.push_back(devices_.back().ledger);
  }
}

template <class Share>
auto Management<Share>::phases() const -> std::vector<Phase> {
  std::vector<Phase> all;
  if (seeks()) all.push_back(&Management::findFree);
  if (seeks() && !isAlone()) all.push_back(&Management::gatherFree);
  all.push_back(&Management::propose);
  if (!isAlone() || hasChildren()) all.push_back(&Management::send);
  if (!isAlone()) {
    all.push_back(&Management::settleMoves);
    // When others have decided about moves, and fetched what lies where the new state comes to be.
    all.push_back(&Management::settleBirths);
  } else {
    all.push_back(&Management::settle);
  }
  return all;
}

/// Tells bodies where everything is on the device.
template <class Share>
void Management<Share>::describe(Share& share) {
  AgentBand& band = bandOf(share);
  const AgentTraits& traits = agents_->traits();
  Device& mine = of(share);
  Managed& m = mine.m;
  const auto& shape = agents_->places().domain().shape;
  m.own = band.own;
  m.worldPlaces = shape[0] * shape[1] * shape[2];
  m.firstPlace = band.bins.place(0);
  m.ownBins = static_cast<std::int32_t>(band.bins.own());
  m.allBins = static_cast<std::int32_t>(band.bins.size());
  m.capacity = traits.capacity;
  m.offspring = traits.offspring;
  m.key = key_;
  m.ids = m.newcomerIds = band.ids.data();
  m.bin = band.bin.data();
  m.first = band.first.data();
  m.targets = band.targets.data();
  m.births = band.births.data();
  m.birthplaces = band.birthplaces.data();
  m.nextIds = band.nextIds.data();
  m.nextBin = band.nextBin.data();
  m.nextFirst = band.nextFirst.data();
  m.nextClaim = band.desk.nextClaim.data();
  m.kept = band.desk.kept.data();
  m.fates = band.desk.fates.data();
  m.lastClaim = band.desk.lastClaim.data();
  m.incomers = band.desk.incomers.data();
  m.devices = agents_->devices();
  m.placeEnds = band.desk.placeEnds.data();
  m.sentPlaces = band.desk.sentPlaces.data();
  m.sentOrigins = band.desk.sentOrigins.data();
  m.verdicts = band.desk.verdicts.data();
  m.free = band.desk.free.data();
  m.allFree = isAlone() ? band.desk.free.data() : band.desk.allFree.data();
  m.edgeBins = band.desk.edgeBins.data();
  for (std::size_t k = 0; k < band.front.size(); ++k) {
    mine.ledger.setColumn(k, {band.front[k].data(), band.back[k].data(), band.children[k].data(),
                              static_cast<std::int64_t>(traits.components[k].elementSize)});
  }
  mine.ledger.describe(share.upload(mine.ledger), m);
}

template <class Share>
void Management<Share>::propose(Share& share) {
  Device& mine = of(share);
  if (!(seeks() && isAlone())) share.once([&] { describe(share); });
  if (seeks()) share.forEach(mine.m.own, Draw{mine.m});
  share.forEach(mine.m.own, Propose{mine.m});
  if (isAlone() && !hasChildren()) return;
  share.once([&] {
    share.download(mine.ledger);
    at(share.device()) = mine.ledger;
  });
}

template <class Share>
void Management<Share>::settleMoves(Share& share) {
  Device& mine = of(share);
  const Managed& m = mine.m;
  if (!isAlone()) {
    share.fetch([&] {
      std::vector<Fetch> fetches;
      std::int64_t to = m.own;
      for (int other = 0; other < m.devices; ++other) {
        fetchAgents(share, other, sentMoves(other, share.device()), to, fetches);
        to += movesFrom(other, share.device());
      }
      to += static_cast<std::int64_t>(at(share.device()).localChildren());
      for (int other = 0; other < m.devices; ++other) {
        fetchAgents(share, other, sentChildren(other, share.device()), to, fetches);
        to += childrenFrom(other, share.device());
      }
      return fetches;
    });
    share.forEach(m.arrivals, Arrive{m});
  }
  if (isLimited()) share.forEach(m.own + m.arrivals, SettleMoves{m});
}

/// Where there are no others.
template <class Share>
void Management<Share>::settle(Share& share) {
  settleMoves(share);
  settleBirths(share);
}

template <class Share>
void Management<Share>::settleBirths(Share& share) {
  Device& mine = of(share);
  const Managed& m = mine.m;
  if (!isAlone() && isLimited()) {
    share.fetch([&] {
      std::vector<Fetch> fetches;
      for (int other = 0; other < m.devices; ++other) {
        const Segment mineThere = sentMoves(share.device(), other);
        if (mineThere.count == 0) continue;
        std::int64_t before = agents_->band(other).own;
        for (int d = 0; d < share.device(); ++d) before += movesFrom(d, other);
        fetches.push_back({other, agents_->band(other).desk.fates.data() + before,
                           bandOf(share).desk.verdicts.data() + mineThere.begin,
                           static_cast<std::size_t>(mineThere.count)});
      }
      return fetches;
    });
    share.forEach(mine.sentMoves, Obey{m});
  }
  if (hasChildren()) {
    share.forEach(m.newborn, Claim{m});
    if (isLimited()) share.forEach(m.newborn, SettleBirths{m});
  }
  arrange(share);
}

/// Puts together the new state, sorted, beside the old one.
template <class Share>
void Management<Share>::arrange(Share& share) {
  Device& mine = of(share);
  const Managed& m = mine.m;
  share.scan(m.own, Staying{m}, m.kept);
  share.scan(m.ownBins, Population{m}, m.nextFirst);
  share.forEach(m.all(), Enter{m});
  if (m.capacity == 0 || m.capacity > mostCompared) {
    share.forEach(m.all() / (mostCompared + 1) * crowdPieces, SortCrowds{m});
  }
  share.forEach(m.all(), Arrange{m});
  share.forEach(std::max<std::int64_t>({m.all(), m.allBins - m.ownBins, m.edgeCount, 1}),
                Finish{m});
  share.once([&] { share.report(mine.ledger); });
}

template <class Share>
void Management<Share>::commit() {
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

template <class Share>
void Management<Share>::conclude() {
  Census& sum = agents_->census = {};
  std::uint64_t all = 0, erringAgents = 0;
  for (int device = 0; device < agents_->devices(); ++device) {
    Ledger& counted = ledger(device);
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
    erringAgents += counted.count(erring);
    agents_->nextId += counted.count(children);
  }
  check(*agents_, sum, all, erringAgents);
}

}  // namespace mass::agents

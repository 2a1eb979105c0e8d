#pragma once

// What a Management does so that devices know of each other's agents and places.

#include <mass/dispatch/migration/proposing.hpp>

#include <algorithm>

namespace mass::agents {

template <class Share>
void Management<Share>::findFree(Share& share) {
  Device& mine = of(share);
  share.once([&] { describe(share); });
  share.scan(mine.m.own, Seeking{mine.m}, mine.m.kept);
  share.scan(mine.m.ownBins, HasRoom{mine.m}, mine.m.nextFirst);
  share.forEach(mine.m.ownBins, ListFree{mine.m});
  if (isAlone()) return;
  share.once([&] {
    share.download(mine.ledger);
    at(share.device()) = mine.ledger;
  });
}

/// Brings the free places of all devices together.
template <class Share>
void Management<Share>::gatherFree(Share& share) {
  Device& mine = of(share);
  share.fetch([&] {
    GrowingArray<std::int64_t>& all = bandOf(share).desk.allFree;
    std::uint64_t seekers = 0, places = 0;
    std::vector<Fetch> fetches;
    for (int other = 0; other < mine.m.devices; ++other) places += at(other).freePlaces();
    all.grow(static_cast<std::int64_t>(places), 0);
    std::int64_t* to = all.data();
    for (int other = 0; other < mine.m.devices; ++other) {
      if (other == share.device()) mine.m.seekersBefore = seekers;
      seekers += at(other).seekers();
      const auto count = static_cast<std::size_t>(at(other).freePlaces());
      if (count == 0) continue;
      fetches.push_back(
          {other, agents_->band(other).desk.free.data(), to, count * sizeof(std::int64_t)});
      to += count;
    }
    mine.ledger.seekers() = seekers;
    mine.ledger.freePlaces() = places;
    return fetches;
  });
}

template <class Share>
auto Management<Share>::sentMoves(int from, int to) -> Segment {
  Segment segment{0, movesFrom(from, to)};
  for (int before = 0; before < to; ++before) segment.begin += movesFrom(from, before);
  return segment;
}
template <class Share>
auto Management<Share>::sentChildren(int from, int to) -> Segment {
  Segment segment{0, childrenFrom(from, to)};
  for (int device = 0; device < agents_->devices(); ++device) {
    segment.begin += movesFrom(from, device);
    if (device < to) segment.begin += childrenFrom(from, device);
  }
  return segment;
}

/// Makes room for those that come from elsewhere and for children, and for what is sent.
template <class Share>
void Management<Share>::makeRoom(Share& share) {
  share.once([&] {
    const int here = share.device();
    Device& mine = of(share);
    AgentBand& band = bandOf(share);
    band.ghosts = 0;  // the old ones need not be kept
    Managed& m = mine.m;
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
    band.desk.sentPlaces.grow(mine.sent, 0);
    band.desk.sentOrigins.grow(mine.sentMoves, 0);
    band.desk.verdicts.grow(mine.sentMoves, 0);
    for (int other = 0; other < agents_->devices(); ++other) {
      mine.ledger.moves(other) = static_cast<std::uint64_t>(sentMoves(here, other).begin);
      mine.ledger.children(other) = static_cast<std::uint64_t>(sentChildren(here, other).begin);
    }
    mine.ledger.localChildren() = static_cast<std::uint64_t>(m.own + m.arrivals);
    describe(share);
  });
}

template <class Share>
void Management<Share>::send(Share& share) {
  makeRoom(share);
  Device& mine = of(share);
  if (hasChildren()) {
    share.scan(mine.m.own, Births{mine.m}, mine.m.kept);
    share.forEach(mine.m.own, Bear{mine.m});
  }
  if (!isAlone()) share.forEach(mine.sentMoves > 0 ? mine.m.own : 0, Send{mine.m});
}

/// Adds what is to be copied so that agents of a segment come to number `to` of this device.
template <class Share>
void Management<Share>::fetchAgents(Share& share, int from, Segment segment, std::int64_t to,
                                    std::vector<Fetch>& fetches) const {
  if (segment.count == 0) return;
  const AgentBand& source = agents_->band(from);
  AgentBand& band = bandOf(share);
  const auto add = [&](const auto* there, auto* here, std::int64_t size) {
    fetches.push_back({from, there + segment.begin * size, here + to * size,
                       static_cast<std::size_t>(segment.count * size) * sizeof(*here)});
  };
  add(source.nextIds.data(), band.ids.data(), 1);
  add(source.desk.sentPlaces.data(), band.targets.data(), 1);
  for (std::size_t k = 0; k < band.front.size(); ++k) {
    const auto size = static_cast<std::int64_t>(agents_->traits().components[k].elementSize);
    add(source.back[k].data(), band.front[k].data(), size);
  }
}

}  // namespace mass::agents

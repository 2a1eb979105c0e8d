#pragma once

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/agents/bodies.hpp>
#include <mass/dispatch/agents/check.hpp>
#include <mass/memory/agent_fields.hpp>
#include <mass/partition/ghost_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mass::agents {

/// A piece of another device's memory to be copied to this one.
struct Fetch {
  int fromDevice = 0;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
};

/// What a device counts and is told while it manages agents: numbers that the host writes to its
/// memory and reads from there in one piece.
class Ledger {
 public:
  Ledger(int devices, std::size_t edges, std::size_t columns)
      : devices_(static_cast<std::size_t>(devices)),
        edges_(edges),
        columns_(columns),
        numbers_(columnsAt() + columns * sizeof(Column) / sizeof(std::uint64_t)) {}

  std::size_t size() const { return numbers_.size(); }
  std::uint64_t* data() { return numbers_.data(); }

  std::uint64_t& count(Count which) { return numbers_[which]; }
  std::uint64_t& alive() { return numbers_[aliveAt()]; }
  std::uint64_t& localChildren() { return numbers_[aliveAt() + 1]; }
  std::uint64_t& seekers() { return numbers_[aliveAt() + 2]; }
  std::uint64_t& freePlaces() { return numbers_[aliveAt() + 3]; }
  std::uint64_t& moves(int device) {
    return numbers_[movesAt() + static_cast<std::size_t>(device)];
  }
  std::uint64_t& children(int device) {
    return numbers_[childrenAt() + static_cast<std::size_t>(device)];
  }
  std::int64_t edge(std::size_t i) { return static_cast<std::int64_t>(numbers_[edgesAt() + i]); }

  void setColumn(std::size_t i, const Column& column) {
    std::memcpy(numbers_.data() + columnsAt() + i * sizeof(Column) / sizeof(std::uint64_t), &column,
                sizeof(Column));
  }

  /// Tells bodies where the numbers are on the device.
  void describe(std::uint64_t* there, Managed& m) const {
    m.counts = there;
    m.alive = there + aliveAt();
    m.localChildren = there + aliveAt() + 1;
    m.seekers = there + aliveAt() + 2;
    m.freePlaces = there + aliveAt() + 3;
    m.sentMoves = there + movesAt();
    m.sentChildren = there + childrenAt();
    m.edges = there + edgesAt();
    m.edgeCount = static_cast<std::int32_t>(edges_);
    m.columns = reinterpret_cast<const Column*>(there + columnsAt());
    m.columnCount = static_cast<std::int32_t>(columns_);
  }

 private:
  static std::size_t aliveAt() { return counts; }
  static std::size_t movesAt() { return counts + 4; }
  std::size_t childrenAt() const { return movesAt() + devices_; }
  std::size_t edgesAt() const { return childrenAt() + devices_; }
  std::size_t columnsAt() const { return edgesAt() + edges_; }

  std::size_t devices_, edges_, columns_;
  std::vector<std::uint64_t> numbers_;
};

/// One manageAll. `Share` is what works for a device: a thread of a CPU, all of its threads, or a
/// GPU. Every device goes through the phases, and all have ended one before any begins the next.
template <class Share>
class Management {
 public:
  explicit Management(const AgentRun& run);

  using Phase = void (Management::*)(Share&);
  /// The phases in their order. Devices that have nothing to say to each other need but some.
  std::vector<Phase> phases() const;
  /// The result, after all phases. @throws Error when agents were lost or doubled.
  Census conclude();

 private:
  struct Device {
    Ledger ledger;
    Managed m;
    std::int64_t sent = 0;       ///< agents and children for other devices
    std::int64_t sentMoves = 0;  ///< agents of these, which come first
  };
  /// Where things of one device for another are.
  struct Segment {
    std::int64_t begin = 0, count = 0;
  };

  Device& of(const Share& share) { return devices_[static_cast<std::size_t>(share.device())]; }
  AgentBand& bandOf(const Share& share) const { return agents_->band(share.device()); }
  bool isAlone() const { return devices_.size() == 1; }
  bool isLimited() const { return agents_->traits().capacity > 0; }
  bool seeks() const { return agents_->traits().seeks; }
  bool hasChildren() const { return agents_->traits().offspring > 0; }

  void describe(Share& share);
  void findFree(Share& share);
  void gatherFree(Share& share);
  void propose(Share& share);
  void makeRoom(Share& share);
  void send(Share& share);
  void settleMoves(Share& share);
  void settleBirths(Share& share);
  void arrange(Share& share);

  std::int64_t movesFrom(int from, int to) { return static_cast<std::int64_t>(at(from).moves(to)); }
  std::int64_t childrenFrom(int from, int to) {
    return static_cast<std::int64_t>(at(from).children(to));
  }
  Ledger& at(int device) { return counted_[static_cast<std::size_t>(device)]; }
  Segment sentMoves(int from, int to);
  Segment sentChildren(int from, int to);
  void fetchAgents(Share& share, int from, Segment segment, std::int64_t to,
                   std::vector<Fetch>& fetches) const;

  AgentFields* agents_;
  std::uint64_t key_;
  std::vector<Device> devices_;
  std::vector<Ledger> counted_;  ///< by device: as it was after they proposed
};

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
  if (!isAlone() || hasChildren()) all.push_back(&Management::makeRoom);
  if (!isAlone() || hasChildren()) all.push_back(&Management::send);
  all.push_back(&Management::settleMoves);
  all.push_back(&Management::settleBirths);
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
  m.device = share.device();
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
    band.grow(std::max(m.all(), mine.sent));
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
  share.forEach(m.all(), Arrange{m});
  share.forEach(std::max<std::int64_t>({m.all(), m.allBins - m.ownBins, m.edgeCount, 1}),
                Finish{m});
  share.once([&] { share.download(mine.ledger); });
}

template <class Share>
Census Management<Share>::conclude() {
  Census sum;
  std::uint64_t all = 0, erringAgents = 0, childrenInAll = 0;
  for (int device = 0; device < agents_->devices(); ++device) {
    Ledger& ledger = devices_[static_cast<std::size_t>(device)].ledger;
    AgentBand& band = agents_->band(device);
    band.own = static_cast<std::int64_t>(ledger.alive());
    band.ghosts = 0;
    std::swap(band.ids, band.nextIds);
    std::swap(band.bin, band.nextBin);
    std::swap(band.first, band.nextFirst);
    std::swap(band.front, band.back);
    for (std::size_t i = 0; i < band.edges.size(); ++i) band.edges[i] = ledger.edge(i);
    const auto add = [&](std::int64_t& to, Count which) {
      to += static_cast<std::int64_t>(ledger.count(which));
    };
    sum.alive += band.own;
    add(sum.died, died);
    add(sum.moved, moved);
    add(sum.blocked, blocked);
    add(sum.born, born);
    add(sum.unborn, unborn);
    all += ledger.count(identities);
    erringAgents += ledger.count(erring);
    childrenInAll += ledger.count(children);
  }
  agents_->nextId += childrenInAll;
  ++agents_->step;
  agents_->hasIntents = false;
  agents_->ghostsStale = true;
  check(*agents_, sum, all, erringAgents);
  return sum;
}

}  // namespace mass::agents

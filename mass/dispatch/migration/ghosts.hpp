#pragma once

#include <mass/dispatch/migration/management.hpp>
#include <mass/dispatch/migration/settling.hpp>

#include <cstdint>
#include <vector>

namespace mass::agents {

/// Brings the agents of ghost rows up to date, by shares and in phases like a Management.
template <class Share>
class GhostRefresh {
 public:
  explicit GhostRefresh(AgentFields& agents) : agents_(&agents) {}

  using Phase = void (GhostRefresh::*)(Share&);
  /// Nobody reads what another device may put elsewhere, to make room.
  std::vector<Phase> phases() const {
    if (!needsRoom()) return {&GhostRefresh::copy};
    return {&GhostRefresh::makeRoom, &GhostRefresh::copy};
  }
  /// Whether there are more ghosts than some device has room for.
  bool needsRoom() const;

 private:
  /// Agents of ghost rows.
  struct Stretch {
    std::int64_t begin = 0, count = 0;  ///< on the device that they are copied from
    std::int64_t fromBin = 0, toBin = 0, bins = 0;
  };
  Stretch stretchOf(const AgentGhosts& ghosts) const;
  std::int64_t ghostsOn(int device) const;
  void makeRoom(Share& share);
  void copy(Share& share);
  std::vector<Fetch> fetches(int device) const;

  AgentFields* agents_;
};

template <class Share>
auto GhostRefresh<Share>::stretchOf(const AgentGhosts& ghosts) const -> Stretch {
  const GhostCopy& rows = ghosts.rows;
  const AgentBand& source = agents_->band(rows.fromDevice);
  const AgentBand& band = agents_->band(rows.toDevice);
  const std::int64_t begin = source.edges[ghosts.edge];
  return {.begin = begin,
          .count = source.edges[ghosts.edge + 1] - begin,
          .fromBin = source.bins.ofRow(rows.fromRow - source.bins.firstRow),
          .toBin = band.bins.ofRow(rows.toRow - band.bins.firstRow),
          .bins = rows.count * band.bins.rowSize()};
}

template <class Share>
std::int64_t GhostRefresh<Share>::ghostsOn(int device) const {
  std::int64_t ghosts = 0;
  for (const AgentGhosts& rows : agents_->ghostsOf(device)) ghosts += stretchOf(rows).count;
  return ghosts;
}

template <class Share>
bool GhostRefresh<Share>::needsRoom() const {
  for (int device = 0; device < agents_->devices(); ++device) {
    const AgentBand& band = agents_->band(device);
    if (band.own + ghostsOn(device) > band.room()) return true;
  }
  return false;
}

template <class Share>
void GhostRefresh<Share>::makeRoom(Share& share) {
  share.once([&] {
    AgentBand& band = agents_->band(share.device());
    band.ghosts = 0;  // the old ones need not be kept
    agents_->grow(share.device(), band.own + ghostsOn(share.device()));
  });
}

template <class Share>
std::vector<Fetch> GhostRefresh<Share>::fetches(int device) const {
  const AgentBand& band = agents_->band(device);
  std::vector<Fetch> all;
  std::int64_t to = band.own;
  for (const AgentGhosts& ghosts : agents_->ghostsOf(device)) {
    const AgentBand& source = agents_->band(ghosts.rows.fromDevice);
    const Stretch stretch = stretchOf(ghosts);
    const auto add = [&](const auto* from, auto* here, std::int64_t elements) {
      if (elements == 0) return;
      all.push_back(
          {ghosts.rows.fromDevice, from, here, static_cast<std::size_t>(elements) * sizeof(*here)});
    };
    add(source.first.data() + stretch.fromBin + 1, band.nextFirst.data() + stretch.toBin + 1,
        stretch.bins);
    add(source.ids.data() + stretch.begin, band.ids.data() + to, stretch.count);
    for (std::size_t k = 0; k < band.front.size(); ++k) {
      const auto size = static_cast<std::int64_t>(agents_->traits().components[k].elementSize);
      add(source.front[k].data() + stretch.begin * size, band.front[k].data() + to * size,
          stretch.count * size);
    }
    to += stretch.count;
  }
  return all;
}

template <class Share>
void GhostRefresh<Share>::copy(Share& share) {
  AgentBand& band = agents_->band(share.device());
  share.fetch([&] { return fetches(share.device()); });
  // Set are the ends of bins: where the first ghost bin begins, others may be reading.
  std::int32_t* const ends = band.first.data() + 1;
  const auto setEnds = [&](std::int64_t from, std::int64_t to, std::int64_t value) {
    if (to > from) {
      share.forEach(to - from, SetFirst{ends + from, static_cast<std::int32_t>(value)});
    }
  };
  std::int64_t agent = band.own;
  std::int64_t bin = band.bins.own();
  for (const AgentGhosts& ghosts : agents_->ghostsOf(share.device())) {
    const Stretch stretch = stretchOf(ghosts);
    setEnds(bin, stretch.toBin, agent);
    share.forEach(stretch.bins,
                  ShiftFirst{band.nextFirst.data() + 1 + stretch.toBin, ends + stretch.toBin,
                             static_cast<std::int32_t>(agent - stretch.begin)});
    agent += stretch.count;
    bin = stretch.toBin + stretch.bins;
  }
  setEnds(bin, band.bins.size(), agent);
  share.once([&] { band.ghosts = agent - band.own; });
}

}  // namespace mass::agents

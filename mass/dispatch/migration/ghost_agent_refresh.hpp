#pragma once

#include <mass/dispatch/migration/agent_migration.hpp>
#include <mass/dispatch/migration/resolve.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail::migration {

/// Brings the agents of ghost rows up to date, by shares and in phases like a AgentMigration.
template <class DeviceWorker>
class GhostAgentRefresh {
 public:
  explicit GhostAgentRefresh(AgentFields& agents) : agents_(&agents) {}

  using Phase = void (GhostAgentRefresh::*)(DeviceWorker&);
  /// Nobody reads what another device may put elsewhere, to make room.
  std::vector<Phase> phases() const {
    if (!needsMemory()) return {&GhostAgentRefresh::copy};
    return {&GhostAgentRefresh::reserve, &GhostAgentRefresh::copy};
  }
  /// Whether there are more ghosts than some device has room for.
  bool needsMemory() const;

 private:
  /// Agents of ghost rows.
  struct AgentTransfer {
    std::int64_t begin = 0, count = 0;  ///< on the device that they are copied from
    std::int64_t fromBin = 0, toBin = 0, bins = 0;
  };
  AgentTransfer transferOf(const AgentGhosts& ghosts) const;
  std::int64_t ghostsOn(int device) const;
  void reserve(DeviceWorker& worker);
  void copy(DeviceWorker& worker);
  std::vector<Fetch> fetches(int device) const;

  AgentFields* agents_;
};

template <class DeviceWorker>
auto GhostAgentRefresh<DeviceWorker>::transferOf(const AgentGhosts& ghosts) const -> AgentTransfer {
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

template <class DeviceWorker>
std::int64_t GhostAgentRefresh<DeviceWorker>::ghostsOn(int device) const {
  std::int64_t ghosts = 0;
  for (const AgentGhosts& rows : agents_->ghostsOf(device)) ghosts += transferOf(rows).count;
  return ghosts;
}

template <class DeviceWorker>
bool GhostAgentRefresh<DeviceWorker>::needsMemory() const {
  for (int device = 0; device < agents_->devices(); ++device) {
    const AgentBand& band = agents_->band(device);
    if (band.own + ghostsOn(device) > band.capacity()) return true;
  }
  return false;
}

template <class DeviceWorker>
void GhostAgentRefresh<DeviceWorker>::reserve(DeviceWorker& worker) {
  worker.once([&] {
    AgentBand& band = agents_->band(worker.device());
    band.ghosts = 0;  // the old ones need not be kept
    agents_->grow(worker.device(), band.own + ghostsOn(worker.device()));
  });
}

template <class DeviceWorker>
std::vector<Fetch> GhostAgentRefresh<DeviceWorker>::fetches(int device) const {
  const AgentBand& band = agents_->band(device);
  std::vector<Fetch> all;
  std::int64_t to = band.own;
  for (const AgentGhosts& ghosts : agents_->ghostsOf(device)) {
    const AgentBand& source = agents_->band(ghosts.rows.fromDevice);
    const AgentTransfer transfer = transferOf(ghosts);
    const auto add = [&](const auto* from, auto* here, std::int64_t elements) {
      if (elements == 0) return;
      all.push_back(
          {ghosts.rows.fromDevice, from, here, static_cast<std::size_t>(elements) * sizeof(*here)});
    };
    add(source.first.data() + transfer.fromBin + 1, band.nextFirst.data() + transfer.toBin + 1,
        transfer.bins);
    add(source.ids.data() + transfer.begin, band.ids.data() + to, transfer.count);
    for (std::size_t k = 0; k < band.front.size(); ++k) {
      const auto size = static_cast<std::int64_t>(agents_->traits().components[k].elementSize);
      add(source.front[k].data() + transfer.begin * size, band.front[k].data() + to * size,
          transfer.count * size);
    }
    to += transfer.count;
  }
  return all;
}

template <class DeviceWorker>
void GhostAgentRefresh<DeviceWorker>::copy(DeviceWorker& worker) {
  AgentBand& band = agents_->band(worker.device());
  worker.fetch([&] { return fetches(worker.device()); });
  // Set are the ends of bins: where the first ghost bin begins, others may be reading.
  std::int32_t* const ends = band.first.data() + 1;
  const auto setEnds = [&](std::int64_t from, std::int64_t to, std::int64_t value) {
    if (to > from) {
      worker.forEach(to - from, SetFirst{ends + from, static_cast<std::int32_t>(value)});
    }
  };
  std::int64_t agent = band.own;
  std::int64_t bin = band.bins.own();
  for (const AgentGhosts& ghosts : agents_->ghostsOf(worker.device())) {
    const AgentTransfer transfer = transferOf(ghosts);
    setEnds(bin, transfer.toBin, agent);
    worker.forEach(transfer.bins,
                   ShiftFirst{band.nextFirst.data() + 1 + transfer.toBin, ends + transfer.toBin,
                              static_cast<std::int32_t>(agent - transfer.begin)});
    agent += transfer.count;
    bin = transfer.toBin + transfer.bins;
  }
  setEnds(bin, band.bins.size(), agent);
  worker.once([&] { band.ghosts = agent - band.own; });
}

}  // namespace mass::detail::migration

#pragma once

#include <mass/dispatch/migration/agent_migration.hpp>
#include <mass/dispatch/migration/ghost_agent_plan.hpp>
#include <mass/dispatch/migration/resolve.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail::migration {

/// Copies the agents of ghost rows from their owners, in phases like AgentMigration.
template <class DeviceWorker>
class GhostAgentRefresh {
 public:
  /// @param agents agents of all devices
  explicit GhostAgentRefresh(AgentFields& agents) : agents_(&agents) {}

  /// Phase of all devices; see AgentMigration::Phase.
  struct Phase {
    void (GhostAgentRefresh::*run)(DeviceWorker&);
    bool copies = false;  ///< run() begins with copies from other devices
    bool counts = false;
  };
  /// Returns the phases in their order. Reallocation is a phase of its own, since it moves arrays
  /// from which other devices copy.
  std::vector<Phase> phases() const {
    if (!needsMemory()) return {{&GhostAgentRefresh::copy, true}};
    return {{&GhostAgentRefresh::reserve}, {&GhostAgentRefresh::copy, true}};
  }
  /// Returns the copies to a device before a phase.
  std::vector<Fetch> fetches(const Phase& phase, int device) const {
    return phase.copies ? ghostFetches(*agents_, device) : std::vector<Fetch>{};
  }
  /// Does nothing: no phase counts.
  void shareCounters() {}
  /// Returns the agents.
  const AgentFields& agents() const { return *agents_; }
  /// True if the ghosts of a local device exceed its capacity.
  bool needsMemory() const;

 private:
  void reserve(DeviceWorker& worker);
  void copy(DeviceWorker& worker);
  void setFirst(DeviceWorker& worker);

  AgentFields* agents_;
};

template <class DeviceWorker>
bool GhostAgentRefresh<DeviceWorker>::needsMemory() const {
  for (const int device : agents_->localDevices()) {
    const AgentBand& band = agents_->band(device);
    if (band.own + ghostCount(*agents_, device) > band.capacity()) return true;
  }
  return false;
}

template <class DeviceWorker>
void GhostAgentRefresh<DeviceWorker>::reserve(DeviceWorker& worker) {
  worker.once([&] {
    AgentBand& band = agents_->band(worker.device());
    band.ghosts = 0;  // discards the old ghosts, which reserve() need not copy
    agents_->reserve(worker.device(), band.own + ghostCount(*agents_, worker.device()));
  });
}

template <class DeviceWorker>
void GhostAgentRefresh<DeviceWorker>::copy(DeviceWorker& worker) {
  worker.fetch(*agents_, [&](int device) { return ghostFetches(*agents_, device); });
  setFirst(worker);
  worker.once(
      [&] { agents_->band(worker.device()).ghosts = ghostCount(*agents_, worker.device()); });
}

/// Sets the first agents of the ghost bins. Writes the ends of bins only: other devices may be
/// reading the begin of the first ghost bin, which does not change.
template <class DeviceWorker>
void GhostAgentRefresh<DeviceWorker>::setFirst(DeviceWorker& worker) {
  AgentBand& band = agents_->band(worker.device());
  std::int32_t* const ends = band.first.data() + 1;
  const auto setEnds = [&](std::int64_t from, std::int64_t to, std::int64_t value) {
    if (to > from) {
      worker.forEach(to - from, SetFirst{ends + from, static_cast<std::int32_t>(value)});
    }
  };
  std::int64_t bin = band.bins.own(), end = band.own;
  for (const GhostTransfer& transfer : ghostTransfers(*agents_, worker.device())) {
    setEnds(bin, transfer.toBin, end);
    worker.forEach(transfer.bins,
                   ShiftFirst{band.nextFirst.data() + 1 + transfer.toBin, ends + transfer.toBin,
                              static_cast<std::int32_t>(transfer.toAgent - transfer.fromAgent)});
    end = transfer.toAgent + transfer.agents;
    bin = transfer.toBin + transfer.bins;
  }
  setEnds(bin, band.bins.size(), end);
}

}  // namespace mass::detail::migration

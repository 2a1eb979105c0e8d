#pragma once

#include <mass/dispatch/migration/agent_migration.hpp>
#include <mass/support/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail::migration {

/// Empties a slot of an IdentityTable.
struct ClearSlot {
  static constexpr unsigned mask = 0;
  std::int32_t* positions;
  MASS_FN void operator()(std::int64_t slot, Counters&) const { positions[slot] = -1; }
};
/// Enters an agent into an IdentityTable.
struct EnterIdentity {
  static constexpr unsigned mask = 0;
  IdentitySlots slots;
  std::int32_t* positions;

  MASS_FN void operator()(std::int64_t agent, Counters&) const {
    std::uint64_t slot = slots.slotOf(slots.ids[agent]);
    // An agent takes the slot of another, which then goes to the next one: no slot becomes empty.
    auto position = static_cast<std::int32_t>(agent);
    while ((position = exchange(positions[slot], position)) >= 0) slot = (slot + 1) & slots.last;
  }
};

/// Brings the IdentityTable of each device up to date, in phases like AgentMigration. Several
/// devices copy the identities of all agents, and their attributes.
template <class DeviceWorker>
class IdentityRefresh {
 public:
  /// @param agents agents of all devices, of which the host knows the numbers
  /// @param withAttributes false: attributes are not copied
  IdentityRefresh(AgentFields& agents, bool withAttributes)
      : agents_(&agents),
        enters_(agents.identitiesStale),
        copies_(withAttributes && agents.copiesStale && agents.devices() > 1) {}

  /// Phase of all devices; see AgentMigration::Phase.
  struct Phase {
    void (IdentityRefresh::*run)(DeviceWorker&);
    bool copies = false;  ///< run() begins with copies from other devices
    bool counts = false;
  };
  /// Returns the phases in their order.
  std::vector<Phase> phases() const {
    return {{&IdentityRefresh::reserve}, {&IdentityRefresh::refresh, true}};
  }
  /// Returns the copies to a device before a phase.
  std::vector<Fetch> fetches(const Phase& phase, int device) const {
    return phase.copies ? fetchesTo(device) : std::vector<Fetch>{};
  }
  /// Does nothing: no phase counts.
  void shareCounters() {}
  /// Returns the agents.
  const AgentFields& agents() const { return *agents_; }
  /// True if there is something to do.
  bool isNeeded() const { return enters_ || copies_; }
  /// True if the table of a local device needs more memory.
  bool needsMemory() const {
    for (const int device : agents_->localDevices()) {
      const IdentityTable& table = agents_->band(device).table;
      if (table.mustGrow(agents_->alive(), agents_->nextId, agents_->devices() > 1)) return true;
    }
    return false;
  }
  /// Marks the tables as up to date.
  void commit() {
    if (enters_) agents_->identitiesStale = false;
    if (copies_) agents_->copiesStale = false;
  }

 private:
  void reserve(DeviceWorker& worker);
  void refresh(DeviceWorker& worker);
  std::vector<Fetch> fetchesTo(int device) const;

  AgentFields* agents_;
  bool enters_;  ///< agents were born, died or moved
  bool copies_;  ///< copies of attributes are out of date
};

template <class DeviceWorker>
void IdentityRefresh<DeviceWorker>::reserve(DeviceWorker& worker) {
  worker.once([&] {
    AgentFields& agents = *agents_;
    std::vector<std::size_t> sizes;
    if (agents.devices() > 1) {
      for (const Component& component : agents.traits().components)
        sizes.push_back(component.elementSize);
    }
    agents.band(worker.device()).table.reserve(agents.alive(), agents.nextId, sizes);
  });
}

template <class DeviceWorker>
void IdentityRefresh<DeviceWorker>::refresh(DeviceWorker& worker) {
  if (agents_->devices() > 1) worker.fetch(*agents_, [&](int device) { return fetchesTo(device); });
  if (!enters_) return;
  AgentBand& band = agents_->band(worker.device());
  const IdentitySlots slots = band.identitySlots(agents_->devices());
  worker.forEach(static_cast<std::int64_t>(slots.last) + 1, ClearSlot{band.table.slots.data()});
  worker.forEach(agents_->alive(), EnterIdentity{slots, band.table.slots.data()});
}

template <class DeviceWorker>
std::vector<Fetch> IdentityRefresh<DeviceWorker>::fetchesTo(int device) const {
  std::vector<Fetch> fetches;
  std::int64_t first = 0;  // position of the first agent of a device
  for (int from = 0; from < agents_->devices() && agents_->devices() > 1; ++from) {
    const std::int64_t count = agents_->summary(from).own;
    const auto fetchOf = [&](AgentArray source, AgentArray target) {
      return Fetch{.fromDevice = from,
                   .toDevice = device,
                   .from = {source, 0},
                   .to = {target, first},
                   .count = count};
    };
    if (enters_) append(fetches, fetchOf(AgentArray::ids, AgentArray::allIds));
    if (copies_)
      appendComponents(fetches, fetchOf(AgentArray::front, AgentArray::allComponents),
                       static_cast<int>(agents_->traits().components.size()));
    first += count;
  }
  return fetches;
}

}  // namespace mass::detail::migration

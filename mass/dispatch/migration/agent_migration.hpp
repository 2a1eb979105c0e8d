#pragma once

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/migration/migration_counters.hpp>
#include <mass/dispatch/migration/migration_plan.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail::migration {

/// One manageAll: executes the intents of all agents in phases. Every device runs every phase; all
/// devices finish a phase before any begins the next.
/// @tparam DeviceWorker runs work for one device: one thread of a CPU, all of its threads, or a GPU
template <class DeviceWorker>
class AgentMigration {
 public:
  /// @param run agents to migrate, with the seed of their priorities
  explicit AgentMigration(const AgentRun& run);

  /// Phase of all devices.
  struct Phase {
    void (AgentMigration::*run)(DeviceWorker&);  ///< work of one device
    /// Returns the copies to a device with which run() begins; null without copies. Those from
    /// devices of other ranks must be done before.
    std::vector<Fetch> (MigrationPlan::*fetches)(int device) const = nullptr;
    bool counts = false;  ///< run() changes counters that other devices need: see shareCounters()
  };
  /// Returns the phases in their order. A single device, agents without children and agents that do
  /// not seek free places need fewer.
  std::vector<Phase> phases() const;
  /// Returns the copies to a device before a phase.
  std::vector<Fetch> fetches(const Phase& phase, int device) const {
    return phase.fetches == nullptr ? std::vector<Fetch>{} : (plan_.*phase.fetches)(device);
  }
  /// Exchanges the counters of all devices between the ranks, after a phase that counts.
  void shareCounters();
  /// Swaps front and back buffers.
  /// @pre All phases were run, or queued on the GPUs.
  void commit();
  /// Updates the census, the numbers of agents and the next identity from the counters.
  /// @pre The counters of all devices were downloaded.
  /// @throws UsageError, Error as AgentExecutor::manage().
  void publishCensus();

  /// Returns the agents that migrate.
  const AgentFields& agents() const { return *agents_; }
  /// True if agents may be born: children, or agents that wait to join.
  bool hasBirths() const { return hasChildren() || agents_->newborns.size() > 0; }
  /// Returns the counters of `device`.
  MigrationCounters& counters(int device) {
    return devices_[static_cast<std::size_t>(device)].counters;
  }
  /// Returns the device address of the number of agents after the migration.
  const std::uint64_t* alive(int device) const {
    return devices_[static_cast<std::size_t>(device)].m.alive;
  }

 private:
  struct Device {
    MigrationCounters counters;
    std::vector<Column> columns{};  ///< by component
    MigrationView m{};
  };

  Device& deviceOf(const DeviceWorker& worker) {
    return devices_[static_cast<std::size_t>(worker.device())];
  }
  AgentBand& bandOf(const DeviceWorker& worker) const { return agents_->band(worker.device()); }
  bool isSingleDevice() const { return devices_.size() == 1; }
  bool hasChildren() const { return agents_->traits().offspring > 0; }
  bool hasCapacity() const { return agents_->traits().capacity > 0; }
  bool seeksFreePlaces() const { return agents_->traits().seeksFreePlaces; }

  void bind(DeviceWorker& worker);
  void setColumns(Device& device, const AgentBand& band) const;
  void updatePlan(DeviceWorker& worker);
  void admitNewborns(AgentBand& band, const std::vector<std::size_t>& newborns,
                     std::int64_t first) const;
  void findFree(DeviceWorker& worker);
  void reserveFree(DeviceWorker& worker);
  void gatherFree(DeviceWorker& worker);
  void classify(DeviceWorker& worker);
  void reserve(DeviceWorker& worker);
  void send(DeviceWorker& worker);
  void resolve(DeviceWorker& worker);
  void resolveMoves(DeviceWorker& worker);
  void resolveBirths(DeviceWorker& worker);
  void sortIntoNewOrder(DeviceWorker& worker);

  AgentFields* agents_;
  std::uint64_t key_;
  std::vector<Device> devices_;
  MigrationPlan plan_;
};

}  // namespace mass::detail::migration

#include <mass/dispatch/migration/agent_migration_impl.hpp>

#pragma once

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/migration/migration_counters.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail::migration {

/// A piece of another device's memory to be copied to this one.
struct Fetch {
  int fromDevice = 0;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
};

/// One manageAll. `DeviceWorker` is what works for a device: a thread of a CPU, all of its threads,
/// or a GPU. Every device goes through the phases, and all have ended one before any begins the
/// next.
template <class DeviceWorker>
class AgentMigration {
 public:
  explicit AgentMigration(const AgentRun& run);

  using Phase = void (AgentMigration::*)(DeviceWorker&);
  /// The phases in their order. Devices that have nothing to say to each other need but some.
  std::vector<Phase> phases() const;
  /// After all phases: makes the new state the present one, whether or not devices have come to it.
  void commit();
  /// Tells the agents of the result, when the ledgers of all devices are there.
  /// @throws as AgentExecutor::manage.
  void publishCensus();

  const AgentFields& agents() const { return *agents_; }
  bool hasChildren() const { return agents_->traits().offspring > 0; }
  MigrationCounters& counters(int device) {
    return devices_[static_cast<std::size_t>(device)].counters;
  }
  /// Where a device writes how many agents it has.
  const std::uint64_t* alive(int device) const {
    return devices_[static_cast<std::size_t>(device)].m.alive;
  }

 private:
  struct Device {
    MigrationCounters counters;
    MigrationView m;
    std::int64_t sent = 0;       ///< agents and children for other devices
    std::int64_t sentMoves = 0;  ///< agents of these, which come first
  };
  /// Where things of one device for another are.
  struct GhostSegment {
    std::int64_t begin = 0, count = 0;
  };

  Device& of(const DeviceWorker& worker) {
    return devices_[static_cast<std::size_t>(worker.device())];
  }
  AgentBand& bandOf(const DeviceWorker& worker) const { return agents_->band(worker.device()); }
  bool isAlone() const { return devices_.size() == 1; }
  bool isLimited() const { return agents_->traits().capacity > 0; }
  bool seeks() const { return agents_->traits().seeks; }

  void bind(DeviceWorker& worker);
  void findFree(DeviceWorker& worker);
  void gatherFree(DeviceWorker& worker);
  void classify(DeviceWorker& worker);
  void reserve(DeviceWorker& worker);
  void send(DeviceWorker& worker);
  void resolve(DeviceWorker& worker);
  void resolveMoves(DeviceWorker& worker);
  void resolveBirths(DeviceWorker& worker);
  void sortIntoNewOrder(DeviceWorker& worker);

  std::int64_t movesFrom(int from, int to) { return static_cast<std::int64_t>(at(from).moves(to)); }
  std::int64_t childrenFrom(int from, int to) {
    return static_cast<std::int64_t>(at(from).children(to));
  }
  MigrationCounters& at(int device) { return counted_[static_cast<std::size_t>(device)]; }
  GhostSegment sentMoves(int from, int to);
  GhostSegment sentChildren(int from, int to);
  void fetchAgents(DeviceWorker& worker, int from, GhostSegment segment, std::int64_t to,
                   std::vector<Fetch>& fetches) const;

  AgentFields* agents_;
  std::uint64_t key_;
  std::vector<Device> devices_;
  std::vector<MigrationCounters> counted_;  ///< by device: as it was after they proposed
};

}  // namespace mass::detail::migration

#include <mass/dispatch/migration/agent_migration_impl.hpp>

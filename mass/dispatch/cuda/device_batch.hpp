#pragma once

#include <mass/dispatch/cuda/gpu_resources.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/partition/row_partition.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace mass::detail {

using GpuResourcesByDevice = std::vector<std::unique_ptr<GpuResources>>;

/// A round as one GPU runs it: everything its kernels are given.
class DeviceBatch {
 public:
  /// With `stores`, kernels store border rows into the ghosts that repeat them. @param abandoned a
  /// number in the host's memory, set when a device has failed.
  DeviceBatch(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch, int device,
              const GpuResourcesByDevice& stations, bool stores, int* anyFailed);

  /// Queues the copy of what the kernels need to find on the device, and finds what all launches
  /// are given: to be called once, by the thread whose device this is, before anything is queued.
  void prepare();
  /// Queues a step for some of the band's rows.
  void queue(std::int64_t step, RowRange rows, const LaunchShape& shape, cudaStream_t stream) const;
  /// How many steps are run as one kernel whose blocks keep the places: nothing where that cannot
  /// be.
  std::optional<PersistentRun> tiles() const;
  /// Queues steps so; the first is even.
  void queuePersistent(std::int64_t firstStep, const PersistentRun& run) const;
  /// Whether blocks of the device have the memory that they need to march.
  bool hasMemoryFor(const LaunchShape& shape) const;
  /// Milliseconds of a step that does not wait for other devices: the first one, run again and
  /// again. It reads one buffer and writes the other, so that nothing is changed by doing so.
  double millisecondsAlone(const LaunchShape& shape, int runs) const;
  /// Takes a step and returns the milliseconds of it, with those in which it waits for others.
  double millisecondsOf(std::int64_t step, const LaunchShape& shape) const;
  /// Says that steps were taken: the numbers of those that are queued later begin with 0 again.
  void countSteps(std::int64_t steps) const;
  /// Queues a reading rule for some rows; `results` begins with the first of them.
  void queueReading(RowRange rows, void* results) const;

  /// Whether a device has failed, so that no step needs to be queued any more.
  bool anyFailed() const {
    return stepFlags_.failed != nullptr && std::atomic_ref(*stepFlags_.failed).load() != 0;
  }
  GpuResources& resources() const { return *resources_; }
  const Layout& layout() const { return launches_.launch[0].layout; }
  /// The devices whose ghosts repeat rows of this one, or the other way round.
  const std::set<int>& peers() const { return peers_; }

 private:
  void addGhostStores(const PlaceFields& fields);
  void addBeyond();
  void addStepFlags(const GpuResourcesByDevice& stations, int* anyFailed);
  void queue(const GpuLaunch& launch, const LaunchShape& shape, cudaStream_t stream) const;
  double milliseconds(const GpuLaunch& launch, const LaunchShape& shape, int runs) const;
  GpuLaunch launchAt(std::int64_t step, RowRange rows) const;
  GpuLaunch stepAt(std::int64_t step, RowRange rows, const LaunchShape& shape,
                   cudaStream_t stream) const;

  const GpuKernel* kernel_;
  GpuResources* resources_;
  int device_;
  bool overlaps_;
  bool beginsSwapped_;
  LaunchPair launches_;
  std::set<int> peers_;
  std::size_t neighborSteps_ = 0, ghosts_[2] = {0, 0}, beyond_[2] = {0, 0}, arrivals_ = 0,
              reports_ = 0;
  int ghostCount_ = 0;
  HaloStore inlineStores_[2][inlineHaloStores];
  StepFlags stepFlags_;
  ScanSchedule scan_;  ///< of all rows, for a rule that sends codes
};

}  // namespace mass::detail

#pragma once

#include <mass/dispatch/cuda/gpu_halos.hpp>
#include <mass/dispatch/cuda/gpu_resources.hpp>
#include <mass/dispatch/cuda/graph.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/partition/ghost_plan.hpp>
#include <mass/partition/row_partition.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace mass::detail {

/// StepBatch on one GPU: the arguments of its kernels, and functions that queue them.
class DeviceBatch {
 public:
  /// Rule of a turn, and its buffers in the first ([0]) and the second ([1]) turn.
  struct InTurn {
    std::size_t rule, rules;
    LaunchBuffers buffers;
  };

  /// @param device number of a device of this rank
  /// @param allResources resources of all devices
  /// @param halos ghost rows that the kernels read
  /// @param anyFailed flag in mapped host memory, nonzero if a device has failed
  DeviceBatch(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch, int device,
              const GpuResourcesByDevice& allResources, const BatchHalos& halos, int* anyFailed,
              const InTurn& turn);
  /// Prepares a single rule; otherwise as above.
  DeviceBatch(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch, int device,
              const GpuResourcesByDevice& allResources, const BatchHalos& halos, int* anyFailed)
      : DeviceBatch(fields, kernel, batch, device, allResources, halos, anyFailed,
                    {0, 1, LaunchBuffers::of(fields, batch)}) {}

  /// Queues the upload of the kernel arguments and computes the schedule of scatter rules.
  /// @pre Called once, with this GPU current, before any step is queued.
  void prepare();
  /// Queues a step for the rows `rows` of the band; nothing if there are none.
  void queue(std::int64_t step, RowRange rows, const LaunchShape& shape, cudaStream_t stream) const;
  /// Queues a step for a box of places, some of which may be ghosts. Rows are queued by `shape`;
  /// lines that begin within those of the device need one of a column per thread.
  void queueBox(std::int64_t step, const PlaceBox& box, const LaunchShape& shape,
                cudaStream_t stream) const;
  /// Queues pass number `pass` of a batch, a march of `turns` turns over all rows.
  void queueMarch(std::int64_t pass, int turns) const;
  /// Returns the number of rules that a march of `turns` turns applies, each a step of the batch.
  std::int64_t stepsOfMarch(int turns) const { return std::int64_t{turns} * kernel_->rulesOfTurn; }
  /// Returns the plan of a persistent kernel, whose blocks keep their places in shared memory for
  /// many steps; empty if the rule, the band or the GPU does not support one.
  std::optional<PersistentRun> planPersistentRun() const;
  /// Queues run.steps steps as one persistent kernel.
  /// @pre firstStep is even.
  void queuePersistent(std::int64_t firstStep, const PersistentRun& run) const;
  /// True if the GPU has enough shared memory per block for the plane sweep of `shape`.
  bool hasMemoryFor(const LaunchShape& shape) const;
  /// Records step 0, `runs` times, without waits for other devices.
  /// @pre The rule is double-buffered, so that a repetition does not change the state.
  std::unique_ptr<Graph> recordAlone(const LaunchShape& shape, int runs) const;
  /// Runs a recorded graph and returns its time in milliseconds.
  double millisecondsOf(const Graph& graph) const;
  /// Returns the mean time in milliseconds of step 0 over `runs` repetitions, without waiting for
  /// other devices.
  /// @pre The rule is double-buffered, so that a repetition does not change the state.
  double millisecondsAlone(const LaunchShape& shape, int runs) const;
  /// Runs a step and returns its time in milliseconds, including waits for other devices.
  double millisecondsOf(std::int64_t step, const LaunchShape& shape) const;
  /// Queues an increment of the step counter by `steps`. Steps queued later are numbered from 0
  /// again.
  void countSteps(std::int64_t steps) const;
  /// Queues a reading rule for the rows `rows`. `results` is a device array that begins with the
  /// first of them.
  /// @param lanes Launch::lanes of these rows, in device memory; null for whole lines
  void queueReading(RowRange rows, void* results, void* lanes = nullptr) const;

  /// True if a device has failed, so that no more steps need to be queued.
  bool anyFailed() const {
    return stepFlags_.failed != nullptr && std::atomic_ref(*stepFlags_.failed).load() != 0;
  }
  /// Returns the resources of this GPU.
  GpuResources& resources() const { return *resources_; }
  /// Returns the address in host memory of the results of a reading rule for the band.
  void* results() const { return launches_.launch[0].results; }
  /// Returns the address in host memory of the lanes of the lines of the band; null for whole
  /// lines.
  void* lanes() const { return launches_.launch[0].lanes; }
  /// Returns the layout of the band on this GPU.
  const Layout& layout() const { return launches_.launch[0].layout; }
  /// Returns the number of this device.
  int device() const { return device_; }
  /// Returns the devices of this rank that exchange halos with this one.
  const std::set<int>& peers() const { return peers_; }

 private:
  void addHaloStores(const PlaceFields& fields, const BatchHalos& halos);
  void addRemoteRows();
  void addStepFlags(const GpuResourcesByDevice& allResources, int* anyFailed);
  void queue(const GpuLaunch& launch, const LaunchShape& shape, cudaStream_t stream) const;
  /// Returns the time on the GPU of the work that `work()` queues, in milliseconds.
  template <class Work>
  double milliseconds(const Work& work) const;
  GpuLaunch launchAt(std::int64_t step, RowRange rows) const {
    return launchAt(step, step / rules_, rows);
  }
  GpuLaunch launchAt(std::int64_t step, std::int64_t swaps, RowRange rows) const;
  GpuLaunch stepLaunch(std::int64_t step, RowRange rows, const LaunchShape& shape,
                       cudaStream_t stream) const;

  const GpuKernel* kernel_;
  GpuResources* resources_;
  UploadTable* table_;
  std::int64_t rules_;  // rules of a turn
  int device_;
  bool overlaps_;
  bool beginsSwapped_;
  LaunchPair launches_;
  std::set<int> peers_;
  // Offsets in the upload table; by parity of the step.
  std::size_t neighborStepsOffset_ = 0, arrivalsOffset_ = 0, reportsOffset_ = 0;
  std::size_t haloStoresOffset_[2] = {0, 0}, remoteRowsOffset_[2] = {0, 0};
  int haloStoreCount_ = 0;
  HaloStore inlineStores_[2][inlineHaloStores];
  StepFlags stepFlags_;
  ScanSchedule scan_;  ///< schedule of a scatter rule over all rows
};

/// Returns the batches of the devices of this rank; parameters as of DeviceBatch.
std::vector<DeviceBatch> batchesOf(const PlaceFields& fields, const Kernel& kernel,
                                   const StepBatch& batch, const GpuResourcesByDevice& resources,
                                   const BatchHalos& halos, int* anyFailed);
/// Returns the batch of a device of this rank.
template <class Batches>
auto& batchOf(Batches& batches, int device) {
  return batches[static_cast<std::size_t>(device - batches.front().device())];
}

}  // namespace mass::detail

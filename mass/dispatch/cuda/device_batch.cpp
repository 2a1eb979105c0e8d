#include <mass/dispatch/cuda/device_batch.hpp>

#include <mass/dispatch/cuda/graph.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// Timeout of a peer: one that does not finish a step in this time counts as failed.
constexpr std::uint64_t timeoutNanoseconds = 60'000'000'000;
/// Minimum capacity of a warp's list of occupied places in shared memory. With less, the persistent
/// kernel is slower than one kernel per step.
constexpr std::int64_t minListedPlaces = 128;

}  // namespace

DeviceBatch::DeviceBatch(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                         int device, const GpuResourcesByDevice& allResources,
                         const BatchHalos& halos, int* anyFailed, const InTurn& turn)
    : kernel_(kernel.gpu),
      resources_(allResources[static_cast<std::size_t>(device)].get()),
      table_(&resources_->tableOf(turn.rule)),
      rules_(static_cast<std::int64_t>(turn.rules)),
      device_(device),
      overlaps_(resources_->device().mayOverlap(kernel.gpu->function(1, 1))),
      beginsSwapped_(fields.isSwapped()),
      launches_(fields, kernel, batch, device, turn.buffers) {
  for (Launch& launch : launches_.launch) launch.layout.depth = halos.depth;
  if (batch.exchanges) {
    for (const GhostCopy& copy : halos.copies) {
      const int other = copy.fromDevice == device ? copy.toDevice : copy.fromDevice;
      const bool isOurs = copy.fromDevice == device || copy.toDevice == device;
      if (isOurs && other != device && fields.devices().isLocal(other)) peers_.insert(other);
    }
  }
  UploadTable& table = *table_;
  table.clear();
  const bool hasNeighbors = !kernel.neighborSteps.empty();
  if (hasNeighbors) {
    neighborStepsOffset_ = table.add(kernel.neighborSteps[static_cast<std::size_t>(device)]);
  }
  if (kernel.writesRemoteRows()) addRemoteRows();
  if (batch.exchanges && halos.areStored) {
    if (batch.refreshes) addHaloStores(fields, halos);
    addStepFlags(allResources, anyFailed);
  }
  table.allocate();
  for (int parity = 0; parity < 2; ++parity) {
    if (hasNeighbors) {
      launches_.launch[parity].neighborSteps = table.at<std::int64_t>(neighborStepsOffset_);
    }
    // Replaces the table offsets in the stores by addresses, which exist since allocate().
    auto* const ghosts = table.host<HaloStore>(haloStoresOffset_[parity]);
    for (int i = 0; i < haloStoreCount_; ++i) {
      const auto offset = reinterpret_cast<std::size_t>(ghosts[i].out);
      if (i < inlineHaloStores) {
        inlineStores_[parity][i] = ghosts[i];
        inlineStores_[parity][i].out = table.host<void*>(offset);
      }
      ghosts[i].out = table.at<void*>(offset);
    }
    auto* const rows = table.host<RemoteRow>(remoteRowsOffset_[parity]);
    for (std::size_t i = 0; i < launches_.remoteRows[parity].size(); ++i) {
      rows[i].out = table.at<void*>(reinterpret_cast<std::size_t>(rows[i].out));
    }
    ScatterTargets& scatter = launches_.launch[parity].scatter;
    scatter.remoteRows = table.at<RemoteRow>(remoteRowsOffset_[parity]);
    scatter.overflowedWords = resources_->overflowedWords();
    scatter.lost = resources_->lost();
  }
  stepFlags_.arrivals = table.at<std::uint64_t*>(arrivalsOffset_);
  stepFlags_.reports = table.at<std::uint64_t*>(reportsOffset_);
}

void DeviceBatch::addHaloStores(const PlaceFields& fields, const BatchHalos& halos) {
  const std::int64_t first = fields.rows(device_).begin;
  for (int parity = 0; parity < 2; ++parity) {
    std::vector<HaloStore> stores;
    for (const GhostCopy& copy : halos.copies) {
      if (copy.fromDevice != device_ || !fields.devices().isLocal(copy.toDevice)) continue;
      std::vector<void*> out;
      for (int component = 0; component < fields.components(); ++component) {
        const auto c = static_cast<std::size_t>(component);
        // The other device's buffer with the same index as the output buffer of this device.
        const int which = launches_.out[parity][c] == fields.buffer(component, device_, 0) ? 0 : 1;
        const bool has = fields.hasBuffer(component, which);
        out.push_back(has ? fields.buffer(component, copy.toDevice, which) : nullptr);
      }
      const std::int64_t row = copy.fromRow - first;
      const std::int64_t ghost = copy.toRow - fields.rows(copy.toDevice).begin;
      stores.push_back({row, row + copy.count, (ghost - row) * layout().rowStride,
                        reinterpret_cast<void* const*>(table_->add(out)), ghost < 0});
    }
    haloStoreCount_ = static_cast<int>(stores.size());
    haloStoresOffset_[parity] = table_->add(stores);
  }
}

void DeviceBatch::addRemoteRows() {
  for (int parity = 0; parity < 2; ++parity) {
    std::vector<RemoteRow> rows = launches_.remoteRows[parity];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t offset = table_->add(launches_.remoteOut[parity][i]);
      rows[i].out = reinterpret_cast<void* const*>(offset);
    }
    remoteRowsOffset_[parity] = table_->add(rows);
  }
}

void DeviceBatch::addStepFlags(const GpuResourcesByDevice& allResources, int* anyFailed) {
  std::vector<std::uint64_t*> arrivals, reports;
  for (const int peer : peers_) {
    arrivals.push_back(resources_->stepsReportedBy(peer));
    reports.push_back(allResources[static_cast<std::size_t>(peer)]->stepsReportedBy(device_));
  }
  arrivalsOffset_ = table_->add(arrivals);
  reportsOffset_ = table_->add(reports);
  stepFlags_.peers = static_cast<int>(peers_.size());
  stepFlags_.finished = resources_->finished();
  stepFlags_.failed = anyFailed;
  stepFlags_.timeout = timeoutNanoseconds;
}

void DeviceBatch::prepare() {
  table_->upload();
  resources_->resetCounters();
  if (kernel_->share == nullptr) return;
  GpuLaunch launch = launchAt(0, {0, layout().rows});
  launch.stepFlags = stepFlags_;
  cuda::check(static_cast<cudaError_t>(kernel_->share(launch, scan_)),
              "scheduling the blocks of a scatter rule");
}

GpuLaunch DeviceBatch::launchAt(std::int64_t step, std::int64_t swaps, RowRange rows) const {
  GpuLaunch launch;
  launch.launch = launches_.at(step, swaps);
  launch.launch.stepsBefore = resources_->stepsDone();
  launch.rowBegin = rows.begin;
  launch.rowEnd = rows.end;
  launch.haloStores = table_->at<HaloStore>(haloStoresOffset_[swaps % 2]);
  launch.haloStoreCount = haloStoreCount_;
  std::copy_n(inlineStores_[swaps % 2], inlineHaloStores, launch.inlineStores);
  launch.stepsDone = resources_->stepsDone();
  launch.stepInBatch = static_cast<std::uint64_t>(step);
  launch.aaSwapped = (step % 2 == 1) != beginsSwapped_;
  launch.scan = scan_;
  return launch;
}

/// Returns the launch of a step with the flags by which devices synchronise.
GpuLaunch DeviceBatch::stepLaunch(std::int64_t step, RowRange rows, const LaunchShape& shape,
                                  cudaStream_t stream) const {
  GpuLaunch launch = launchAt(step, rows);
  launch.stepFlags = stepFlags_;
  launch.overlaps = overlaps_ && stream == resources_->stream();
  if (stepFlags_.peers > 0) launch.stepFlags.borderBlocks = kernel_->borderBlocks(launch, shape);
  return launch;
}

void DeviceBatch::queue(const GpuLaunch& launch, const LaunchShape& shape,
                        cudaStream_t stream) const {
  cuda::check(static_cast<cudaError_t>(kernel_->launch(launch, shape, stream)),
              "the launch of a rule");
}

void DeviceBatch::queue(std::int64_t step, RowRange rows, const LaunchShape& shape,
                        cudaStream_t stream) const {
  if (rows.size() > 0) queue(stepLaunch(step, rows, shape, stream), shape, stream);
}

void DeviceBatch::queueBox(std::int64_t step, const PlaceBox& box, const LaunchShape& shape,
                           cudaStream_t stream) const {
  const std::int64_t firstRow = launches_.launch[0].firstRow;
  const RowRange rows{box.places[0].begin - firstRow, box.places[0].end - firstRow};
  if (rows.size() <= 0) return;
  GpuLaunch launch = stepLaunch(step, rows, shape, stream);
  launch.launch = onBox(launch.launch, box);
  queue(launch, shape, stream);
}

void DeviceBatch::queueMarch(std::int64_t pass, int turns) const {
  GpuLaunch launch = launchAt(pass * stepsOfMarch(turns), pass, {0, layout().rows});
  launch.steps = static_cast<unsigned>(stepsOfMarch(turns));
  launch.stepFlags = stepFlags_;
  launch.overlaps = overlaps_;
  cuda::check(static_cast<cudaError_t>(kernel_->launchMarch(launch, turns, resources_->stream())),
              "the launch of a march");
}

std::optional<PersistentRun> DeviceBatch::planPersistentRun() const {
  if (kernel_->launchPersistent == nullptr || launches_.launch[0].scatter.isShared)
    return std::nullopt;
  const Domain& domain = launches_.launch[0].domain;
  const BlockMemory memory = resources_->device().blockMemory(kernel_->persistentFunction);
  const auto plan =
      PersistentTilePlan::of(layout(), domain.dimensions, domain.reach, memory.multiprocessors);
  if (!plan || rowsIn32Bits(layout()) < layout().rows) return std::nullopt;
  constexpr std::int64_t wordBytes = sizeof(std::uint32_t), entryBytes = sizeof(std::uint64_t);
  const std::int64_t line = (layout().columns + 3) / 4 * 4;
  const std::int64_t interior = plan->interiorLines * line * wordBytes;
  // Quads of a tile are assigned to threads cyclically; `batch` places are one cycle of the block.
  constexpr std::int64_t batch = std::int64_t{warpsPerPersistentBlock} * 32 * 4;
  const std::int64_t places =  // per warp
      (plan->lines * line + batch - 1) / batch * (batch / warpsPerPersistentBlock);
  const std::int64_t room =
      std::min(places, (memory.bytes - interior) / entryBytes / warpsPerPersistentBlock);
  if (room < std::min(places, minListedPlaces)) return std::nullopt;
  PersistentRun run;
  run.plan = *plan;
  run.listCapacity = static_cast<int>(room);
  run.overflowCapacity = static_cast<int>(places - room);
  run.sharedBytes = static_cast<int>(interior + room * entryBytes * warpsPerPersistentBlock);
  resources_->persistentMemory.reserve(
      plan->blocks(),
      static_cast<std::size_t>(run.overflowCapacity * entryBytes * warpsPerPersistentBlock));
  run.finished = resources_->persistentMemory.finished();
  run.overflow = resources_->persistentMemory.overflow();
  for (int parity = 0; parity < 2; ++parity) {
    run.remoteRows[parity] = launches_.launch[parity].scatter.remoteRows;
  }
  return run;
}

void DeviceBatch::queuePersistent(std::int64_t firstStep, const PersistentRun& run) const {
  GpuLaunch launch = launchAt(firstStep, {0, layout().rows});
  launch.persistent = run;
  resources_->persistentMemory.clear();
  cuda::check(static_cast<cudaError_t>(kernel_->launchPersistent(launch, resources_->stream())),
              "the launch of a persistent kernel");
}

bool DeviceBatch::hasMemoryFor(const LaunchShape& shape) const {
  const PlaneSweepFunction planeSweep = kernel_->planeSweep(planeSweepOf(shape));
  return planeSweep.function != nullptr &&
         resources_->device().blockMemory(planeSweep.function).bytes >= planeSweep.sharedBytes;
}

template <class Work>
double DeviceBatch::milliseconds(const Work& work) const {
  cudaStream_t stream = resources_->stream();
  MASS_CUDA_CALL(cudaEventRecord(resources_->timer(0), stream));
  work();
  MASS_CUDA_CALL(cudaEventRecord(resources_->timer(1), stream));
  MASS_CUDA_CALL(cudaEventSynchronize(resources_->timer(1)));
  float milliseconds = 0;
  MASS_CUDA_CALL(cudaEventElapsedTime(&milliseconds, resources_->timer(0), resources_->timer(1)));
  return milliseconds;
}

std::unique_ptr<Graph> DeviceBatch::recordAlone(const LaunchShape& shape, int runs) const {
  cudaStream_t stream = resources_->stream();
  const GpuLaunch launch = launchAt(0, {0, layout().rows});
  return std::make_unique<Graph>(stream, [&] {
    for (int run = 0; run < runs; ++run) queue(launch, shape, stream);
  });
}

double DeviceBatch::millisecondsOf(const Graph& graph) const {
  return milliseconds([&] { graph.launch(resources_->stream()); });
}

double DeviceBatch::millisecondsAlone(const LaunchShape& shape, int runs) const {
  // Prepared first, since the GPU would otherwise idle during the measurement.
  const GpuLaunch launch = launchAt(0, {0, layout().rows});
  return milliseconds([&] {
           for (int run = 0; run < runs; ++run) queue(launch, shape, resources_->stream());
         }) /
         runs;
}

double DeviceBatch::millisecondsOf(std::int64_t step, const LaunchShape& shape) const {
  cudaStream_t stream = resources_->stream();
  const GpuLaunch launch = stepLaunch(step, {0, layout().rows}, shape, stream);
  return milliseconds([&] { queue(launch, shape, stream); });
}

void DeviceBatch::countSteps(std::int64_t steps) const {
  queueAdd(resources_->stepsDone(), static_cast<std::uint64_t>(steps), resources_->stream());
}

void DeviceBatch::queueReading(RowRange rows, void* results, void* lanes) const {
  GpuLaunch launch = launchAt(0, rows);
  launch.launch.results = results;
  launch.launch.lanes = lanes;
  cuda::check(static_cast<cudaError_t>(kernel_->launch(launch, {}, resources_->stream())),
              "the launch of a reading rule");
}

std::vector<DeviceBatch> batchesOf(const PlaceFields& fields, const Kernel& kernel,
                                   const StepBatch& batch, const GpuResourcesByDevice& resources,
                                   const BatchHalos& halos, int* anyFailed) {
  std::vector<DeviceBatch> batches;
  for (const int device : fields.devices().local())
    batches.emplace_back(fields, kernel, batch, device, resources, halos, anyFailed);
  return batches;
}

}  // namespace mass::detail

#include <mass/dispatch/cuda/device_round.hpp>

#include <mass/dispatch/cuda/graph.hpp>

#include <algorithm>

namespace mass {
namespace {

/// A peer that has not finished a step after so long counts as failed.
constexpr std::uint64_t patienceNanoseconds = 60'000'000'000;
/// Occupied places that a warp notes in its block's memory, at least: others are slower.
constexpr std::int64_t leastNoted = 128;

}  // namespace

DeviceRound::DeviceRound(const PlaceFields& fields, const Kernel& kernel, const Round& round,
                         int device, const Stations& stations, bool stores, int* abandoned)
    : kernel_(kernel.gpu),
      station_(stations[static_cast<std::size_t>(device)].get()),
      device_(device),
      overlaps_(station_->device().mayOverlap(kernel.gpu->function(1, 1))),
      beginsOdd_(round.movesInPlace && fields.isOdd),
      launches_(fields, kernel, round, device) {
  if (round.exchanges) {
    for (const GhostCopy& copy : fields.ghostPlan()) {
      if (copy.fromDevice == copy.toDevice) continue;
      if (copy.fromDevice == device) peers_.insert(copy.toDevice);
      if (copy.toDevice == device) peers_.insert(copy.fromDevice);
    }
  }
  DeviceTable& table = station_->table;
  table.clear();
  const bool hasNeighbors = !kernel.neighborSteps.empty();
  if (hasNeighbors) {
    neighborSteps_ = table.add(kernel.neighborSteps[static_cast<std::size_t>(device)]);
  }
  if (kernel.sends || round.movesInPlace) addBeyond();
  if (!kernel.sends && round.exchanges && stores) addGhostStores(fields);
  if (round.exchanges && stores) addHandshake(stations, abandoned);
  table.allocate();
  for (int parity = 0; parity < 2; ++parity) {
    if (hasNeighbors) {
      launches_.launch[parity].neighborSteps = table.at<std::int64_t>(neighborSteps_);
    }
    // The stores hold offsets in the table so far; now it has an address.
    auto* const ghosts = table.host<GhostStore>(ghosts_[parity]);
    for (int i = 0; i < ghostCount_; ++i) {
      const auto offset = reinterpret_cast<std::size_t>(ghosts[i].out);
      if (i < inlineGhosts) {
        nearGhosts_[parity][i] = ghosts[i];
        nearGhosts_[parity][i].out = table.host<void*>(offset);
      }
      ghosts[i].out = table.at<void*>(offset);
    }
    auto* const rows = table.host<RemoteRow>(beyond_[parity]);
    for (std::size_t i = 0; i < launches_.beyond[parity].size(); ++i) {
      rows[i].out = table.at<void*>(reinterpret_cast<std::size_t>(rows[i].out));
    }
    ScatterTargets& scatter = launches_.launch[parity].scatter;
    scatter.beyond = table.at<RemoteRow>(beyond_[parity]);
    scatter.overflowedWords = station_->overflowedWords();
    scatter.lost = station_->lost();
  }
  handshake_.arrivals = table.at<std::uint64_t*>(arrivals_);
  handshake_.reports = table.at<std::uint64_t*>(reports_);
}

void DeviceRound::addGhostStores(const PlaceFields& fields) {
  const std::int64_t first = fields.partition().range(device_).begin;
  for (int parity = 0; parity < 2; ++parity) {
    std::vector<GhostStore> stores;
    for (const GhostCopy& copy : fields.ghostPlan()) {
      if (copy.fromDevice != device_) continue;
      std::vector<void*> out;
      for (int component = 0; component < fields.components(); ++component) {
        const auto c = static_cast<std::size_t>(component);
        // The buffer of the other device that plays the part of ours.
        const int which = launches_.out[parity][c] == fields.buffer(component, device_, 0) ? 0 : 1;
        const bool has = fields.hasBuffer(component, which);
        out.push_back(has ? fields.buffer(component, copy.toDevice, which) : nullptr);
      }
      const std::int64_t row = copy.fromRow - first;
      const std::int64_t ghost = copy.toRow - fields.partition().range(copy.toDevice).begin;
      stores.push_back({row, row + copy.count, (ghost - row) * layout().rowStride,
                        reinterpret_cast<void* const*>(station_->table.add(out)), ghost < 0});
    }
    ghostCount_ = static_cast<int>(stores.size());
    ghosts_[parity] = station_->table.add(stores);
  }
}

void DeviceRound::addBeyond() {
  for (int parity = 0; parity < 2; ++parity) {
    std::vector<RemoteRow> rows = launches_.beyond[parity];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t offset = station_->table.add(launches_.outBeyond[parity][i]);
      rows[i].out = reinterpret_cast<void* const*>(offset);
    }
    beyond_[parity] = station_->table.add(rows);
  }
}

void DeviceRound::addHandshake(const Stations& stations, int* abandoned) {
  std::vector<std::uint64_t*> arrivals, reports;
  for (const int peer : peers_) {
    arrivals.push_back(station_->arrived(peer));
    reports.push_back(stations[static_cast<std::size_t>(peer)]->arrived(device_));
  }
  arrivals_ = station_->table.add(arrivals);
  reports_ = station_->table.add(reports);
  handshake_.peers = static_cast<int>(peers_.size());
  handshake_.finished = station_->finished();
  handshake_.abandoned = abandoned;
  handshake_.patience = patienceNanoseconds;
}

void DeviceRound::prepare() {
  station_->table.upload();
  station_->resetCounters();
  if (kernel_->share == nullptr) return;
  GpuLaunch launch = launchAt(0, {0, layout().rows});
  launch.handshake = handshake_;
  cuda::check(static_cast<cudaError_t>(kernel_->share(launch, scan_)),
              "the sharing of a rule's rows among blocks");
}

GpuLaunch DeviceRound::launchAt(std::int64_t step, RowRange rows) const {
  GpuLaunch launch;
  launch.launch = launches_.at(step);
  launch.launch.stepsBefore = station_->stepsDone();
  launch.rowBegin = rows.begin;
  launch.rowEnd = rows.end;
  launch.ghosts = station_->table.at<GhostStore>(ghosts_[step % 2]);
  launch.ghostCount = ghostCount_;
  std::copy_n(nearGhosts_[step % 2], inlineGhosts, launch.nearGhosts);
  launch.stepsDone = station_->stepsDone();
  launch.stepInBatch = static_cast<std::uint64_t>(step);
  launch.isOdd = (step % 2 == 1) != beginsOdd_;
  launch.scan = scan_;
  return launch;
}

/// A step, as it is launched.
GpuLaunch DeviceRound::stepAt(std::int64_t step, RowRange rows, const TileShape& shape,
                              cudaStream_t stream) const {
  GpuLaunch launch = launchAt(step, rows);
  launch.handshake = handshake_;
  launch.overlaps = overlaps_ && stream == station_->stream();
  if (handshake_.peers > 0) launch.handshake.borderBlocks = kernel_->borderBlocks(launch, shape);
  return launch;
}

void DeviceRound::queue(const GpuLaunch& launch, const TileShape& shape,
                        cudaStream_t stream) const {
  cuda::check(static_cast<cudaError_t>(kernel_->launch(launch, shape, stream)),
              "the launch of a rule");
}

void DeviceRound::queue(std::int64_t step, RowRange rows, const TileShape& shape,
                        cudaStream_t stream) const {
  if (rows.size() > 0) queue(stepAt(step, rows, shape, stream), shape, stream);
}

std::optional<TileRun> DeviceRound::tiles() const {
  if (kernel_->launchTiles == nullptr || launches_.launch[0].scatter.isShared) return std::nullopt;
  const Domain& domain = launches_.launch[0].domain;
  const BlockMemory memory = station_->device().blockMemory(kernel_->tilesFunction);
  const auto plan = TilePlan::of(layout(), domain.dimensions, domain.reach, memory.multiprocessors);
  if (!plan || rowsIn32Bits(layout()) < layout().rows) return std::nullopt;
  constexpr std::int64_t wordBytes = sizeof(std::uint32_t), entryBytes = sizeof(std::uint64_t);
  const std::int64_t line = (layout().columns + 3) / 4 * 4;
  const std::int64_t interior = plan->interiorLines * line * wordBytes;
  // Of each warp: every so many quads of a tile are its own, in whole rounds of all threads.
  constexpr std::int64_t round = std::int64_t{tileWarps} * 32 * 4;
  const std::int64_t places = (plan->lines * line + round - 1) / round * (round / tileWarps);
  const std::int64_t room = std::min(places, (memory.bytes - interior) / entryBytes / tileWarps);
  if (room < std::min(places, leastNoted)) return std::nullopt;
  TileRun run;
  run.plan = *plan;
  run.nearRoom = static_cast<int>(room);
  run.farRoom = static_cast<int>(places - room);
  run.sharedBytes = static_cast<int>(interior + room * entryBytes * tileWarps);
  station_->tiles.reserve(plan->blocks(),
                          static_cast<std::size_t>(run.farRoom * entryBytes * tileWarps));
  run.finished = station_->tiles.finished();
  run.overflow = station_->tiles.overflow();
  for (int parity = 0; parity < 2; ++parity) {
    run.beyond[parity] = launches_.launch[parity].scatter.beyond;
  }
  return run;
}

void DeviceRound::queueTiles(std::int64_t firstStep, const TileRun& run) const {
  GpuLaunch launch = launchAt(firstStep, {0, layout().rows});
  launch.tiles = run;
  station_->tiles.clear();
  cuda::check(static_cast<cudaError_t>(kernel_->launchTiles(launch, station_->stream())),
              "the launch of steps of a rule");
}

bool DeviceRound::hasMemoryFor(const TileShape& shape) const {
  const MarchFunction march = kernel_->march(shape.columns, shape.groups);
  return march.function != nullptr &&
         station_->device().blockMemory(march.function).bytes >= march.sharedBytes;
}

/// Of a launch, which is queued some times. It is given ready-made: a GPU that waits for the host
/// to make one would be timed as if it worked.
double DeviceRound::milliseconds(const GpuLaunch& launch, const TileShape& shape, int runs) const {
  cudaStream_t stream = station_->stream();
  MASS_CUDA_CALL(cudaEventRecord(station_->timer(0), stream));
  for (int run = 0; run < runs; ++run) queue(launch, shape, stream);
  MASS_CUDA_CALL(cudaEventRecord(station_->timer(1), stream));
  MASS_CUDA_CALL(cudaEventSynchronize(station_->timer(1)));
  float milliseconds = 0;
  MASS_CUDA_CALL(cudaEventElapsedTime(&milliseconds, station_->timer(0), station_->timer(1)));
  return milliseconds;
}

double DeviceRound::millisecondsAlone(const TileShape& shape, int runs) const {
  return milliseconds(launchAt(0, {0, layout().rows}), shape, runs) / runs;
}

double DeviceRound::millisecondsOf(std::int64_t step, const TileShape& shape) const {
  return milliseconds(stepAt(step, {0, layout().rows}, shape, station_->stream()), shape, 1);
}

void DeviceRound::countSteps(std::int64_t steps) const {
  queueAdd(station_->stepsDone(), static_cast<std::uint64_t>(steps), station_->stream());
}

void DeviceRound::queueReading(RowRange rows, void* results) const {
  GpuLaunch launch = launchAt(0, rows);
  launch.launch.results = results;
  cuda::check(static_cast<cudaError_t>(kernel_->launch(launch, {}, station_->stream())),
              "the launch of a reading rule");
}

}  // namespace mass

#include <mass/dispatch/gpu_executor.hpp>

#include <mass/dispatch/candidate_timer.hpp>
#include <mass/dispatch/cuda/carried_steps.hpp>
#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/dispatch/cuda/gpu_agent_executor.hpp>
#include <mass/dispatch/cuda/gpu_cycles.hpp>
#include <mass/dispatch/cuda/gpu_guard.hpp>
#include <mass/dispatch/cuda/gpu_halos.hpp>
#include <mass/dispatch/cuda/gpu_passes.hpp>
#include <mass/dispatch/cuda/launch_tuner.hpp>
#include <mass/dispatch/cuda/queued_steps.hpp>
#include <mass/dispatch/cuda/step_times.hpp>
#include <mass/dispatch/device_group.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/scatter_exchange.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace mass::detail {
namespace {

/// Size of the device buffer by which results of reading rules are copied to the host.
constexpr std::size_t resultPieceBytes = std::size_t{256} << 20;
/// Steps per measurement of a halo mode: even, so that each starts with the same front buffer.
constexpr std::int64_t stepsPerCandidate = 16;
/// Most turns per exchange that are selected by measurement.
constexpr std::int64_t mostTurnsByMeasurement = 32;

/// Returns rules in turn as one kernel that marches; nothing if they do not.
std::optional<Kernel> marchOf(Turn turn) {
  const TurnMarch& march = turn.front().turnMarch;
  if (march.gpu == nullptr) return std::nullopt;
  Kernel kernel = turn.front();
  kernel.gpu = march.gpu;
  kernel.arguments = march.arguments;
  for (const Kernel& other : turn)
    if (!other.neighborSteps.empty()) return std::nullopt;
  kernel.written = writtenBy(turn);
  return kernel;
}

using DeviceBatches = std::vector<DeviceBatch>;

/// Runs a reading rule and copies its results to the host, piece by piece. Of lines of which
/// several devices have parts, lanes are copied to the device before and back, and only the devices
/// with the last parts have results.
void readResults(const PlaceFields& fields, const Kernel& kernel, const DeviceBatch& batch) {
  const int part = fields.blocks().order().part(2, batch.device());
  if (!kernel.lanes.empty() && part != kernel.columnPart) return;
  CudaDevice& device = batch.resources().device();
  const std::int64_t rows = batch.layout().rows;
  const auto lines = static_cast<std::size_t>(batch.layout().lines);
  const std::size_t bytesPerRow = kernel.resultBytesPerLine(batch.layout()) * lines;
  const std::size_t laneBytes = kernel.lanes.empty() ? 0 : kernel.lanesBytesPerLine * lines;
  const auto most = std::min(rows, static_cast<std::int64_t>(std::max<std::size_t>(
                                       resultPieceBytes / (bytesPerRow + laneBytes), 1)));
  const Buffer results(device, static_cast<std::size_t>(most) * bytesPerRow);
  Buffer lanes;
  if (laneBytes > 0) lanes = Buffer(device, static_cast<std::size_t>(most) * laneBytes);
  for (std::int64_t row = 0; row < rows; row += most) {
    const RowRange piece{row, std::min(rows, row + most)};
    const auto at = static_cast<std::size_t>(row), count = static_cast<std::size_t>(piece.size());
    const Box ofLanes = contiguous(0, static_cast<std::int64_t>(count * laneBytes));
    char* const hostLanes =
        laneBytes == 0 ? nullptr : static_cast<char*>(batch.lanes()) + at * laneBytes;
    if (laneBytes > 0) device.write(lanes.data(), 1, ofLanes, hostLanes);
    batch.queueReading(piece, results.data(), lanes.data());
    if (laneBytes > 0) device.read(lanes.data(), 1, ofLanes, hostLanes);
    if (kernel.traversal == Traversal::reduce && !fields.hasLineEnds(batch.device())) continue;
    device.read(results.data(), 1, contiguous(0, static_cast<std::int64_t>(count * bytesPerRow)),
                static_cast<char*>(batch.results()) + at * bytesPerRow);
  }
}

/// Executor for GPUs, with one host thread per GPU.
class GpuExecutor : public Executor {
 public:
  GpuExecutor(const DeviceConfig& devices, const GpuOptions& options);

  bool runsInTurn(const PlaceFields& fields, Turn turn, bool areMeasured) const override {
    if (!areOnOneDevice(fields))
      return stepsPerExchange_ > 1 && cycles_.mostTurns(fields, turn, areMeasured) > 0;
    return std::ranges::all_of(turn, [](const Kernel& kernel) { return kernel.gpu != nullptr; });
  }
  bool runsTurnsInPasses(const PlaceFields& fields, Turn turn,
                         const StepBatch& batch) const override {
    const auto marching = marchOf(turn);
    return marching && passes_.suit(fields, *marching, batch);
  }
  bool runsOnBits(const PlaceFields& fields, Turn turn, const StepBatch& batch) const override {
    return turn.size() == 1 && passes_.suitBits(fields, turn.front(), batch);
  }
  BatchResult run(const PlaceFields& fields, Turn turn, const StepBatch& batch) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void restoreLayout(const PlaceFields& fields, const AaKernel& kernel) override;
  std::vector<ExchangeReport> exchangeReports() const override { return halos_.reports(); }
  std::unique_ptr<AgentExecutor> makeAgentExecutor(const DeviceConfig& devices) const override {
    return makeGpuAgentExecutor(devices, halos_.transports().nccl());
  }

 private:
  /// Rule and shape of the world.
  using ShapeKey = std::tuple<const GpuKernel*, std::array<std::int64_t, 3>>;
  /// First rule and number of rules of a turn, shape of the world, and number of ways, for which
  /// the way of the exchanges is autotuned.
  using TimerKey =
      std::tuple<const GpuKernel*, std::size_t, std::array<std::int64_t, 3>, std::size_t>;
  /// Way of the exchanges between GPUs.
  struct Way {
    HaloMode mode;
    std::int64_t turnsPerExchange = 0;  ///< turns of a cycle; 0: an exchange after each step
  };

  void requirePeerAccess(std::string_view subject, std::string_view orElse = "") const;
  BatchResult runSteps(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch);
  BatchResult runTurns(const PlaceFields& fields, Turn turn, const StepBatch& batch);
  BatchResult runBy(HaloMode mode, const PlaceFields& fields, const Kernel& kernel,
                    const StepBatch& batch);
  std::vector<Way> waysOf(const PlaceFields& fields, Turn turn, const StepBatch& batch) const;
  BatchResult runByFastestWay(const PlaceFields& fields, Turn turn, const StepBatch& batch);
  BatchResult runPart(const std::vector<Way>& ways, CandidateTimer& timer,
                      const PlaceFields& fields, Turn turn, StepBatch part);
  BatchResult scatter(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch);
  void requireAaPattern(const PlaceFields& fields) const;
  BatchResult scatterOnRanks(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch);
  LaunchShape shapeAlone(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch);
  DeviceBatches batchesOf(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                          bool areHalosStored) const {
    return detail::batchesOf(fields, kernel, batch, resources_,
                             BatchHalos::ofStep(fields, areHalosStored), guard_.failedFlag());
  }

  const DeviceConfig* devices_;
  GpuGuard guard_;
  GpuResourcesByDevice resources_;
  GpuHalos halos_;
  GpuPasses passes_;
  LaunchTuner tuner_;
  GpuCycles cycles_;
  int stepsPerExchange_;
  std::map<TimerKey, CandidateTimer> timers_;
  std::map<ShapeKey, LaunchShape> shapesInTurn_;  // on the only GPU
};

GpuExecutor::GpuExecutor(const DeviceConfig& devices, const GpuOptions& options)
    : devices_(&devices),
      guard_(devices),
      resources_(static_cast<std::size_t>(devices.size())),
      halos_(devices, options.mode, guard_, resources_),
      passes_(devices, options, halos_, guard_, resources_),
      tuner_(options.launchShape),
      cycles_(devices, halos_, guard_, resources_, tuner_),
      stepsPerExchange_(options.stepsPerExchange) {
  for (const int device : devices.local()) {
    resources_[static_cast<std::size_t>(device)] = std::make_unique<GpuResources>(
        static_cast<CudaDevice&>(devices.device(device)), devices.size());
  }
}

/// Runs a batch in the way that suits the rule.
BatchResult GpuExecutor::run(const PlaceFields& fields, Turn turn, const StepBatch& batch) {
  if (turn.size() > 1) {
    if (!areOnOneDevice(fields)) return runByFastestWay(fields, turn, batch);
    const auto marching = marchOf(turn);
    if (!marching || !passes_.suit(fields, *marching, batch)) return runTurns(fields, turn, batch);
    return passes_.run(fields, *marching, batch,
                       [&](const StepBatch& part) { return runTurns(fields, turn, part); });
  }
  const Kernel& kernel = turn.front();
  if (fields.areBits()) return passes_.runOnBits(fields, kernel, batch);
  if (kernel.gpu == nullptr) {
    throw UsageError(
        "this model was compiled for CPUs only: compile its sources with nvcc (in CMake: "
        "mass_gpu_sources(<target>)), or set 'backend' to cpu");
  }
  if (kernel.traversal == Traversal::scatter) return scatter(fields, kernel, batch);
  if (kernel.traversal == Traversal::aaPattern) {
    requireAaPattern(fields);
    return runBy(HaloMode::store, fields, kernel, batch);
  }
  if (kernel.written.empty() && kernel.results == nullptr &&
      kernel.lanes.empty()) {  // a rule without effect
    if (!batch.stale.empty()) refresh(fields, batch.stale);
    return {.steps = batch.steps};
  }
  if (!passes_.suit(fields, kernel, batch)) return runSteps(fields, kernel, batch);
  return passes_.run(fields, kernel, batch,
                     [&](const StepBatch& part) { return runSteps(fields, kernel, part); });
}

/// Runs a batch step by step.
BatchResult GpuExecutor::runSteps(const PlaceFields& fields, const Kernel& kernel,
                                  const StepBatch& batch) {
  const bool isOneWay = !batch.exchanges || areOnOneDevice(fields) || kernel.written.empty();
  return isOneWay ? runBy(HaloMode::store, fields, kernel, batch)
                  : runByFastestWay(fields, Turn(&kernel, 1), batch);
}

BatchResult GpuExecutor::scatter(const PlaceFields& fields, const Kernel& kernel,
                                 const StepBatch& batch) {
  const bool hasRanks = devices_->ranks().count() > 1;
  if (!hasRanks) requirePeerAccess("scatter rules require");
  // Bound of the exact division in kernels.
  constexpr std::int64_t mostLines = std::int64_t{1} << 22;
  if (fields.layout(0).lines >= mostLines) {
    throw UsageError("on GPUs, scatter rules require fewer than {} lines per row, and there are {}",
                     mostLines, fields.layout(0).lines);
  }
  return hasRanks ? scatterOnRanks(fields, kernel, batch)
                  : runBy(HaloMode::store, fields, kernel, batch);
}

/// @throws DeviceError, UsageError if the GPUs or the world do not suit the AA pattern
void GpuExecutor::requireAaPattern(const PlaceFields& fields) const {
  requirePeerAccess("in-place streaming requires", ", or set 'streaming' to two_buffers");
  if (fields.layout(0).lines > maxAaLines) {
    throw UsageError(
        "on GPUs, in-place streaming requires at most {} lines per row, and there are {}: set "
        "'streaming' to two_buffers",
        maxAaLines, fields.layout(0).lines);
  }
}

/// Returns the ways of the exchanges of rules: a given number of turns per exchange, or an exchange
/// after each step and, between ranks, some other numbers. Kernels that store into halos exchange
/// after each step.
std::vector<GpuExecutor::Way> GpuExecutor::waysOf(const PlaceFields& fields, Turn turn,
                                                  const StepBatch& batch) const {
  const std::int64_t most = cycles_.mostTurns(fields, turn, batch.times != nullptr);
  const bool isGiven = stepsPerExchange_ > 1 || turn.size() > 1;
  std::vector<Way> each, cycles;
  for (const HaloMode mode : halos_.modesFor(fields)) {
    each.push_back({mode});
    if (mode == HaloMode::store) continue;
    if (isGiven && most > 0)
      cycles.push_back({mode, std::min<std::int64_t>(most, stepsPerExchange_)});
    if (stepsPerExchange_ > 0 || devices_->ranks().count() == 1) continue;
    for (std::int64_t turns = 2; turns <= std::min(most, mostTurnsByMeasurement); turns *= 2)
      each.push_back({mode, turns});
  }
  return cycles.empty() ? each : cycles;
}

/// Runs the first turns of a batch, or all, in the fastest way: whole cycles, or until the way is
/// known a few turns with each candidate. Cycles leave other ghosts fresh, so the caller accepts a
/// result before the next ones run.
BatchResult GpuExecutor::runByFastestWay(const PlaceFields& fields, Turn turn,
                                         const StepBatch& batch) {
  const std::vector<Way> ways = waysOf(fields, turn, batch);
  const bool exchangesEach =
      std::ranges::all_of(ways, [](const Way& way) { return way.turnsPerExchange == 0; });
  const TimerKey key{turn.front().gpu, turn.size(), fields.domain().shape, ways.size()};
  CandidateTimer& timer = timers_.try_emplace(key, static_cast<int>(ways.size())).first->second;
  BatchResult result;
  StepBatch part = batch;
  do {
    part.firstStep = batch.firstStep + result.steps;
    part.steps = batch.steps - result.steps;
    BatchResult partResult = runPart(ways, timer, fields, turn, part);
    partResult.steps += result.steps;
    result = std::move(partResult);
    part.stale.clear();
  } while (exchangesEach && result.swapped.empty() && !result.failure &&
           result.steps < batch.steps);
  return result;
}

/// Runs the first turns of a batch, or all, in the way that the timer selects, and times them.
BatchResult GpuExecutor::runPart(const std::vector<Way>& ways, CandidateTimer& timer,
                                 const PlaceFields& fields, Turn turn, StepBatch part) {
  const Way& way = ways[static_cast<std::size_t>(timer.candidate())];
  if (!timer.decided()) {
    const std::int64_t turns = std::max(stepsPerCandidate, way.turnsPerExchange);
    part.steps = std::min(part.steps, turns * std::ssize(turn));
  }
  const auto start = std::chrono::steady_clock::now();
  BatchResult result = way.turnsPerExchange > 0
                           ? cycles_.run(way.mode, fields, turn, part, way.turnsPerExchange)
                           : runBy(way.mode, fields, turn.front(), part);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (result.steps == 0) return result;
  halos_.count(turn.front().gpu, std::max<std::int64_t>(way.turnsPerExchange, 1), result.steps,
               time.count());
  if (!timer.decided())
    timer.record(slowestOf(fields, time.count() / static_cast<double>(result.steps)));
  return result;
}

/// Runs rules in turn on one GPU.
BatchResult GpuExecutor::runTurns(const PlaceFields& fields, Turn turn, const StepBatch& batch) {
  guard_.clear();
  if (!batch.stale.empty()) refresh(fields, batch.stale);
  FirstFailure failure;
  const auto rules = static_cast<std::int64_t>(turn.size());
  const TurnBuffers buffers(turn, frontsOf(fields), batch.doubleBuffered);
  devices_->run([&](const Worker& worker) {
    WorkTimer timer(batch.times, worker);
    timer.start();
    guard_.run(failure, worker, beforeSteps, [&] {
      std::vector<LaunchShape> shapes;
      for (const Kernel& kernel : turn) shapes.push_back(shapeAlone(fields, kernel, batch));
      std::vector<TurnRule> queued;
      for (std::size_t rule = 0; rule < turn.size(); ++rule) {
        queued.push_back({DeviceBatch(fields, turn[rule], batch, worker.device(), resources_,
                                      BatchHalos::ofStep(fields, true), guard_.failedFlag(),
                                      {rule, turn.size(), buffers.of(rule)}),
                          shapes[rule]});
      }
      for (TurnRule& rule : queued) rule.batch.prepare();
      queueTurns(queued, batch.steps);
      queued.front().batch.resources().device().synchronize();
    });
    timer.stop();
  });
  const std::exception_ptr exception = guard_.exceptionOf(failure);
  const std::int64_t turns = exception ? 0 : batch.steps / rules;
  return {.steps = turns * rules,
          .swapped =
              differences(frontsOf(fields), buffers.frontsBefore(turns % 2 == 1 ? turn.size() : 0)),
          .ghostsFresh = batch.exchanges,
          .failure = exception};
}

/// Returns the launch shape of a rule, measured with the present state if necessary.
/// @pre the GPU is current
LaunchShape GpuExecutor::shapeAlone(const PlaceFields& fields, const Kernel& kernel,
                                    const StepBatch& batch) {
  const ShapeKey key{kernel.gpu, fields.domain().shape};
  if (const auto known = shapesInTurn_.find(key); known != shapesInTurn_.end())
    return known->second;
  StepBatch alone = batch;
  if (!kernel.isDoubleBuffered()) alone.doubleBuffered.clear();
  std::erase_if(alone.doubleBuffered,
                [&](int component) { return std::ranges::count(kernel.written, component) == 0; });
  DeviceBatches batches = batchesOf(fields, kernel, alone, true);
  batches.front().prepare();
  batches.front().resources().device().synchronize();
  return tuner_.shapeFor(kernel, batches);
}

/// @param subject subject and verb of the message, such as "scatter rules require"
/// @param orElse alternative to the use of one GPU, for the message
/// @throws DeviceError if several GPUs cannot store into each other's memory.
void GpuExecutor::requirePeerAccess(std::string_view subject, std::string_view orElse) const {
  if (devices_->size() == 1 || halos_.transports().choices().front() == HaloMode::store) return;
  throw DeviceError(
      "{} GPUs with access to each other's memory and 'exchange' set to store or auto: use one "
      "GPU{}",
      subject, orElse);
}

/// Runs a batch with the halo mode `mode`.
BatchResult GpuExecutor::runBy(HaloMode mode, const PlaceFields& fields, const Kernel& kernel,
                               const StepBatch& batch) {
  const bool directStores = mode == HaloMode::store;
  DeviceBatches batches = batchesOf(fields, kernel, batch, directStores);
  guard_.clear();
  if (!batch.stale.empty()) refresh(fields, batch.stale);
  FirstFailure failure;
  HaloTransport* const transport =
      directStores ? nullptr : &halos_.prepared(mode, fields, fields.ghostPlan(), kernel.written);
  LaunchShape shape;
  // Kernels of GPUs that exchange halos may wait for each other, which is no compute time.
  const bool kernelsWait = batch.exchanges && !kernel.written.empty() && !areOnOneDevice(fields);
  std::vector<std::uint64_t> overflowedWords(batches.size()), lost(batches.size());
  devices_->run([&](const Worker& worker) {
    DeviceBatch& deviceBatch = batchOf(batches, worker.device());
    guard_.run(failure, worker, beforeSteps, [&] {
      deviceBatch.prepare();
      deviceBatch.resources().device().synchronize();
      const auto select = [&] { shape = tuner_.shapeFor(kernel, batches); };
      if (!worker.isCaller()) return;
      batch.times != nullptr ? batch.times->leaveOut(worker, select) : select();
    });
    worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    std::int64_t measuredSteps = 0;
    if (kernelsWait && batch.times != nullptr) {
      if (kernel.isRepeatable()) {
        guard_.run(failure, worker, 0,
                   [&] { measureReplay(kernel, deviceBatch, batch, shape, worker); });
      } else {
        measuredSteps = measureInPlace(kernel, deviceBatch, batch, shape, worker, guard_, failure);
        if (failure.hasFailedBy(measuredSteps - 1)) return;
      }
    }
    if (transport != nullptr) {
      runCarried(OverlappedSteps(batches, *transport, shape), batch.steps, worker, guard_, failure);
      return;
    }
    WorkTimer timer(kernelsWait ? nullptr : batch.times, worker);
    timer.start();
    guard_.run(failure, worker, measuredSteps, [&] {
      if (kernel.written.empty()) {
        readResults(fields, kernel, deviceBatch);
      } else {
        queueDirectStoreSteps(deviceBatch, batch.steps - measuredSteps, shape);
        deviceBatch.resources().device().synchronize();
      }
      if (kernel.traversal == Traversal::scatter) {
        const GpuResources& resources = deviceBatch.resources();
        const auto number = static_cast<std::size_t>(worker.device() - devices_->firstLocal());
        overflowedWords[number] = resources.read(resources.overflowedWords());
        lost[number] = resources.read(resources.lost());
      }
    });
    timer.stop();
  });
  const std::exception_ptr exception = guard_.exceptionOf(failure);
  const std::int64_t steps = exception ? 0 : batch.steps;
  return {.steps = steps,
          .swapped = swappedAfter(steps, batch),
          .ghostsFresh = batch.refreshes,
          .overflowedWords = std::reduce(overflowedWords.begin(), overflowedWords.end()),
          .lost = std::reduce(lost.begin(), lost.end()),
          .failure = exception};
}

/// Runs a scatter rule step by step: after each, the host delivers the elements for other ranks.
BatchResult GpuExecutor::scatterOnRanks(const PlaceFields& fields, const Kernel& kernel,
                                        const StepBatch& batch) {
  DeviceBatches batches = batchesOf(fields, kernel, batch, true);
  guard_.clear();
  if (!batch.stale.empty()) refresh(fields, batch.stale);
  ScatterExchange exchange(fields, kernel);
  std::uint64_t overflowedWords = 0, lost = 0;  // by the deliveries; then in all
  std::vector<LaunchPair> launchPairs;
  for (const int device : devices_->local()) {
    launchPairs.emplace_back(fields, kernel, batch, device);
    for (Launch& launch : launchPairs.back().launch) {
      launch.scatter.overflowedWords = &overflowedWords;
      launch.scatter.lost = &lost;
    }
  }
  const auto deliver = [&](std::int64_t step) {
    std::vector<Launch> launches;
    for (const LaunchPair& pair : launchPairs) launches.push_back(pair.at(step));
    const int front = fields.front(kernel.written.front());
    exchange.deliver(launches, step % 2 == 0 ? 1 - front : front);
  };
  HaloTransport& transport = halos_.transports().refreshTransport();
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    const DeviceBatch& deviceBatch = batchOf(batches, worker.device());
    cudaStream_t stream = deviceBatch.resources().stream();
    WorkTimer timer(batch.times, worker);
    guard_.run(failure, worker, beforeSteps, [&] { batchOf(batches, worker.device()).prepare(); });
    worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    for (std::int64_t step = 0; step < batch.steps; ++step) {
      timer.start();
      guard_.run(failure, worker, 2 * step, [&] {
        deviceBatch.queue(step, {0, deviceBatch.layout().rows}, {}, stream);
        guard_.waitFor(stream, transport, worker);
      });
      timer.stop();
      worker.barrier();
      if (failure.hasFailedBy(2 * step)) return;
      if (worker.isCaller()) guard_.run(failure, worker, 2 * step + 1, [&] { deliver(step); });
      worker.barrier();
      if (failure.hasFailedBy(2 * step + 1)) return;
    }
  });
  if (const std::exception_ptr exception = guard_.exceptionOf(failure))
    return {.overflowedWords = overflowedWords, .lost = lost, .failure = exception};
  for (const DeviceBatch& deviceBatch : batches) {
    const GpuResources& resources = deviceBatch.resources();
    overflowedWords += resources.read(resources.overflowedWords());
    lost += resources.read(resources.lost());
  }
  Ranks& ranks = devices_->ranks();
  return {.steps = batch.steps,
          .swapped = swappedAfter(batch.steps, batch),
          .overflowedWords = ranks.sum(overflowedWords),
          .lost = ranks.sum(lost)};
}

void GpuExecutor::refresh(const PlaceFields& fields, const std::vector<int>& components) {
  halos_.refresh(fields, fields.ghostPlan(), components);
}

void GpuExecutor::restoreLayout(const PlaceFields& fields, const AaKernel& kernel) {
  const Kernel rule{.gpu = kernel.gpuRestoreLayout, .traversal = Traversal::aaPattern};
  DeviceBatches batches = batchesOf(fields, rule, StepBatch{}, true);
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    DeviceBatch& deviceBatch = batchOf(batches, worker.device());
    guard_.run(failure, worker, beforeSteps, [&] {
      deviceBatch.prepare();
      const GpuResources& resources = deviceBatch.resources();
      deviceBatch.queue(0, {0, deviceBatch.layout().rows}, {}, resources.stream());
      resources.device().synchronize();
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

}  // namespace

std::unique_ptr<Executor> makeGpuExecutor(const DeviceConfig& devices, const GpuOptions& options) {
  return std::make_unique<GpuExecutor>(devices, options);
}

}  // namespace mass::detail

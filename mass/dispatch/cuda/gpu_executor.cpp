#include <mass/dispatch/gpu_executor.hpp>

#include <mass/dispatch/bits/batch_table.hpp>
#include <mass/dispatch/candidate_timer.hpp>
#include <mass/dispatch/cuda/bit_march.hpp>
#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/dispatch/cuda/gpu_agent_executor.hpp>
#include <mass/dispatch/cuda/launch_tuner.hpp>
#include <mass/dispatch/cuda/overlapped_steps.hpp>
#include <mass/dispatch/cuda/shared_flag.hpp>
#include <mass/dispatch/cuda/transport_selector.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/pass_tuner.hpp>
#include <mass/dispatch/scatter_exchange.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace mass::detail {
namespace {

/// Size of the device buffer by which results of reading rules are copied to the host.
constexpr std::size_t resultPieceBytes = std::size_t{256} << 20;
/// Steps per measurement of a halo mode: even, so that each starts with the same front buffer.
constexpr std::int64_t stepsPerCandidate = 16;
/// Timed steps of a scatter or AA rule between two resets of DeviceTimes; even as well.
constexpr std::int64_t measuredStepsPerInterval = 8;
/// Steps between two marks. The host is at most two intervals ahead of its GPU: with more, it would
/// block in the driver, where it cannot detect the failure of another GPU.
constexpr std::int64_t stepsBetweenMarks = 16;
/// Updates of places that take longer than the search for the table of a rule of bools.
constexpr double leastUpdatesForTable = 1 << 26;
/// Step number by which a FirstFailure records failures before step 0.
constexpr std::int64_t beforeSteps = -1;

using DeviceBatches = std::vector<DeviceBatch>;

/// Executor for GPUs, with one host thread per GPU.
class GpuExecutor : public Executor {
 public:
  GpuExecutor(const DeviceConfig& devices, const GpuOptions& options);

  bool runsInTurn(const PlaceFields& /*fields*/, Turn turn) const override {
    return devices_->size() == 1 &&
           std::ranges::all_of(turn, [](const Kernel& kernel) { return kernel.gpu != nullptr; });
  }
  BatchResult run(const PlaceFields& fields, Turn turn, const StepBatch& batch) override;
  void refresh(const PlaceFields& fields, const std::vector<int>& components) override;
  void restoreLayout(const PlaceFields& fields) override;
  std::unique_ptr<AgentExecutor> makeAgentExecutor(const DeviceConfig& devices) const override {
    return makeGpuAgentExecutor(devices, transports_.nccl());
  }

 private:
  /// Rule and shape of the world, for which the halo mode is autotuned.
  using TimerKey = std::tuple<const GpuKernel*, std::array<std::int64_t, 3>>;

  void requirePeerAccess(std::string_view subject, std::string_view orElse = "") const;
  BatchResult runTurns(const PlaceFields& fields, Turn turn, const StepBatch& batch);
  BatchResult runBy(HaloMode mode, const PlaceFields& fields, const Kernel& kernel,
                    const StepBatch& batch);
  BatchResult runByFastestMode(const PlaceFields& fields, const Kernel& kernel,
                               const StepBatch& batch);
  BatchResult scatter(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch);
  BatchResult streamInPlace(const PlaceFields& fields, const Kernel& kernel,
                            const StepBatch& batch);
  BatchResult scatterOnRanks(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch);
  bool mayMarch(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch) const;
  std::optional<BitMarchArguments> bitMarchOf(const PlaceFields& fields, const Kernel& kernel,
                                              const StepBatch& batch) const;
  BatchResult runByPasses(const PlaceFields& fields, const Kernel& kernel, const Kernel& marching,
                          const StepBatch& batch);
  BatchResult march(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                    int stepsPerPass);
  LaunchShape shapeAlone(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch);
  HaloTransport& preparedTransport(HaloMode mode, const PlaceFields& fields, const Kernel& kernel);
  void runOverlapped(const OverlappedSteps& steps, HaloTransport& transport, const StepBatch& batch,
                     const LaunchShape& shape, const Worker& worker, FirstFailure& failure) const;
  void measureReplay(const Kernel& kernel, const DeviceBatch& deviceBatch, const StepBatch& batch,
                     const LaunchShape& shape, const Worker& worker) const;
  std::int64_t measureInPlace(const Kernel& kernel, const DeviceBatch& deviceBatch,
                              const StepBatch& batch, const LaunchShape& shape,
                              const Worker& worker, FirstFailure& failure) const;
  void readResults(const Kernel& kernel, const DeviceBatch& batch) const;
  void runGuarded(FirstFailure& failure, const Worker& worker, std::int64_t step,
                  const std::function<void()>& work) const;
  template <class Query>
  void waitFor(const Query& query, HaloTransport& transport, const Worker& worker) const;
  void waitForStream(cudaStream_t stream, HaloTransport& transport, const Worker& worker) const;
  bool exchangeOnHost(HaloTransport& transport, std::size_t round, std::int64_t step,
                      const Worker& worker, FirstFailure& failure) const;
  DeviceBatches batchesOf(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                          bool directStores) const;
  DeviceBatch& batchOf(DeviceBatches& batches, const Worker& worker) const {
    return batches[static_cast<std::size_t>(worker.device() - devices_->firstLocal())];
  }
  double slowestOf(double seconds) const;
  std::exception_ptr failureOf(const FirstFailure& failure) const;

  const DeviceConfig* devices_;
  SharedFlag failed_;
  TransportSelector transports_;
  GpuResourcesByDevice resources_;
  LaunchTuner tuner_;
  std::map<TimerKey, CandidateTimer> timers_;
  int stepsPerPass_;
  std::map<TimerKey, LaunchShape> shapesInTurn_;  // on the only GPU
  /// By launch of marches, rule and shape of the world.
  std::map<std::pair<decltype(GpuKernel::launchMarch), TimerKey>, PassTuner> passTuners_;
};

GpuExecutor::GpuExecutor(const DeviceConfig& devices, const GpuOptions& options)
    : devices_(&devices),
      transports_(devices, options.mode),
      resources_(static_cast<std::size_t>(devices.size())),
      tuner_(options.launchShape),
      stepsPerPass_(options.stepsPerPass) {
  for (const int device : devices.local()) {
    resources_[static_cast<std::size_t>(device)] = std::make_unique<GpuResources>(
        static_cast<CudaDevice&>(devices.device(device)), devices.size());
  }
}

/// Runs a batch in the way that suits the rule.
BatchResult GpuExecutor::run(const PlaceFields& fields, Turn turn, const StepBatch& batch) {
  if (turn.size() > 1) return runTurns(fields, turn, batch);
  const Kernel& kernel = turn.front();
  if (kernel.gpu == nullptr) {
    throw UsageError(
        "this model was compiled for CPUs only: compile its sources with nvcc (in CMake: "
        "mass_gpu_sources(<target>)), or set 'backend' to cpu");
  }
  if (kernel.isScatter()) return scatter(fields, kernel, batch);
  if (batch.streamsInPlace) return streamInPlace(fields, kernel, batch);
  if (kernel.written.empty() && kernel.results == nullptr) {  // a rule without effect
    if (!batch.stale.empty()) refresh(fields, batch.stale);
    return {.steps = batch.steps};
  }
  if (mayMarch(fields, kernel, batch)) {
    const auto bits = bitMarchOf(fields, kernel, batch);
    if (!bits) return runByPasses(fields, kernel, kernel, batch);
    const GpuKernel onBits = withMarchOnBits(*kernel.gpu);
    Kernel marching = kernel;
    marching.gpu = &onBits;
    marching.arguments = &*bits;
    return runByPasses(fields, kernel, marching, batch);
  }
  if (!batch.exchanges || devices_->size() == 1 || kernel.written.empty())
    return runBy(HaloMode::store, fields, kernel, batch);
  return runByFastestMode(fields, kernel, batch);
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

/// Runs a streaming rule by the AA pattern.
BatchResult GpuExecutor::streamInPlace(const PlaceFields& fields, const Kernel& kernel,
                                       const StepBatch& batch) {
  requirePeerAccess("in-place streaming requires", ", or set 'streaming' to two_buffers");
  if (fields.layout(0).lines > maxAaLines) {
    throw UsageError(
        "on GPUs, in-place streaming requires at most {} lines per row, and there are {}: set "
        "'streaming' to two_buffers",
        maxAaLines, fields.layout(0).lines);
  }
  Kernel aaRule = kernel;
  aaRule.gpu = kernel.aaKernel->gpu;
  return runBy(HaloMode::store, fields, aaRule, batch);
}

/// Runs a batch with the fastest halo mode. Until that is known, runs a few steps with each
/// candidate.
BatchResult GpuExecutor::runByFastestMode(const PlaceFields& fields, const Kernel& kernel,
                                          const StepBatch& batch) {
  const std::vector<HaloMode>& choices = transports_.choices();
  CandidateTimer& timer =
      timers_.try_emplace({kernel.gpu, fields.domain().shape}, choices.size()).first->second;
  BatchResult result;
  StepBatch part = batch;
  while (result.steps < batch.steps && !result.failure) {
    part.firstStep = result.steps;
    part.steps = batch.steps - result.steps;
    if (!timer.decided()) part.steps = std::min(part.steps, stepsPerCandidate);
    const auto start = std::chrono::steady_clock::now();
    const HaloMode mode = choices[static_cast<std::size_t>(timer.candidate())];
    BatchResult partResult = runBy(mode, fields, kernel, part);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (!timer.decided()) timer.record(slowestOf(time.count() / static_cast<double>(part.steps)));
    partResult.steps += result.steps;
    result = partResult;
    part.stale.clear();
  }
  result.swapped = swappedAfter(result.steps, batch);
  return result;
}

/// Runs rules in turn on one GPU.
BatchResult GpuExecutor::runTurns(const PlaceFields& fields, Turn turn, const StepBatch& batch) {
  failed_.clear();
  if (!batch.stale.empty()) refresh(fields, batch.stale);
  FirstFailure failure;
  const auto rules = static_cast<std::int64_t>(turn.size());
  const TurnBuffers buffers(turn, frontsOf(fields), batch.doubleBuffered);
  devices_->run([&](const Worker& worker) {
    WorkTimer timer(batch.times, worker);
    timer.start();
    runGuarded(failure, worker, beforeSteps, [&] {
      std::vector<LaunchShape> shapes;
      for (const Kernel& kernel : turn) shapes.push_back(shapeAlone(fields, kernel, batch));
      std::vector<TurnRule> queued;
      for (std::size_t rule = 0; rule < turn.size(); ++rule) {
        queued.push_back({DeviceBatch(fields, turn[rule], batch, worker.device(), resources_, true,
                                      failed_.address(), {rule, turn.size(), buffers.of(rule)}),
                          shapes[rule]});
      }
      for (TurnRule& rule : queued) rule.batch.prepare();
      queueTurns(queued, batch.steps);
      queued.front().batch.resources().device().synchronize();
    });
    timer.stop();
  });
  const std::exception_ptr exception = failureOf(failure);
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
  const TimerKey key{kernel.gpu, fields.domain().shape};
  if (const auto known = shapesInTurn_.find(key); known != shapesInTurn_.end())
    return known->second;
  StepBatch alone = batch;
  if (!kernel.isDoubleBuffered()) alone.doubleBuffered.clear();
  std::erase_if(alone.doubleBuffered,
                [&](int component) { return std::ranges::count(kernel.written, component) == 0; });
  DeviceBatches batches = batchesOf(fields, kernel, alone, true);
  batches.front().prepare();
  batches.front().resources().device().synchronize();
  return tuner_.shapeFor(kernel, batches, false);
}

/// True if a rule may make several steps in one pass: its places march, on one GPU, and threads
/// load whole packs of columns by 32-bit indices.
bool GpuExecutor::mayMarch(const PlaceFields& fields, const Kernel& kernel,
                           const StepBatch& batch) const {
  constexpr std::int64_t mostPlaces = (std::int64_t{1} << 31) - 1;
  const Layout& layout = fields.layout(devices_->firstLocal());
  const bool isVolume = fields.domain().dimensions == 3;
  const std::int64_t leastSide = isVolume ? 16 : 32;  // a march wraps around once
  const int width = isVolume ? volumeMarchWidth : marchWidth;
  return kernel.gpu->launchMarch != nullptr && devices_->size() == 1 && batch.times == nullptr &&
         kernel.neighborSteps.empty() && layout.rows >= leastSide && layout.columns >= leastSide &&
         (!isVolume || layout.lines >= leastSide) && layout.columns % width == 0 &&
         layout.origin % width == 0 && layout.rowStride % width == 0 && layout.pitch % width == 0 &&
         layout.size <= mostPlaces && stepsPerPass_ != 1;
}

/// Returns the arguments of a march on bits; nothing if the rule is none that counts living
/// neighbours, or its march is too short. @pre mayMarch(fields, kernel, batch)
std::optional<BitMarchArguments> GpuExecutor::bitMarchOf(const PlaceFields& fields,
                                                         const Kernel& kernel,
                                                         const StepBatch& batch) const {
  const bool isAuto = stepsPerPass_ == 0;
  if (!isAuto && stepsPerPass_ < bitMarchSteps[0]) return std::nullopt;
  if (!mayMarchOnBits(fields.layout(devices_->firstLocal()))) return std::nullopt;
  const auto table = tableOfBatch(fields, kernel, batch, isAuto ? leastUpdatesForTable : 0);
  const auto counts = table ? table->counts() : std::nullopt;
  if (!counts) return std::nullopt;
  return BitMarchArguments{*counts, fields.component(0).outside.front() != 0};
}

/// Runs the first steps of a batch, or all, by the number of steps per pass that is fastest.
/// @param marching kernel of passes of several steps; `kernel`, or one with the same results
BatchResult GpuExecutor::runByPasses(const PlaceFields& fields, const Kernel& kernel,
                                     const Kernel& marching, const StepBatch& batch) {
  std::vector<int> candidates;
  if (stepsPerPass_ == 0) candidates.push_back(1);
  for (const int steps : marching.gpu->marchSteps)
    if (stepsPerPass_ == 0 || steps <= stepsPerPass_) candidates.push_back(steps);
  if (stepsPerPass_ > 0) candidates = {candidates.empty() ? 1 : candidates.back()};
  PassTuner& tuner =
      passTuners_
          .try_emplace({marching.gpu->launchMarch, {kernel.gpu, fields.domain().shape}},
                       std::move(candidates),
                       passesForGraphs(fields.layout(devices_->firstLocal())))
          .first->second;
  const PassPlan plan = tuner.next(batch.steps);
  StepBatch part = batch;
  const auto start = std::chrono::steady_clock::now();
  BatchResult result;
  if (std::ranges::count(marching.gpu->marchSteps, plan.stepsPerPass) > 0) {
    part.steps = plan.steps / plan.stepsPerPass * plan.stepsPerPass;
    result = march(fields, marching, part, plan.stepsPerPass);
  } else {
    part.steps = plan.steps;
    result = runBy(HaloMode::store, fields, kernel, part);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (result.steps > 0) tuner.record(plan, result.steps, time.count());
  return result;
}

/// Runs a batch of whole passes.
BatchResult GpuExecutor::march(const PlaceFields& fields, const Kernel& kernel,
                               const StepBatch& batch, int stepsPerPass) {
  DeviceBatches batches = batchesOf(fields, kernel, batch, true);
  failed_.clear();
  if (!batch.stale.empty()) refresh(fields, batch.stale);
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    DeviceBatch& deviceBatch = batchOf(batches, worker);
    runGuarded(failure, worker, beforeSteps, [&] {
      deviceBatch.prepare();
      queueMarches(deviceBatch, batch.steps, stepsPerPass);
      deviceBatch.resources().device().synchronize();
    });
  });
  const std::exception_ptr exception = failureOf(failure);
  const std::int64_t steps = exception ? 0 : batch.steps;
  return {.steps = steps,
          .swapped = swappedAfter(steps / stepsPerPass, batch),
          .paddingFresh = false,
          .failure = exception};
}

/// Returns the largest value of all ranks.
double GpuExecutor::slowestOf(double seconds) const {
  if (devices_->ranks().count() == 1) return seconds;
  const auto times = devices_->allGather(std::vector<double>(devices_->local().size(), seconds));
  return *std::ranges::max_element(times);
}

/// @param subject subject and verb of the message, such as "scatter rules require"
/// @param orElse alternative to the use of one GPU, for the message
/// @throws DeviceError if several GPUs cannot store into each other's memory.
void GpuExecutor::requirePeerAccess(std::string_view subject, std::string_view orElse) const {
  if (devices_->size() == 1 || transports_.choices().front() == HaloMode::store) return;
  throw DeviceError(
      "{} GPUs with access to each other's memory and 'exchange' set to store or auto: use one "
      "GPU{}",
      subject, orElse);
}

/// Calls `work()` with the worker's GPU current. Records an exception as a failure at `step` and
/// raises the flag by which other devices stop waiting.
/// @pre `step` is larger than that of any call before the last barrier. A thread that has left the
///   barrier late and checks for earlier failures then ignores this one, and does not skip the next
///   barrier.
void GpuExecutor::runGuarded(FirstFailure& failure, const Worker& worker, std::int64_t step,
                             const std::function<void()>& work) const {
  try {
    const cuda::Current current(
        static_cast<CudaDevice&>(devices_->device(worker.device())).ordinal());
    work();
  } catch (...) {
    failure.record(step, worker);
    failed_.raise();
  }
}

/// Polls `query()` until it no longer returns cudaErrorNotReady. Aborts the transfers of the
/// worker's device if another device has failed.
template <class Query>
void GpuExecutor::waitFor(const Query& query, HaloTransport& transport,
                          const Worker& worker) const {
  cudaError_t status = cudaErrorNotReady;
  const auto isDone = [&] {
    if (failed_.raised()) transport.abort(worker.device());
    return (status = query()) != cudaErrorNotReady;
  };
  // After a failure, other ranks are not waited for: the abort ends the wait.
  if (devices_->ranks().count() > 1 && worker.isCaller() && !failed_.raised()) {
    devices_->ranks().waitUntil(isDone, transport.awaitedRanks());
  } else {
    while (!isDone()) std::this_thread::yield();
  }
  cuda::check(status, "a step");
}

void GpuExecutor::waitForStream(cudaStream_t stream, HaloTransport& transport,
                                const Worker& worker) const {
  waitFor([=] { return cudaStreamQuery(stream); }, transport, worker);
}

/// Exchanges the halos of a round between ranks, if the transport does so on the host.
/// @pre the worker's device has sent its halos; a barrier follows
/// @param step number of the failure; larger than before the last barrier
/// @return false after a failure
bool GpuExecutor::exchangeOnHost(HaloTransport& transport, std::size_t round, std::int64_t step,
                                 const Worker& worker, FirstFailure& failure) const {
  worker.barrier();
  if (failure.hasFailedBy(step)) return false;
  if (!transport.exchangesOnHost()) return true;
  if (worker.isCaller()) runGuarded(failure, worker, step + 1, [&] { transport.exchange(round); });
  worker.barrier();
  return !failure.hasFailedBy(step + 1);
}

/// Returns the batches of the devices of this rank.
DeviceBatches GpuExecutor::batchesOf(const PlaceFields& fields, const Kernel& kernel,
                                     const StepBatch& batch, bool directStores) const {
  DeviceBatches batches;
  for (const int device : devices_->local())
    batches.emplace_back(fields, kernel, batch, device, resources_, directStores,
                         failed_.address());
  return batches;
}

/// Returns the recorded exception, an error for a timeout inside a kernel, or null.
std::exception_ptr GpuExecutor::failureOf(const FirstFailure& failure) const {
  if (failure.exception()) return failure.exception();
  if (!failed_.raised()) return nullptr;
  return std::make_exception_ptr(
      DeviceError("timeout: a GPU did not finish a step within a minute, and the other GPUs have "
                  "stopped waiting for it"));
}

/// Runs a batch with the halo mode `mode`.
BatchResult GpuExecutor::runBy(HaloMode mode, const PlaceFields& fields, const Kernel& kernel,
                               const StepBatch& batch) {
  const bool directStores = mode == HaloMode::store;
  DeviceBatches batches = batchesOf(fields, kernel, batch, directStores);
  failed_.clear();
  if (!batch.stale.empty()) refresh(fields, batch.stale);
  FirstFailure failure;
  HaloTransport* const transport =
      directStores ? nullptr : &preparedTransport(mode, fields, kernel);
  LaunchShape shape;
  // Kernels of GPUs that exchange halos may wait for each other, which is no compute time.
  const bool kernelsWait = batch.exchanges && !kernel.written.empty() && devices_->size() > 1;
  std::vector<std::uint64_t> overflowedWords(batches.size()), lost(batches.size());
  devices_->run([&](const Worker& worker) {
    DeviceBatch& deviceBatch = batchOf(batches, worker);
    runGuarded(failure, worker, beforeSteps, [&] {
      deviceBatch.prepare();
      deviceBatch.resources().device().synchronize();
      if (worker.isCaller()) shape = tuner_.shapeFor(kernel, batches, batch.streamsInPlace);
    });
    worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    std::int64_t measuredSteps = 0;
    if (kernelsWait && batch.times != nullptr) {
      if (kernel.isScatter() || batch.streamsInPlace) {
        measuredSteps = measureInPlace(kernel, deviceBatch, batch, shape, worker, failure);
        if (failure.hasFailedBy(measuredSteps - 1)) return;
      } else {
        runGuarded(failure, worker, 0,
                   [&] { measureReplay(kernel, deviceBatch, batch, shape, worker); });
      }
    }
    if (transport != nullptr) {
      runOverlapped({batches, *transport}, *transport, batch, shape, worker, failure);
      return;
    }
    WorkTimer timer(kernelsWait ? nullptr : batch.times, worker);
    timer.start();
    runGuarded(failure, worker, measuredSteps, [&] {
      if (kernel.written.empty()) {
        readResults(kernel, deviceBatch);
      } else {
        queueDirectStoreSteps(deviceBatch, batch.steps - measuredSteps, shape);
        deviceBatch.resources().device().synchronize();
      }
      if (kernel.isScatter()) {
        const GpuResources& resources = deviceBatch.resources();
        const auto number = static_cast<std::size_t>(worker.device() - devices_->firstLocal());
        overflowedWords[number] = resources.read(resources.overflowedWords());
        lost[number] = resources.read(resources.lost());
      }
    });
    timer.stop();
  });
  const std::exception_ptr exception = failureOf(failure);
  const std::int64_t steps = exception ? 0 : batch.steps;
  return {.steps = steps,
          .swapped = swappedAfter(steps, batch),
          .ghostsFresh = batch.exchanges && !kernel.isScatter(),
          .overflowedWords = std::reduce(overflowedWords.begin(), overflowedWords.end()),
          .lost = std::reduce(lost.begin(), lost.end()),
          .failure = exception};
}

/// Runs a scatter rule step by step: after each, the host delivers the elements for other ranks.
BatchResult GpuExecutor::scatterOnRanks(const PlaceFields& fields, const Kernel& kernel,
                                        const StepBatch& batch) {
  DeviceBatches batches = batchesOf(fields, kernel, batch, true);
  failed_.clear();
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
  HaloTransport& transport = transports_.refreshTransport();
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    const DeviceBatch& deviceBatch = batchOf(batches, worker);
    cudaStream_t stream = deviceBatch.resources().stream();
    WorkTimer timer(batch.times, worker);
    runGuarded(failure, worker, beforeSteps, [&] { batchOf(batches, worker).prepare(); });
    worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    for (std::int64_t step = 0; step < batch.steps; ++step) {
      timer.start();
      runGuarded(failure, worker, 2 * step, [&] {
        deviceBatch.queue(step, {0, deviceBatch.layout().rows}, {}, stream);
        waitForStream(stream, transport, worker);
      });
      timer.stop();
      worker.barrier();
      if (failure.hasFailedBy(2 * step)) return;
      if (worker.isCaller()) runGuarded(failure, worker, 2 * step + 1, [&] { deliver(step); });
      worker.barrier();
      if (failure.hasFailedBy(2 * step + 1)) return;
    }
  });
  if (const std::exception_ptr exception = failureOf(failure))
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
  HaloTransport& transport = transports_.refreshTransport();
  transport.prepare({haloMessages(fields, ghostFields(fields, components, 0))});
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    cudaStream_t stream = resources_[static_cast<std::size_t>(worker.device())]->stream();
    runGuarded(failure, worker, beforeSteps, [&] {
      transport.send(worker, 0, stream);
      waitForStream(stream, transport, worker);
    });
    if (!exchangeOnHost(transport, 0, beforeSteps, worker, failure)) return;
    runGuarded(failure, worker, beforeSteps + 2, [&] {
      transport.receive(worker, 0, stream);
      waitForStream(stream, transport, worker);
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

void GpuExecutor::restoreLayout(const PlaceFields& fields) {
  Kernel kernel;
  kernel.gpu = fields.aaKernel->gpuRestoreLayout;
  const StepBatch batch{.streamsInPlace = true};
  DeviceBatches batches = batchesOf(fields, kernel, batch, true);
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    DeviceBatch& deviceBatch = batchOf(batches, worker);
    runGuarded(failure, worker, beforeSteps, [&] {
      deviceBatch.prepare();
      const GpuResources& resources = deviceBatch.resources();
      deviceBatch.queue(0, {0, deviceBatch.layout().rows}, {}, resources.stream());
      resources.device().synchronize();
    });
  });
  if (failure.exception()) std::rethrow_exception(failure.exception());
}

/// Adds the compute time of a batch whose kernels wait for other devices: the time of a step that
/// is replayed without waiting, times the number of steps. Measures once between two resets.
void GpuExecutor::measureReplay(const Kernel& kernel, const DeviceBatch& deviceBatch,
                                const StepBatch& batch, const LaunchShape& shape,
                                const Worker& worker) const {
  const double seconds = batch.times->stepSeconds(worker.device(), kernel.gpu, [&] {
    constexpr int runs = 2;
    deviceBatch.millisecondsAlone(shape, 1);  // loads the code
    return deviceBatch.millisecondsAlone(shape, runs) / 1000;
  });
  batch.times->add(worker, seconds * static_cast<double>(batch.steps));
}

/// Adds the compute time of a batch of a scatter or AA rule, whose steps cannot be replayed. Runs
/// the first steps with a barrier after each, so that no kernel waits long, and takes the fastest
/// as the time of a step. Measures once between two resets.
/// @return number of steps of the batch that were run
std::int64_t GpuExecutor::measureInPlace(const Kernel& kernel, const DeviceBatch& deviceBatch,
                                         const StepBatch& batch, const LaunchShape& shape,
                                         const Worker& worker, FirstFailure& failure) const {
  const int device = worker.device();
  const std::int64_t steps = batch.times->hasStepSeconds(device, kernel.gpu)
                                 ? 0
                                 : std::min(batch.steps, measuredStepsPerInterval);
  double seconds = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    runGuarded(failure, worker, step, [&] {
      const double now = deviceBatch.millisecondsOf(step, shape) / 1000;
      seconds = step == 0 ? now : std::min(seconds, now);
    });
    worker.barrier();
    if (failure.hasFailedBy(step)) return step + 1;
  }
  if (steps > 0) runGuarded(failure, worker, steps, [&] { deviceBatch.countSteps(steps); });
  seconds = batch.times->stepSeconds(device, kernel.gpu, [&] { return seconds; });
  batch.times->add(worker, seconds * static_cast<double>(batch.steps));
  return steps;
}

/// Returns the transport of `mode`, prepared for the components that the rule writes.
HaloTransport& GpuExecutor::preparedTransport(HaloMode mode, const PlaceFields& fields,
                                              const Kernel& kernel) {
  HaloTransport& transport = transports_.transport(mode);
  // Step s sends from the buffer that step s + 1 reads.
  transport.prepare({haloMessages(fields, ghostFields(fields, kernel.written, 1)),
                     haloMessages(fields, ghostFields(fields, kernel.written, 0))});
  return transport;
}

/// Runs the steps of a batch on one device, with a halo exchange that overlaps with the interior.
void GpuExecutor::runOverlapped(const OverlappedSteps& steps, HaloTransport& transport,
                                const StepBatch& batch, const LaunchShape& shape,
                                const Worker& worker, FirstFailure& failure) const {
  const int device = worker.device();
  const GpuResources& resources = *resources_[static_cast<std::size_t>(device)];
  // Numbers of failures: each step has two barriers, and a third one follows the last step.
  const auto numberOf = [](std::int64_t step) { return 2 * step; };
  const std::int64_t last = numberOf(batch.steps) + 2;
  for (std::int64_t step = 0; step < batch.steps; ++step) {
    runGuarded(failure, worker, numberOf(step), [&] {
      if (step % stepsBetweenMarks == 0) {
        if (step > 0) waitFor([&] { return cudaEventQuery(resources.mark()); }, transport, worker);
        MASS_CUDA_CALL(cudaEventRecord(resources.mark(), resources.borderStream()));
      }
      steps.queue(step, shape, worker);
      if (transport.exchangesOnHost())
        waitFor([&] { return cudaEventQuery(resources.ghostsSent(step)); }, transport, worker);
    });
    // Events are recorded before others wait for them.
    const auto round = static_cast<std::size_t>(step % 2);
    if (!exchangeOnHost(transport, round, numberOf(step), worker, failure)) break;
  }
  runGuarded(failure, worker, last, [&] {
    if (!failure.hasFailedBy(last)) steps.queueEnd(batch.steps, worker);
    waitForStream(resources.borderStream(), transport, worker);
  });
  if (failed_.raised()) transport.abort(device);
}

/// Runs a reading rule and copies its results to the host, piece by piece.
void GpuExecutor::readResults(const Kernel& kernel, const DeviceBatch& batch) const {
  CudaDevice& device = batch.resources().device();
  const std::int64_t rows = batch.layout().rows;
  const auto most = static_cast<std::int64_t>(
      std::max<std::size_t>(resultPieceBytes / kernel.resultBytesPerRow, 1));
  const Buffer results(device,
                       static_cast<std::size_t>(std::min(most, rows)) * kernel.resultBytesPerRow);
  for (std::int64_t row = 0; row < rows; row += most) {
    const RowRange piece{row, std::min(rows, row + most)};
    batch.queueReading(piece, results.data());
    const auto bytes = static_cast<std::size_t>(piece.size()) * kernel.resultBytesPerRow;
    device.read(results.data(), 1, contiguous(0, static_cast<std::int64_t>(bytes)),
                static_cast<char*>(batch.results()) +
                    static_cast<std::size_t>(row) * kernel.resultBytesPerRow);
  }
}

}  // namespace

std::unique_ptr<Executor> makeGpuExecutor(const DeviceConfig& devices, const GpuOptions& options) {
  return std::make_unique<GpuExecutor>(devices, options);
}

}  // namespace mass::detail

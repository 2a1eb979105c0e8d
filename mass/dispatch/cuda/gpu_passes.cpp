#include <mass/dispatch/cuda/gpu_passes.hpp>

#include <mass/dispatch/bits/batch_table.hpp>
#include <mass/dispatch/cuda/carried_steps.hpp>
#include <mass/dispatch/cuda/queued_steps.hpp>
#include <mass/dispatch/cuda/step_times.hpp>
#include <mass/dispatch/device_group.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace mass::detail {
namespace {

/// Updates of places that take longer than the search for the table of a rule of bools.
constexpr double leastUpdatesForTable = 1 << 26;

/// Least places along the axes of a world in which places march, since their numbers wrap around
/// once.
constexpr std::int64_t leastOfPlane = 32, leastOfVolume = 16;

/// True if marches may go through the band of a device.
bool suits(const Layout& layout, bool isVolume) {
  constexpr std::int64_t mostPlaces = (std::int64_t{1} << 31) - 1;
  const int width = isVolume ? volumeMarchWidth : marchWidth;
  const bool isLarge = isVolume ? std::min(layout.lines, layout.columns) >= leastOfVolume
                                : layout.columns >= leastOfPlane;
  return isLarge && layout.columns % width == 0 && layout.origin % width == 0 &&
         layout.rowStride % width == 0 && layout.pitch % width == 0 && layout.size <= mostPlaces;
}

}  // namespace

/// Returns the largest number of turns for which each device has ghost rows, and its neighbours
/// have these rows. @param stages rules of a turn that read neighbours
std::int64_t GpuPasses::mostTurns(const PlaceFields& fields, int stages) const {
  if (areOnOneDevice(fields)) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t smallest = std::ranges::min(fields.partition().bands());
  const std::int64_t rows = std::min(fields.layout(0).ghostRows, smallest);
  const std::int64_t turns = rows / (std::max(fields.domain().reach, 1) * stages);
  return stepsPerExchange_ > 0 ? std::min<std::int64_t>(turns, stepsPerExchange_) : turns;
}

/// Returns the halo mode of marches: the first one that is available. Those in space do not store
/// into halos.
std::optional<HaloMode> GpuPasses::modeOf(const PlaceFields& fields) const {
  for (const HaloMode mode : halos_->transports().choices())
    if (fields.domain().dimensions < 3 || mode != HaloMode::store) return mode;
  return std::nullopt;
}

bool GpuPasses::suit(const PlaceFields& fields, const Kernel& kernel,
                     const StepBatch& batch) const {
  const bool isVolume = fields.domain().dimensions == 3;
  const std::int64_t leastRows = isVolume ? leastOfVolume : leastOfPlane;
  constexpr std::int64_t mostRows = std::int64_t{1} << 30;
  const std::int64_t rows = fields.domain().shape[0];
  const bool isAlone = areOnOneDevice(fields);
  // Ranks of processors make single steps; kernels of several GPUs wait, which is no compute time.
  if (!isAlone && (devices_->areMixed() || batch.times != nullptr)) return false;
  if (!isAlone && !modeOf(fields)) return false;
  if (kernel.gpu->launchMarch == nullptr || stepsPerPass_ == 1 || !kernel.neighborSteps.empty() ||
      (kernel.readsPopulations && !isAlone) || kernel.runsOnce || fields.areBlocks() ||
      rows < leastRows || rows > mostRows)
    return false;
  if (mostTurns(fields, kernel.gpu->stagesOfTurn) < kernel.gpu->marchTurns[0]) return false;
  for (int device = 0; device < devices_->size(); ++device)
    if (!suits(fields.layout(device), isVolume)) return false;
  return true;
}

/// Returns the arguments of a march on bits; nothing if the rule is none that counts living
/// neighbours, or its march is too short.
std::optional<BitMarchArguments> GpuPasses::bitMarchOf(const PlaceFields& fields,
                                                       const Kernel& kernel,
                                                       const StepBatch& batch) const {
  const bool isAuto = stepsPerPass_ == 0;
  if (!isAuto && stepsPerPass_ < bitMarchSteps[0]) return std::nullopt;
  if (mostTurns(fields, 1) < bitMarchSteps[0]) return std::nullopt;
  if (!mayMarchOnBits(fields.layout(0))) return std::nullopt;
  return argumentsOf(fields, kernel, batch, isAuto ? leastUpdatesForTable : 0);
}

/// Returns the arguments of a march on bits; nothing if the rule is none that counts living
/// neighbours. @param leastUpdates updates of places from which the search is worth its time
std::optional<BitMarchArguments> GpuPasses::argumentsOf(const PlaceFields& fields,
                                                        const Kernel& kernel,
                                                        const StepBatch& batch,
                                                        double leastUpdates) const {
  const auto table = tableOfBatch(fields, kernel, batch, leastUpdates);
  const auto counts = table ? table->counts() : std::nullopt;
  if (!counts) return std::nullopt;
  return BitMarchArguments{*counts, fields.component(0).outside.front() != 0};
}

bool GpuPasses::suitBits(const PlaceFields& fields, const Kernel& kernel,
                         const StepBatch& batch) const {
  constexpr std::int64_t mostRows = std::int64_t{1} << 30;
  const std::int64_t rows = fields.domain().shape[0], columns = fields.domain().shape[1];
  return kernel.gpu != nullptr && (batch.times == nullptr || areOnOneDevice(fields)) &&
         rows >= leastOfPlane && rows <= mostRows && columns >= leastOfPlane &&
         mayMarchOnStoredBits(fields.layout(0)) && argumentsOf(fields, kernel, batch, 0);
}

BatchResult GpuPasses::runOnBits(const PlaceFields& fields, const Kernel& kernel,
                                 const StepBatch& batch) {
  const auto arguments = argumentsOf(fields, kernel, batch, 0);
  const GpuKernel onBits = withMarchOnBits(*kernel.gpu, true);
  Kernel marching = kernel;
  marching.gpu = &onBits;
  marching.arguments = &*arguments;
  PassTuner& tuner = tunerOf(fields, kernel, marching);
  const PassPlan plan = tuner.next(batch.steps);
  int steps = 1;
  for (const int compiled : storedBitSteps)
    if (compiled <= plan.stepsPerPass) steps = compiled;
  StepBatch part = batch;
  part.steps = plan.steps / steps * steps;
  const auto start = std::chrono::steady_clock::now();
  BatchResult result = march(fields, marching, part, steps);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (result.steps > 0) tuner.record(plan, result.steps, slowestOf(fields, time.count()));
  return result;
}

BatchResult GpuPasses::run(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                           const SingleSteps& singleSteps) {
  const auto bits = bitMarchOf(fields, kernel, batch);
  if (!bits) return runBy(fields, kernel, kernel, batch, singleSteps);
  const GpuKernel onBits = withMarchOnBits(*kernel.gpu, false);
  Kernel marching = kernel;
  marching.gpu = &onBits;
  marching.arguments = &*bits;
  return runBy(fields, kernel, marching, batch, singleSteps);
}

/// Returns the key of the number of steps in the cache file.
std::string GpuPasses::cacheKey(const PlaceFields& fields, const Kernel& kernel,
                                const Kernel& marching) const {
  constexpr int version = 2;  // version of the kernels and of the measurement
  const int device = devices_->firstLocal();
  const std::string name = (*resources_)[static_cast<std::size_t>(device)]->device().name();
  const Layout& layout = fields.layout(device);
  return fmt::format("steps {}|{}|{}|{}x{}x{}|{} GPUs, {} of {} and {}", version, name,
                     kernel.gpu->name, layout.rows, layout.lines, layout.columns, devices_->size(),
                     mostTurns(fields, marching.gpu->stagesOfTurn), marching.gpu->marchTurns[0],
                     marching.gpu->marchTurns[1]);
}

PassTuner& GpuPasses::tunerOf(const PlaceFields& fields, const Kernel& kernel,
                              const Kernel& marching) {
  const std::int64_t most = mostTurns(fields, marching.gpu->stagesOfTurn);
  const TunerKey key{marching.gpu->launchMarch, kernel.gpu, fields.domain().shape, most};
  if (const auto known = tuners_.find(key); known != tuners_.end()) return known->second;
  const bool isAuto = stepsPerPass_ == 0;
  std::vector<int> candidates;
  if (isAuto) candidates.push_back(1);
  for (const int turns : marching.gpu->marchTurns)
    if (turns <= most && (isAuto || turns <= stepsPerPass_) &&
        std::ranges::count(candidates, turns) == 0)
      candidates.push_back(turns);
  if (!isAuto) candidates = {candidates.empty() ? 1 : candidates.back()};
  if (!isAuto && fields.areBits())
    candidates = {static_cast<int>(std::min<std::int64_t>(stepsPerPass_, most))};
  if (usesCache()) {
    const auto cached = cache_.findSteps(cacheKey(fields, kernel, marching));
    // An entry of another version of the library may not be among the candidates.
    if (cached && std::ranges::count(candidates, *cached) > 0) candidates = {*cached};
  }
  return tuners_.try_emplace(key, std::move(candidates), passesForGraphs(fields.layout(0)))
      .first->second;
}

/// @param marching kernel of passes of several steps; `kernel`, or one with the same results
BatchResult GpuPasses::runBy(const PlaceFields& fields, const Kernel& kernel,
                             const Kernel& marching, const StepBatch& batch,
                             const SingleSteps& singleSteps) {
  PassTuner& tuner = tunerOf(fields, kernel, marching);
  const std::int64_t rules = marching.gpu->rulesOfTurn;
  const PassPlan plan = tuner.next(batch.steps / rules);
  StepBatch part = batch;
  const auto start = std::chrono::steady_clock::now();
  BatchResult result;
  const bool isMarch = std::ranges::count(marching.gpu->marchTurns, plan.stepsPerPass) > 0;
  if (isMarch) {
    part.steps = plan.steps / plan.stepsPerPass * plan.stepsPerPass * rules;
    result = march(fields, marching, part, plan.stepsPerPass);
  } else {
    part.steps = plan.steps * rules;
    result = singleSteps(part);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (result.steps > 0) tuner.record(plan, result.steps / rules, slowestOf(fields, time.count()));
  if (isMarch && !areOnOneDevice(fields))
    halos_->count(kernel.gpu, plan.stepsPerPass, result.steps, time.count());
  return result;
}

/// Runs a batch of whole passes.
BatchResult GpuPasses::march(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch, int turnsPerPass) const {
  const bool isAlone = areOnOneDevice(fields);
  const std::int64_t passes = batch.steps / (turnsPerPass * kernel.gpu->rulesOfTurn);
  const HaloMode mode = isAlone ? HaloMode::store : modeOf(fields).value();
  const BatchHalos halos =
      BatchHalos::ofPass(fields, turnsPerPass * kernel.gpu->stagesOfTurn, mode == HaloMode::store);
  std::vector<DeviceBatch> batches =
      batchesOf(fields, kernel, batch, *resources_, halos, guard_->failedFlag());
  guard_->clear();
  if (isAlone && !batch.stale.empty()) {
    halos_->refresh(fields, fields.ghostPlan(), batch.stale);
  } else if (const auto stale = fields.staleComponents(halos.depth); !isAlone && !stale.empty()) {
    halos_->refresh(fields, ghostCopies(fields, halos.depth), stale);
  }
  HaloTransport* const transport =
      halos.areStored ? nullptr : &halos_->prepared(mode, fields, halos.copies, kernel.written);
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    DeviceBatch& own = batchOf(batches, worker.device());
    WorkTimer timer(batch.times, worker);
    timer.start();
    guard_->run(failure, worker, beforeSteps, [&] {
      own.prepare();
      own.resources().device().synchronize();
    });
    if (!isAlone) worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    if (transport != nullptr) {
      const CarriedMarches marches(batches, *transport, turnsPerPass);
      runCarried(marches, passes, worker, *guard_, failure);
      return;
    }
    guard_->run(failure, worker, 0, [&] {
      queueMarches(own, passes, turnsPerPass);
      own.resources().device().synchronize();
    });
    timer.stop();
  });
  const std::exception_ptr exception = guard_->exceptionOf(failure);
  return {.steps = exception ? 0 : batch.steps,
          .swapped = swappedAfter(exception ? 0 : passes, batch),
          .paddingFresh = false,
          .freshRows = isAlone ? 0 : halos.depth,
          .failure = exception};
}

}  // namespace mass::detail

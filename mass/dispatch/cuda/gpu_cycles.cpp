#include <mass/dispatch/cuda/gpu_cycles.hpp>

#include <mass/dispatch/cycles.hpp>
#include <mass/dispatch/device_group.hpp>
#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace mass::detail {
namespace {

/// Returns the ghosts along an axis that the steps of a cycle after step `step` read.
std::int64_t marginAfter(const PlaceFields& fields, Turn turn, std::int64_t step,
                         std::int64_t steps) {
  std::int64_t reading = 0;
  for (std::int64_t later = step + 1; later < steps; ++later)
    reading += turn[static_cast<std::size_t>(later) % turn.size()].readsNeighbors ? 1 : 0;
  return reading * fields.domain().reach;
}

/// Returns the places that each device computes in each step of a cycle.
std::vector<std::vector<std::vector<PlaceBox>>> boxesOf(const PlaceFields& fields, Turn turn,
                                                        std::int64_t steps) {
  std::vector<std::vector<std::vector<PlaceBox>>> boxes;
  for (std::int64_t step = 0; step < steps; ++step) {
    auto& ofStep = boxes.emplace_back();
    for (int device = 0; device < fields.devices().size(); ++device)
      ofStep.push_back(placesAround(fields.blocks(), device, marginAfter(fields, turn, step, steps),
                                    fields.domain().borders));
  }
  return boxes;
}

/// Returns components with their front buffers.
std::vector<GhostField> ghostsOf(const std::vector<int>& components,
                                 const std::vector<int>& fronts) {
  std::vector<GhostField> ghosts;
  for (const int component : components)
    ghosts.push_back({component, fronts[static_cast<std::size_t>(component)]});
  return ghosts;
}

/// Returns the rounds of the transport, see CarriedCycles.
/// @param copies copies to all ghosts @param ownCopies to ghosts beyond borders
/// @param isKept true if ghosts may be in use when messages of other devices arrive
std::vector<std::vector<HaloMessage>> roundsOf(const PlaceFields& fields, Turn turn,
                                               const TurnBuffers& buffers, std::int64_t turns,
                                               const std::vector<GhostCopy>& copies,
                                               const std::vector<GhostCopy>& ownCopies,
                                               bool isKept) {
  std::vector<std::vector<HaloMessage>> rounds;
  const std::size_t rules = turn.size();
  for (std::size_t step = 0; step < 2 * rules; ++step) {
    const std::vector<int>& fronts = buffers.frontsBefore(step + 1);
    rounds.push_back(haloMessages(fields, ownCopies, ghostsOf(turn[step % rules].written, fronts)));
  }
  const std::vector<int> written = writtenBy(turn);
  for (const std::int64_t done : {turns, 2 * turns}) {
    const std::vector<int>& fronts = buffers.frontsBefore(done % 2 == 1 ? rules : 0);
    auto& round = rounds.emplace_back(haloMessages(fields, copies, ghostsOf(written, fronts)));
    for (HaloMessage& message : round)
      message.isKept = isKept && message.fromDevice != message.toDevice;
  }
  return rounds;
}

}  // namespace

std::int64_t GpuCycles::mostTurns(const PlaceFields& fields, Turn turn, bool areMeasured) const {
  const auto runsHere = [](const Kernel& kernel) {
    return kernel.gpu != nullptr && !kernel.readsPopulations;
  };
  const auto isStore = [](HaloMode mode) { return mode == HaloMode::store; };
  // Kernels that store into halos exchange after each step.
  if (std::ranges::all_of(halos_->modesFor(fields), isStore)) return 0;
  // Kernels of GPUs that exchange wait, which is no compute time.
  if (areOnOneDevice(fields) || devices_->areMixed() || areMeasured || fields.areBits() ||
      !mayComputeGhosts(fields, turn) || !std::ranges::all_of(turn, runsHere))
    return 0;
  return mostTurnsOfCycle(fields, turn);
}

/// Returns the launch shapes of the rules.
std::vector<LaunchShape> GpuCycles::shapesOf(const PlaceFields& fields, Turn turn,
                                             const StepBatch& batch) {
  std::vector<LaunchShape> shapes(turn.size());
  FirstFailure failure;
  for (std::size_t rule = 0; rule < turn.size(); ++rule) {
    const Kernel& kernel = turn[rule];
    StepBatch alone = batch;
    std::erase_if(alone.doubleBuffered, [&](int component) {
      return !kernel.isDoubleBuffered() || std::ranges::count(kernel.written, component) == 0;
    });
    std::vector<DeviceBatch> batches =
        batchesOf(fields, kernel, alone, *resources_, BatchHalos::ofStep(fields, false),
                  guard_->failedFlag());
    devices_->run([&](const Worker& worker) {
      DeviceBatch& own = batchOf(batches, worker.device());
      guard_->run(failure, worker, beforeSteps, [&] {
        own.prepare();
        own.resources().device().synchronize();
        if (worker.isCaller()) shapes[rule] = tuner_->shapeFor(kernel, batches);
      });
    });
    if (failure.exception()) std::rethrow_exception(failure.exception());
    // Lines of a box may begin within a pack of columns.
    LaunchShape& shape = shapes[rule];
    if (fields.blocks().exchangedAxes() == 3) shape = {1, 1, shape.columns, shape.groups};
  }
  return shapes;
}

/// Returns the steps of a cycle.
CyclePlan GpuCycles::planOf(const PlaceFields& fields, Turn turn, const StepBatch& batch,
                            const BatchHalos& halos, const TurnBuffers& buffers,
                            std::int64_t turns) {
  CyclePlan plan;
  plan.shapes = shapesOf(fields, turn, batch);
  plan.batches.resize(turn.size());
  for (std::size_t rule = 0; rule < turn.size(); ++rule)
    for (const int device : devices_->local())
      plan.batches[rule].emplace_back(fields, turn[rule], batch, device, *resources_, halos,
                                      guard_->failedFlag(),
                                      DeviceBatch::InTurn{rule, turn.size(), buffers.of(rule)});
  plan.boxes = boxesOf(fields, turn, turns * std::ssize(turn));
  return plan;
}

BatchResult GpuCycles::run(HaloMode mode, const PlaceFields& fields, Turn turn,
                           const StepBatch& batch, std::int64_t turns) {
  const std::int64_t rules = std::ssize(turn);
  turns = std::min(turns, batch.steps / rules);
  const std::int64_t cycles = batch.steps / (turns * rules);
  guard_->clear();
  const TurnBuffers buffers(turn, frontsOf(fields), batch.doubleBuffered);
  const std::int64_t depth = turns * reachOf(fields, turn);
  const BatchHalos halos{ghostCopies(fields, depth), depth, false};
  const auto ownCopies =
      planOwnGhosts(fields.blocks(), fields.domain().reach, depth, fields.domain().borders);
  CyclePlan plan = planOf(fields, turn, batch, halos, buffers, turns);
  plan.refreshesBorders = !ownCopies.empty();
  if (const auto stale = fields.staleComponents(depth); !stale.empty())
    halos_->refresh(fields, halos.copies, stale);
  HaloTransport& transport = halos_->transports().transport(mode);
  transport.prepare(
      roundsOf(fields, turn, buffers, turns, halos.copies, ownCopies, mode == HaloMode::copy));
  FirstFailure failure;
  devices_->run([&](const Worker& worker) {
    guard_->run(failure, worker, beforeSteps, [&] {
      for (auto& ofRule : plan.batches) batchOf(ofRule, worker.device()).prepare();
      batchOf(plan.batches.front(), worker.device()).resources().device().synchronize();
    });
    worker.barrier();
    if (failure.hasFailedBy(beforeSteps)) return;
    runCarried(CarriedCycles(plan, transport), cycles, worker, *guard_, failure);
  });
  const std::exception_ptr exception = guard_->exceptionOf(failure);
  const std::int64_t done = exception ? 0 : cycles * turns;
  const std::size_t afterwards = done % 2 == 1 ? turn.size() : 0;
  return {.steps = done * rules,
          .swapped = differences(frontsOf(fields), buffers.frontsBefore(afterwards)),
          .ghostsFresh = true,
          .freshRows = depth,
          .failure = exception};
}

}  // namespace mass::detail

#include <mass/dispatch/cpu_batch.hpp>

#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace mass::detail {

using Clock = std::chrono::steady_clock;

/// End of a part of a batch: a step, or an earlier one if the time is over. All workers leave the
/// loop of cycles before the same step.
class PartEnd {
 public:
  /// @param step end of the part
  PartEnd(std::int64_t step, const ThreadPlan& plan)
      : step_(step),
        planned_(step),
        isTimed_(plan.threads > 1 && std::isfinite(plan.seconds)),
        deadline_(isTimed_ ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                std::chrono::duration<double>(plan.seconds))
                           : Clock::time_point::max()) {}

  /// True if the part ends before `step`. @pre a barrier since the last check()
  bool isBefore(std::int64_t step) const { return step >= step_.load(std::memory_order_relaxed); }
  /// Ends the part at step `next` if the time is over. Called by each worker before the barrier of
  /// pass `pass`, the last one before that step. One of them reads the clock, at every fourth pass:
  /// a read takes some hundredths of a short step.
  void check(const Worker& worker, std::int64_t pass, std::int64_t next) {
    if (!isTimed_ || pass % 4 != 3 || !worker.isCaller()) return;
    // Workers that have not yet left the last barrier compare a smaller step, so they go on.
    if (Clock::now() > deadline_ && next < step_) step_.store(next);
  }
  /// Returns the end.
  std::int64_t step() const { return step_; }
  /// Returns the end if the time suffices.
  std::int64_t planned() const { return planned_; }

 private:
  std::atomic<std::int64_t> step_;
  std::int64_t planned_;
  bool isTimed_;
  Clock::time_point deadline_;
};

namespace {

/// Half-open range of work units of a band.
using Units = std::pair<std::int64_t, std::int64_t>;

/// Share of a worker in the work units of a band.
struct WorkShare {
  Units all, low, interior, high;  ///< all units; those of the first rows, the last rows, between

  WorkShare(const Worker& worker, const Layout& layout) : all(worker.share(units(layout))) {
    const std::int64_t depth = std::min(layout.depth, layout.rows) * layout.lines;
    const auto within = [&](std::int64_t begin, std::int64_t end) {
      return Units{std::clamp(begin, all.first, all.second),
                   std::clamp(end, all.first, all.second)};
    };
    const std::int64_t last = std::max(depth, units(layout) - depth);
    low = within(0, depth);
    interior = within(depth, last);
    high = within(last, units(layout));
  }
};

/// Calls `work()` and records an exception as a failure at `step`.
template <class Work>
void guarded(FirstFailure& failure, std::int64_t step, const Worker& worker, const Work& work) {
  try {
    work();
  } catch (...) {
    failure.record(step, worker);
  }
}

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the copies of ghost rows between devices of one rank.
std::vector<GhostCopy> copiesWithinRanks(const PlaceFields& fields) {
  std::vector<GhostCopy> copies = fields.ghostPlan();
  const DeviceConfig& devices = fields.devices();
  std::erase_if(copies, [&](const GhostCopy& copy) {
    return devices.rankOf(copy.fromDevice) != devices.rankOf(copy.toDevice);
  });
  return copies;
}

/// Returns the copies before a cycle: `depth` ghost rows from other ranks, and those that a step
/// reads within ranks.
std::vector<GhostCopy> copiesBeforeCycle(const PlaceFields& fields, std::int64_t depth) {
  std::vector<GhostCopy> copies = copiesWithinRanks(fields);
  const DeviceConfig& devices = fields.devices();
  const auto deep =
      planGhosts(fields.partition(), static_cast<int>(depth), fields.domain().borders[0]);
  std::ranges::copy_if(deep, std::back_inserter(copies), [&](const GhostCopy& copy) {
    return devices.rankOf(copy.fromDevice) != devices.rankOf(copy.toDevice);
  });
  return copies;
}

}  // namespace

CpuBatch::CpuBatch(const PlaceFields& fields, Turn turn, const BitRule* bitRule,
                   const StepBatch& batch, HaloTransport& transport,
                   std::vector<std::vector<char>>& passMemory)
    : fields_(&fields),
      turn_(turn),
      turnReach_(reachOf(fields, turn)),
      bitRule_(bitRule),
      batch_(&batch),
      transport_(&transport),
      exchangesLater_(batch.exchanges && !turn.front().isScatter() &&
                      !batch.doubleBuffered.empty()),
      isAlone_(fields.devices().ranks().count() == 1),
      sendsEarly_(exchangesLater_ && !isAlone_),
      passMemory_(&passMemory) {
  failure_.emplace();
  // The workers of a device are at most one more than the threads divided by the devices.
  passMemory.resize(static_cast<std::size_t>(fields.devices().threads()) +
                    fields.devices().local().size());
  for (const Kernel& kernel : turn) {
    for (const int device : fields.devices().local()) {
      launchPairs_.emplace_back(fields, kernel, batch, device);
      for (Launch& launch : launchPairs_.back().launch) {
        launch.scatter.overflowedWords = &overflowedWords_;
        launch.scatter.lost = &lost_;
      }
    }
  }
  if (turn.front().isScatter() && !isAlone_) scatter_.emplace(fields, turn.front());
}

/// Prepares the rounds for cycles of a number of steps.
void CpuBatch::prepareTransport(int stepsPerExchange) {
  if (isAlone_) stepsPerExchange = static_cast<int>(turn_.size());
  if (stepsPerExchange == stepsPerExchange_) return;
  stepsPerExchange_ = stepsPerExchange;
  std::vector<std::vector<HaloMessage>> messages(rounds);
  const auto add = [&](std::size_t round, const std::vector<GhostCopy>& copies,
                       const std::vector<int>& components) {
    for (int parity = 0; parity < 2; ++parity) {
      auto ghosts = ghostFields(*fields_, components, parity);
      // Only the buffers of components that the rule writes swap.
      for (GhostField& ghost : ghosts)
        if (std::ranges::count(batch_->doubleBuffered, ghost.component) == 0)
          ghost.which = fields_->front(ghost.component);
      messages[round + static_cast<std::size_t>(parity)] = haloMessages(*fields_, copies, ghosts);
    }
  };
  if (exchangesLater_) add(stepRound, fields_->ghostPlan(), batch_->doubleBuffered);
  if (!isAlone_ && stepsPerExchange > 1) {
    const std::int64_t depth = cycleDepth();
    const std::vector<GhostCopy> copies = copiesBeforeCycle(*fields_, depth);
    std::vector<int> components = batch_->doubleBuffered;
    for (int component = 0; component < fields_->components(); ++component) {
      const bool isFresh = std::max(fields_->freshRows(component), otherDepth_) >= depth;
      const bool isWritten = std::ranges::count(batch_->doubleBuffered, component) > 0;
      if (!isFresh && !isWritten && !fields_->component(component).isMultiset)
        components.push_back(component);
    }
    add(innerRound, copiesWithinRanks(*fields_), batch_->doubleBuffered);
    add(cycleRound, copies, batch_->doubleBuffered);
    add(firstRound, copies, components);
  }
  messages[staleRound] =
      haloMessages(*fields_, fields_->ghostPlan(), ghostFields(*fields_, batch_->stale, 0));
  transport_->prepare(std::move(messages));
}

/// Returns the round before a cycle, if ghost rows must be refreshed.
std::optional<std::size_t> CpuBatch::roundBefore(const Position& at, int steps,
                                                 std::int64_t otherDepth) const {
  if (!(at.step == 0 ? batch_->exchanges : exchangesLater_)) return std::nullopt;
  if (!isAlone_ && steps > 1)
    return (otherDepth < cycleDepth() ? firstRound : cycleRound) + at.round();
  return at.step == 0 ? std::size_t{staleRound} : stepRound + at.round();
}

/// Refreshes ghost rows. @param isSent true if the rows of this rank were sent before
void CpuBatch::refresh(const Worker& worker, const Position& at, std::size_t round, bool isSent) {
  guarded(*failure_, at.step, worker, [&] {
    if (!isSent) transport_->send(worker, round, nullptr);
    transport_->receive(worker, round, nullptr);
  });
  worker.barrier();
}

/// Calls `work()` and measures its time.
template <class Work>
void CpuBatch::compute(const Worker& worker, const Position& at, const Work& work) {
  const bool isMeasured = !isAlone_ && worker.isCaller();
  const Clock::time_point start = isMeasured ? Clock::now() : Clock::time_point();
  WorkTimer timer(batch_->times, worker);
  timer.start();
  guarded(*failure_, at.step, worker, work);
  timer.stop();
  if (isMeasured) computeSeconds_ += secondsSince(start);
}

/// Runs the worker's share of a step.
void CpuBatch::runStep(const Worker& worker, const Position& at) {
  const bool isOdd = (at.step + (fields_->aaSwapped ? 1 : 0)) % 2 == 1;
  const Kernel& kernel = turn_.front();
  const KernelFunction function = !batch_->streamsInPlace ? kernel.function
                                  : isOdd                 ? kernel.aaKernel->odd
                                                          : kernel.aaKernel->even;
  const auto device = static_cast<std::size_t>(worker.device() - fields_->devices().firstLocal());
  const Launch launch = launchPairs_[device].at(at.step, at.swaps);
  const WorkShare share(worker, launch.layout);
  const auto run = [&](std::initializer_list<Units> parts) {
    compute(worker, at, [&] {
      for (const auto& [begin, finish] : parts) function(launch, begin, finish);
    });
  };
  if (!sendsEarlyAt(at)) return run({share.all});
  run({share.low, share.high});
  worker.barrier();
  guarded(*failure_, at.step, worker,
          [&] { transport_->send(worker, stepRound + 1 - at.round(), nullptr); });
  run({share.interior});
}

/// Runs several steps for the worker's share of the rows and of `margin` rows of other ranks.
void CpuBatch::runPass(const Worker& worker, WorkerPass& pass, const Position& at, int steps,
                       std::int64_t margin) {
  compute(worker, at, [&] { pass.run(rowsOf(worker, margin), launchesAt(at), steps); });
}

/// Returns the worker's share of the rows of its device. The first and the last device of this rank
/// also compute `margin` rows of other ranks.
RowRange CpuBatch::rowsOf(const Worker& worker, std::int64_t margin) const {
  const DeviceNumbers local = fields_->devices().local();
  RowRange rows = fields_->partition().range(worker.device());
  if (worker.device() == local.front()) rows.begin -= margin;
  if (worker.device() == local.back()) rows.end += margin;
  if (fields_->domain().borders[0] != Border::periodic) {
    rows.begin = std::max<std::int64_t>(rows.begin, 0);
    rows.end = std::min(rows.end, fields_->partition().rows());
  }
  const auto [begin, end] = worker.share(rows.size());
  return {rows.begin + begin, rows.begin + end};
}

std::vector<char>& CpuBatch::memoryOf(const Worker& worker) const {
  const DeviceConfig& devices = fields_->devices();
  const auto number = static_cast<std::size_t>(worker.device() - devices.firstLocal());
  return (*passMemory_)[number + static_cast<std::size_t>(worker.index()) * devices.local().size()];
}

std::vector<Launch> CpuBatch::launchesAt(const Position& at) const {
  std::vector<Launch> launches;
  for (const LaunchPair& pair : launchPairs_) launches.push_back(pair.at(at.step, at.swaps));
  return launches;
}

/// Delivers the elements that a scatter rule has sent to places of other ranks.
void CpuBatch::deliver(const Worker& worker, const Position& at) {
  if (!scatter_) return;
  worker.barrier();
  if (!worker.isCaller()) return;
  const int front = fields_->front(turn_.front().written.front());
  guarded(*failure_, at.step, worker,
          [&] { scatter_->deliver(launchesAt(at), at.round() == 0 ? 1 - front : front); });
}

/// Runs the passes of a cycle of `steps` steps. @return false after a failure
bool CpuBatch::runCycle(const Worker& worker, WorkerPass* pass, int stepsPerPass, int steps,
                        Position& at, PartEnd& end) {
  for (int left = steps; left > 0;) {
    const int made = std::min(stepsPerPass, left);
    if (left < steps) refresh(worker, at, innerRound + at.round());
    left -= made;
    if (steps == 1 && !(isAlone_ && pass != nullptr && pass->takesSingleSteps())) {
      runStep(worker, at);
    } else {
      const std::int64_t margin = isAlone_ ? 0 : depthOf(left);
      runPass(worker, *pass, at, made, margin);
    }
    deliver(worker, at);
    if (left == 0) end.check(worker, at.swaps, at.step + made);
    worker.barrier();
    if (failure_->hasFailedBy(at.step)) return false;
    at = {at.step + made, at.swaps + 1};
  }
  return true;
}

/// Returns the pass of a worker; nothing if kernels make single steps.
std::optional<WorkerPass> CpuBatch::passOf(const Worker& worker, const CycleSteps& cycle) const {
  if (bitRule_ != nullptr) return WorkerPass(BitPass(*fields_, *bitRule_, memoryOf(worker)));
  if (cycle.perExchange > 1) return WorkerPass(RowPass(*fields_, turn_, memoryOf(worker)));
  return std::nullopt;
}

void CpuBatch::runCycles(const Worker& worker, const CycleSteps& cycle, std::int64_t firstStep,
                         PartEnd& end) {
  const bool isMeasured = !isAlone_ && worker.isCaller();
  std::optional<WorkerPass> pass = passOf(worker, cycle);
  Position at{firstStep, swaps_};
  bool isSent = isSent_;
  std::int64_t otherDepth = otherDepth_;
  for (bool isGood = true; isGood && !end.isBefore(at.step);) {
    const Clock::time_point start = isMeasured ? Clock::now() : Clock::time_point();
    const auto steps =
        static_cast<int>(std::min<std::int64_t>(cycle.perExchange, end.planned() - at.step));
    if (const auto round = roundBefore(at, steps, otherDepth)) refresh(worker, at, *round, isSent);
    isSent = steps == 1 && sendsEarlyAt(at);
    if (!isAlone_ && steps > 1) otherDepth = std::max(otherDepth, cycleDepth());
    isGood = runCycle(worker, pass ? &*pass : nullptr, cycle.perPass, steps, at, end);
    if (!isMeasured) continue;
    const CycleTimes times{secondsSince(start), std::exchange(computeSeconds_, 0)};
    partTimes_.all += times.all;
    partTimes_.compute += times.compute;
    if (cycle.isTimed) cycleTimes_.push_back(times);
  }
  // All have read them before the last barrier.
  if (worker.isCaller()) {
    swaps_ = at.swaps;
    isSent_ = isSent;
    otherDepth_ = otherDepth;
  }
}

std::int64_t CpuBatch::runPart(const ThreadPlan& plan, const CycleSteps& cycle,
                               std::int64_t firstStep) {
  prepareTransport(cycle.perExchange);
  cycleTimes_.clear();
  partTimes_ = {};
  PartEnd end(firstStep + plan.steps, plan);
  // The next part may prepare other exchanges.
  lastStep_ = (cycle.isTimed ? end.planned() : batch_->steps) - 1;
  fields_->devices().run(plan.threads,
                         [&](const Worker& worker) { runCycles(worker, cycle, firstStep, end); });
  if (!failure_->hasFailedBy(end.step())) return end.step() - firstStep;
  if (cycle.perPass == static_cast<int>(turn_.size()) || !isAlone_) return 0;
  // A pass has failed. Its steps before the one that fails are made one by one.
  const std::int64_t first = failure_->step();
  failure_.emplace();
  const auto turn = static_cast<int>(turn_.size());
  const std::int64_t begin = first / turn * turn;
  return runPart({plan.threads, end.planned() - begin, plan.seconds}, {turn, turn}, begin);
}

BatchResult CpuBatch::result() {
  if (scatter_ && !failure_->exception()) {
    overflowedWords_ = fields_->devices().ranks().sum(overflowedWords_);
    lost_ = fields_->devices().ranks().sum(lost_);
  }
  return {.steps = std::min(batch_->steps, failure_->step()),
          .swapped = swappedAfter(swaps_, *batch_),
          .freshRows = otherDepth_,
          .overflowedWords = overflowedWords_,
          .lost = lost_,
          .failure = failure_->exception()};
}

}  // namespace mass::detail

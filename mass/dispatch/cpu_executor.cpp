#include <mass/dispatch/cpu_executor.hpp>

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/first_failure.hpp>
#include <mass/dispatch/row_pass.hpp>
#include <mass/dispatch/scatter_exchange.hpp>
#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

namespace mass::detail {
namespace {

/// End of a part of a batch: a step, or an earlier one if the time is over. All workers leave the
/// loop of passes before the same step.
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
  using Clock = std::chrono::steady_clock;

  std::atomic<std::int64_t> step_;
  std::int64_t planned_;
  bool isTimed_;
  Clock::time_point deadline_;
};

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

/// Steps of a batch on the threads of this rank.
class BatchRun {
 public:
  /// @param passMemory memory of each worker for passes of several steps
  BatchRun(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
           HaloTransport& transport, std::vector<std::vector<char>>& passMemory);

  /// Runs the steps that `plan` allows, in passes of up to `stepsPerPass`.
  /// @return number of steps; 0 after a failure
  std::int64_t runPart(const ThreadPlan& plan, int stepsPerPass, std::int64_t firstStep);
  /// Returns the result of all parts, which is the same on all ranks.
  BatchResult result();

 private:
  /// First step of a pass.
  struct Position {
    std::int64_t step;
    std::int64_t swaps;  ///< swaps of the buffers before it: one for each pass

    /// Number of the buffers' round: 0 or 1.
    std::size_t round() const { return static_cast<std::size_t>(swaps % 2); }
  };
  static constexpr std::size_t staleRound = 2;  // rounds 0 and 1: before even and odd passes

  void prepareTransport() const;
  void runPasses(const Worker& worker, int stepsPerPass, std::int64_t firstStep, PartEnd& end);
  void refreshHalos(const Worker& worker, const Position& at);
  void runStep(const Worker& worker, const WorkShare& share, const Position& at);
  void runPass(const Worker& worker, RowPass& pass, const Position& at, int steps);
  void deliver(const Worker& worker, const Position& at);
  RowPass passOf(const Worker& worker);
  const LaunchPair& launchesOf(const Worker& worker) const {
    const int firstDevice = fields_->devices().firstLocal();
    return launchPairs_[static_cast<std::size_t>(worker.device() - firstDevice)];
  }

  const PlaceFields* fields_;
  const Kernel* kernel_;
  const StepBatch* batch_;
  HaloTransport* transport_;
  // Halos are refreshed only for rules that exchange: stale components before step 0, written ones
  // before each later step. Scatter and AA rules write into rows of other devices themselves.
  bool exchangesLater_;
  // Rows that other ranks read are computed first, and sent while the others are computed.
  bool sendsEarly_;
  std::vector<LaunchPair> launchPairs_;  // by local device
  std::optional<ScatterExchange> scatter_;
  std::vector<std::vector<char>>* passMemory_;
  std::int64_t swaps_ = 0;  // swaps by completed passes
  std::optional<FirstFailure> failure_;
  std::uint64_t overflowedWords_ = 0, lost_ = 0;
};

BatchRun::BatchRun(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                   HaloTransport& transport, std::vector<std::vector<char>>& passMemory)
    : fields_(&fields),
      kernel_(&kernel),
      batch_(&batch),
      transport_(&transport),
      exchangesLater_(batch.exchanges && !kernel.isScatter() && !batch.doubleBuffered.empty()),
      sendsEarly_(exchangesLater_ && fields.devices().ranks().count() > 1),
      passMemory_(&passMemory) {
  failure_.emplace();
  // The workers of a device are at most one more than the threads divided by the devices.
  passMemory.resize(static_cast<std::size_t>(fields.devices().threads()) +
                    fields.devices().local().size());
  for (const int device : fields.devices().local()) {
    launchPairs_.emplace_back(fields, kernel, batch, device);
    for (Launch& launch : launchPairs_.back().launch) {
      launch.scatter.overflowedWords = &overflowedWords_;
      launch.scatter.lost = &lost_;
    }
  }
  if (kernel.isScatter() && fields.devices().ranks().count() > 1) scatter_.emplace(fields, kernel);
  prepareTransport();
}

void BatchRun::prepareTransport() const {
  std::vector<std::vector<HaloMessage>> rounds(staleRound + 1);
  for (int parity = 0; parity < 2 && exchangesLater_; ++parity) {
    rounds[static_cast<std::size_t>(parity)] =
        haloMessages(*fields_, ghostFields(*fields_, batch_->doubleBuffered, parity));
  }
  rounds[staleRound] = haloMessages(*fields_, ghostFields(*fields_, batch_->stale, 0));
  transport_->prepare(std::move(rounds));
}

/// Refreshes the halos that a pass reads, if the rule exchanges.
void BatchRun::refreshHalos(const Worker& worker, const Position& at) {
  if (!(at.step == 0 ? batch_->exchanges : exchangesLater_)) return;
  const std::size_t round = at.step == 0 ? staleRound : at.round();
  guarded(*failure_, at.step, worker, [&] {
    if (at.step == 0 || !sendsEarly_) transport_->send(worker, round, nullptr);
    transport_->receive(worker, round, nullptr);
  });
  worker.barrier();
}

/// Runs the worker's share of a step.
void BatchRun::runStep(const Worker& worker, const WorkShare& share, const Position& at) {
  const bool isOdd = (at.step + (fields_->aaSwapped ? 1 : 0)) % 2 == 1;
  const KernelFunction function = !batch_->streamsInPlace ? kernel_->function
                                  : isOdd                 ? kernel_->aaKernel->odd
                                                          : kernel_->aaKernel->even;
  const Launch launch = launchesOf(worker).at(at.step, at.swaps);
  WorkTimer timer(batch_->times, worker);
  const auto run = [&](std::initializer_list<Units> parts) {
    timer.start();
    guarded(*failure_, at.step, worker, [&] {
      for (const auto& [begin, finish] : parts) function(launch, begin, finish);
    });
    timer.stop();
  };
  if (!sendsEarly_ || at.step + 1 == batch_->steps) return run({share.all});
  run({share.low, share.high});
  worker.barrier();
  guarded(*failure_, at.step, worker, [&] { transport_->send(worker, 1 - at.round(), nullptr); });
  run({share.interior});
}

/// Runs several steps for the worker's share of the rows.
void BatchRun::runPass(const Worker& worker, RowPass& pass, const Position& at, int steps) {
  WorkTimer timer(batch_->times, worker);
  timer.start();
  guarded(*failure_, at.step, worker, [&] {
    std::vector<Launch> launches;
    for (const LaunchPair& pair : launchPairs_) launches.push_back(pair.at(at.step, at.swaps));
    pass.run(launches, steps);
  });
  timer.stop();
}

RowPass BatchRun::passOf(const Worker& worker) {
  const DeviceConfig& devices = fields_->devices();
  const auto number = static_cast<std::size_t>(worker.device() - devices.firstLocal());
  const std::size_t slot =
      number + static_cast<std::size_t>(worker.index()) * devices.local().size();
  const RowRange band = fields_->partition().range(worker.device());
  const auto [begin, end] = worker.share(band.size());
  return {*fields_, *kernel_, {band.begin + begin, band.begin + end}, (*passMemory_)[slot]};
}

/// Delivers the elements that a scatter rule has sent to places of other ranks.
void BatchRun::deliver(const Worker& worker, const Position& at) {
  if (!scatter_) return;
  worker.barrier();
  if (!worker.isCaller()) return;
  std::vector<Launch> launches;
  for (const LaunchPair& pair : launchPairs_) launches.push_back(pair.at(at.step, at.swaps));
  const int front = fields_->front(kernel_->written.front());
  guarded(*failure_, at.step, worker,
          [&] { scatter_->deliver(launches, at.round() == 0 ? 1 - front : front); });
}

void BatchRun::runPasses(const Worker& worker, int stepsPerPass, std::int64_t firstStep,
                         PartEnd& end) {
  const WorkShare share(worker, launchesOf(worker).launch[0].layout);
  std::optional<RowPass> pass;
  if (stepsPerPass > 1) pass.emplace(passOf(worker));
  Position at{firstStep, swaps_};
  while (!end.isBefore(at.step)) {
    const auto steps =
        static_cast<int>(std::min<std::int64_t>(stepsPerPass, end.planned() - at.step));
    refreshHalos(worker, at);
    if (steps > 1) {
      runPass(worker, *pass, at, steps);
    } else {
      runStep(worker, share, at);
    }
    deliver(worker, at);
    end.check(worker, at.swaps, at.step + steps);
    worker.barrier();
    if (failure_->hasFailedBy(at.step)) break;
    at = {at.step + steps, at.swaps + 1};
  }
  // All have read it before the last barrier.
  if (worker.isCaller()) swaps_ = at.swaps;
}

std::int64_t BatchRun::runPart(const ThreadPlan& plan, int stepsPerPass, std::int64_t firstStep) {
  PartEnd end(firstStep + plan.steps, plan);
  fields_->devices().run(
      plan.threads, [&](const Worker& worker) { runPasses(worker, stepsPerPass, firstStep, end); });
  if (!failure_->hasFailedBy(end.step())) return end.step() - firstStep;
  if (stepsPerPass == 1) return 0;
  // A pass has failed. Its steps before the one that fails are made one by one.
  const std::int64_t first = failure_->step();
  failure_.emplace();
  return runPart({plan.threads, end.planned() - first, plan.seconds}, 1, first);
}

BatchResult BatchRun::result() {
  if (scatter_ && !failure_->exception()) {
    overflowedWords_ = fields_->devices().ranks().sum(overflowedWords_);
    lost_ = fields_->devices().ranks().sum(lost_);
  }
  return {.steps = std::min(batch_->steps, failure_->step()),
          .swaps = swaps_,
          .overflowedWords = overflowedWords_,
          .lost = lost_,
          .failure = failure_->exception()};
}

}  // namespace

BatchResult CpuExecutor::run(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch) {
  BatchRun run(fields, kernel, batch, *transport_, passMemory_);
  const DeviceConfig& devices = fields.devices();
  const bool hasPasses = RowPass::supports(fields, kernel, batch);
  // Times of devices are compared, so all use the same threads.
  std::optional<ThreadTuner> allThreads;
  if (batch.times != nullptr) allThreads.emplace(std::vector{devices.threads()}, 0);
  ThreadTuner& tuner = allThreads
                           ? *allThreads
                           : tuners_.of(&fields, reinterpret_cast<const void*>(kernel.function),
                                        devices.threadCounts(), fields.bytes());
  for (std::int64_t step = 0; step < batch.steps;) {
    PassTuner& passes = passTunerOf(fields, kernel, hasPasses, tuner.nextThreads());
    const PassPlan pass = passes.next(batch.steps - step);
    const ThreadPlan plan = pass.isTrial ? ThreadPlan{tuner.nextThreads(), pass.steps,
                                                      std::numeric_limits<double>::infinity()}
                                         : tuner.next(pass.steps, pass.stepsPerPass);
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t done = run.runPart(plan, pass.stepsPerPass, step);
    if (done == 0) break;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    passes.record(pass, done, time.count());
    if (!pass.isTrial) tuner.record(done, time.count());
    step += done;
  }
  return run.result();
}

/// Returns the tuner of the steps of a pass for a number of threads.
PassTuner& CpuExecutor::passTunerOf(const PlaceFields& fields, const Kernel& kernel, bool hasPasses,
                                    int threads) {
  std::vector<int> candidates{1};
  if (hasPasses && stepsPerPass_ == 0) candidates = {1, 2, 4, 8, 16};
  if (hasPasses && stepsPerPass_ > 0) candidates = {stepsPerPass_};
  return passTuners_.try_emplace({&fields, kernel.function, threads}, std::move(candidates))
      .first->second;
}

void CpuExecutor::refresh(const PlaceFields& fields, const std::vector<int>& components) {
  transport_->prepare({haloMessages(fields, ghostFields(fields, components, 0))});
  const DeviceConfig& devices = fields.devices();
  // A single device refreshes only the rows beyond its borders.
  const int threads = devices.size() == 1 ? devices.threadCounts().front() : devices.threads();
  devices.run(threads, [&](const Worker& worker) {
    transport_->send(worker, 0, nullptr);
    transport_->receive(worker, 0, nullptr);
  });
}

void CpuExecutor::restoreLayout(const PlaceFields& fields) {
  const StepBatch batch{.streamsInPlace = true};
  std::vector<LaunchPair> launchPairs;
  for (const int device : fields.devices().local())
    launchPairs.emplace_back(fields, Kernel{}, batch, device);
  fields.devices().run([&](const Worker& worker) {
    const auto number = static_cast<std::size_t>(worker.device() - fields.devices().firstLocal());
    const Launch launch = launchPairs[number].at(0);
    const auto [begin, end] = worker.share(units(launch.layout));
    fields.aaKernel->restoreLayout(launch, begin, end);
  });
}

std::unique_ptr<AgentExecutor> CpuExecutor::makeAgentExecutor(const DeviceConfig& devices) const {
  return makeCpuAgentExecutor(devices);
}

}  // namespace mass::detail

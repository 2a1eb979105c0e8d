#include <mass/dispatch/cpu_executor.hpp>

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/first_failure.hpp>
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
/// loop of steps before the same step.
class PartEnd {
 public:
  /// @param step end of the part
  PartEnd(std::int64_t step, const ThreadPlan& plan)
      : step_(step),
        isTimed_(plan.threads > 1 && std::isfinite(plan.seconds)),
        deadline_(isTimed_ ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                std::chrono::duration<double>(plan.seconds))
                           : Clock::time_point::max()) {}

  /// True if the part ends before `step`. @pre a barrier since the last check()
  bool isBefore(std::int64_t step) const { return step >= step_.load(std::memory_order_relaxed); }
  /// Ends the part after `step` if the time is over. Called by each worker before the barrier of
  /// the step. One of them reads the clock, at every fourth step: a read takes some hundredths of a
  /// short step.
  void check(const Worker& worker, std::int64_t step) {
    if (!isTimed_ || step % 4 != 3 || !worker.isCaller()) return;
    // Workers that have not yet left the last barrier compare a smaller step, so they go on.
    if (Clock::now() > deadline_ && step + 1 < step_) step_.store(step + 1);
  }
  /// Returns the end.
  std::int64_t step() const { return step_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::atomic<std::int64_t> step_;
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
  BatchRun(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
           HaloTransport& transport);

  /// Runs the steps that `plan` allows. @return number of steps; 0 after a failure
  std::int64_t runPart(const ThreadPlan& plan, std::int64_t firstStep);
  /// Returns the result of all parts, which is the same on all ranks.
  BatchResult result();

 private:
  static constexpr std::size_t staleRound = 2;  // rounds 0 and 1: even and odd steps

  void prepareTransport() const;
  void runSteps(const Worker& worker, std::int64_t firstStep, PartEnd& end);
  void refreshHalos(const Worker& worker, std::int64_t step);
  void runStep(const Worker& worker, const WorkShare& share, std::int64_t step, WorkTimer& timer);
  void deliver(const Worker& worker, std::int64_t step);
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
  FirstFailure failure_;
  std::uint64_t overflowedWords_ = 0, lost_ = 0;
};

BatchRun::BatchRun(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch,
                   HaloTransport& transport)
    : fields_(&fields),
      kernel_(&kernel),
      batch_(&batch),
      transport_(&transport),
      exchangesLater_(batch.exchanges && !kernel.isScatter && !batch.doubleBuffered.empty()),
      sendsEarly_(exchangesLater_ && fields.devices().ranks().count() > 1) {
  for (const int device : fields.devices().local()) {
    launchPairs_.emplace_back(fields, kernel, batch, device);
    for (Launch& launch : launchPairs_.back().launch) {
      launch.scatter.overflowedWords = &overflowedWords_;
      launch.scatter.lost = &lost_;
    }
  }
  if (kernel.isScatter && fields.devices().ranks().count() > 1) scatter_.emplace(fields, kernel);
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

/// Refreshes the halos that a step reads, if the rule exchanges.
void BatchRun::refreshHalos(const Worker& worker, std::int64_t step) {
  if (!(step == 0 ? batch_->exchanges : exchangesLater_)) return;
  const auto round = step == 0 ? staleRound : static_cast<std::size_t>(step % 2);
  guarded(failure_, step, worker, [&] {
    if (step == 0 || !sendsEarly_) transport_->send(worker, round, nullptr);
    transport_->receive(worker, round, nullptr);
  });
  worker.barrier();
}

/// Runs the worker's share of a step.
void BatchRun::runStep(const Worker& worker, const WorkShare& share, std::int64_t step,
                       WorkTimer& timer) {
  const bool isOdd = (step + (fields_->aaSwapped ? 1 : 0)) % 2 == 1;
  const KernelFunction function = !batch_->streamsInPlace ? kernel_->function
                                  : isOdd                 ? kernel_->aaKernel->odd
                                                          : kernel_->aaKernel->even;
  const Launch launch = launchesOf(worker).at(step);
  const auto run = [&](std::initializer_list<Units> parts) {
    timer.start();
    guarded(failure_, step, worker, [&] {
      for (const auto& [begin, finish] : parts) function(launch, begin, finish);
    });
    timer.stop();
  };
  if (!sendsEarly_ || step + 1 == batch_->steps) return run({share.all});
  run({share.low, share.high});
  worker.barrier();
  guarded(failure_, step, worker,
          [&] { transport_->send(worker, static_cast<std::size_t>((step + 1) % 2), nullptr); });
  run({share.interior});
}

/// Delivers the elements that a scatter rule has sent to places of other ranks.
void BatchRun::deliver(const Worker& worker, std::int64_t step) {
  if (!scatter_) return;
  worker.barrier();
  if (!worker.isCaller()) return;
  std::vector<Launch> launches;
  for (const LaunchPair& pair : launchPairs_) launches.push_back(pair.at(step));
  const int front = fields_->front(kernel_->written.front());
  guarded(failure_, step, worker,
          [&] { scatter_->deliver(launches, step % 2 == 0 ? 1 - front : front); });
}

void BatchRun::runSteps(const Worker& worker, std::int64_t firstStep, PartEnd& end) {
  const WorkShare share(worker, launchesOf(worker).launch[0].layout);
  WorkTimer timer(batch_->times, worker);
  for (std::int64_t step = firstStep; !end.isBefore(step); ++step) {
    refreshHalos(worker, step);
    runStep(worker, share, step, timer);
    deliver(worker, step);
    end.check(worker, step);
    worker.barrier();
    if (failure_.hasFailedBy(step)) break;
  }
}

std::int64_t BatchRun::runPart(const ThreadPlan& plan, std::int64_t firstStep) {
  PartEnd end(firstStep + plan.steps, plan);
  fields_->devices().run(plan.threads,
                         [&](const Worker& worker) { runSteps(worker, firstStep, end); });
  return failure_.hasFailedBy(end.step()) ? 0 : end.step() - firstStep;
}

BatchResult BatchRun::result() {
  if (scatter_ && !failure_.exception()) {
    overflowedWords_ = fields_->devices().ranks().sum(overflowedWords_);
    lost_ = fields_->devices().ranks().sum(lost_);
  }
  return {std::min(batch_->steps, failure_.step()), false, overflowedWords_, lost_,
          failure_.exception()};
}

}  // namespace

BatchResult CpuExecutor::run(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch) {
  BatchRun run(fields, kernel, batch, *transport_);
  const DeviceConfig& devices = fields.devices();
  if (batch.times != nullptr) {  // times of devices are compared, so all use the same threads
    run.runPart({devices.threads(), batch.steps, std::numeric_limits<double>::infinity()}, 0);
  } else {
    ThreadTuner& tuner = tuners_.of(&fields, reinterpret_cast<const void*>(kernel.function),
                                    devices.threadCounts(), fields.bytes());
    runTuned(tuner, batch.steps, [&](const ThreadPlan& plan, std::int64_t firstStep) {
      return run.runPart(plan, firstStep);
    });
  }
  return run.result();
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

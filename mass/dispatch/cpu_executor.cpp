#include <mass/dispatch/cpu_executor.hpp>

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

}  // namespace

BatchResult CpuExecutor::run(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch) {
  std::vector<LaunchPair> launchPairs;
  std::uint64_t overflowedWords = 0, lost = 0;
  const int firstDevice = fields.devices().firstLocal();
  for (const int device : fields.devices().local()) {
    launchPairs.emplace_back(fields, kernel, batch, device);
    for (Launch& launch : launchPairs.back().launch) {
      launch.scatter.overflowedWords = &overflowedWords;
      launch.scatter.lost = &lost;
    }
  }
  // Halos are refreshed only for rules that exchange: stale components before step 0, written ones
  // before each later step. Scatter and AA rules write into rows of other devices themselves.
  constexpr std::size_t staleRound = 2;  // rounds 0 and 1: even and odd steps
  std::vector<std::vector<HaloMessage>> rounds(staleRound + 1);
  const bool exchangesLater = batch.exchanges && !kernel.isScatter && !batch.doubleBuffered.empty();
  for (int parity = 0; parity < 2 && exchangesLater; ++parity) {
    rounds[static_cast<std::size_t>(parity)] =
        haloMessages(fields, ghostFields(fields, batch.doubleBuffered, parity));
  }
  rounds[staleRound] = haloMessages(fields, ghostFields(fields, batch.stale, 0));
  transport_->prepare(std::move(rounds));
  const KernelFunction functions[2] = {
      batch.streamsInPlace ? kernel.aaKernel->even : kernel.function,
      batch.streamsInPlace ? kernel.aaKernel->odd : kernel.function};

  // Rows that other ranks read are computed first, and sent while the others are computed.
  const bool sendsEarly = exchangesLater && fields.devices().ranks().count() > 1;

  std::optional<ScatterExchange> scatter;
  if (kernel.isScatter && fields.devices().ranks().count() > 1) scatter.emplace(fields, kernel);
  const auto deliver = [&](std::int64_t step) {
    std::vector<Launch> launches;
    for (const LaunchPair& pair : launchPairs) launches.push_back(pair.at(step));
    const int front = fields.front(kernel.written.front());
    scatter->deliver(launches, step % 2 == 0 ? 1 - front : front);
  };

  FirstFailure failure;
  const auto runSteps = [&](const Worker& worker, std::int64_t firstStep, PartEnd& end) {
    const LaunchPair& device = launchPairs[static_cast<std::size_t>(worker.device() - firstDevice)];
    const WorkShare share(worker, device.launch[0].layout);
    WorkTimer timer(batch.times, worker);
    const auto run = [&](std::int64_t step, std::initializer_list<Units> parts) {
      timer.start();
      guarded(failure, step, worker, [&] {
        for (const auto& [begin, finish] : parts)
          functions[(step + (fields.aaSwapped ? 1 : 0)) % 2](device.at(step), begin, finish);
      });
      timer.stop();
    };
    for (std::int64_t step = firstStep; !end.isBefore(step); ++step) {
      if (step == 0 ? batch.exchanges : exchangesLater) {
        const auto round = step == 0 ? staleRound : static_cast<std::size_t>(step % 2);
        guarded(failure, step, worker, [&] {
          if (step == 0 || !sendsEarly) transport_->send(worker, round, nullptr);
          transport_->receive(worker, round, nullptr);
        });
        worker.barrier();
      }
      if (sendsEarly && step + 1 < batch.steps) {
        run(step, {share.low, share.high});
        worker.barrier();
        guarded(failure, step, worker, [&] {
          transport_->send(worker, static_cast<std::size_t>((step + 1) % 2), nullptr);
        });
        run(step, {share.interior});
      } else {
        run(step, {share.all});
      }
      if (scatter) {
        worker.barrier();
        if (worker.isCaller()) guarded(failure, step, worker, [&] { deliver(step); });
      }
      end.check(worker, step);
      worker.barrier();
      if (failure.hasFailedBy(step)) break;
    }
  };
  const auto runPart = [&](const ThreadPlan& plan, std::int64_t firstStep) {
    PartEnd end(firstStep + plan.steps, plan);
    fields.devices().run(plan.threads,
                         [&](const Worker& worker) { runSteps(worker, firstStep, end); });
    return failure.hasFailedBy(end.step()) ? 0 : end.step() - firstStep;
  };
  if (batch.times != nullptr) {  // times of devices are compared, so all use the same threads
    runPart({fields.devices().threads(), batch.steps, std::numeric_limits<double>::infinity()}, 0);
  } else {
    ThreadTuner& tuner = tuners_.of(&fields, reinterpret_cast<const void*>(kernel.function),
                                    fields.devices().threadCounts(), fields.bytes());
    runTuned(tuner, batch.steps, runPart);
  }
  if (scatter && !failure.exception()) {
    overflowedWords = fields.devices().ranks().sum(overflowedWords);
    lost = fields.devices().ranks().sum(lost);
  }
  return {std::min(batch.steps, failure.step()), false, overflowedWords, lost, failure.exception()};
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

}  // namespace mass::detail

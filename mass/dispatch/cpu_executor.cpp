#include <mass/dispatch/cpu_executor.hpp>

#include <mass/dispatch/first_failure.hpp>
#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
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
    if (!isTimed_ || step % 4 != 3 || worker.device() != 0 || !worker.leads()) return;
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

/// Refreshes the halos of the messages of a round. @pre a barrier separates it from earlier writes
/// to the rows
void refreshHalos(HaloTransport& transport, const Worker& worker, std::size_t round) {
  transport.send(worker, round, nullptr);
  transport.receive(worker, round, nullptr);
}

}  // namespace

BatchResult CpuExecutor::run(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch) {
  std::vector<LaunchPair> launchPairs;
  std::uint64_t overflowedWords = 0, lost = 0;
  for (int device = 0; device < fields.devices().size(); ++device) {
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

  FirstFailure failure;
  const auto runSteps = [&](const Worker& worker, std::int64_t firstStep, PartEnd& end) {
    const LaunchPair& device = launchPairs[static_cast<std::size_t>(worker.device())];
    const auto [begin, finish] = worker.share(units(device.launch[0].layout));
    WorkTimer timer(batch.times, worker);
    for (std::int64_t step = firstStep; !end.isBefore(step); ++step) {
      if (step == 0 ? batch.exchanges : exchangesLater) {
        refreshHalos(*transport_, worker, step == 0 ? staleRound : static_cast<std::size_t>(step % 2));
        worker.barrier();
      }
      timer.start();
      try {
        functions[(step + (fields.aaSwapped ? 1 : 0)) % 2](device.at(step), begin, finish);
      } catch (...) {
        failure.record(step, worker);
      }
      timer.stop();
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
  return {std::min(batch.steps, failure.step()), false, overflowedWords, lost, failure.exception()};
}

void CpuExecutor::refresh(const PlaceFields& fields, const std::vector<int>& components) {
  transport_->prepare({haloMessages(fields, ghostFields(fields, components, 0))});
  const DeviceConfig& devices = fields.devices();
  // A single device refreshes only the rows beyond its borders.
  const int threads = devices.size() == 1 ? devices.threadCounts().front() : devices.threads();
  devices.run(threads, [&](const Worker& worker) { refreshHalos(*transport_, worker, 0); });
}

void CpuExecutor::restoreLayout(const PlaceFields& fields) {
  const StepBatch batch{.streamsInPlace = true};
  std::vector<LaunchPair> launchPairs;
  for (int device = 0; device < fields.devices().size(); ++device)
    launchPairs.emplace_back(fields, Kernel{}, batch, device);
  fields.devices().run([&](const Worker& worker) {
    const Launch launch = launchPairs[static_cast<std::size_t>(worker.device())].at(0);
    const auto [begin, end] = worker.share(units(launch.layout));
    fields.aaKernel->restoreLayout(launch, begin, end);
  });
}

}  // namespace mass::detail

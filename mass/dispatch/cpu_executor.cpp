#include <mass/dispatch/cpu_executor.hpp>

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/cpu_batch.hpp>
#include <mass/dispatch/row_pass.hpp>
#include <mass/exchange/halo_message.hpp>
#include <mass/memory/field_io.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

namespace mass::detail {

/// Numbers of steps of the next part of a batch, and the tuner that has chosen them.
struct CpuExecutor::PartPlan {
  PassPlan pass;
  ExchangePlan exchange;

  bool isTrial() const { return pass.isTrial || exchange.isTrial; }
  CycleSteps cycle() const {
    return {pass.stepsPerPass, exchange.stepsPerExchange, exchange.isTrial};
  }
};

/// Plans the next of `steps` steps on one rank.
CpuExecutor::PartPlan CpuExecutor::planPasses(const PassTuner& tuner, std::int64_t steps) const {
  const PassPlan pass = tuner.next(steps);
  return {pass, {pass.stepsPerPass, pass.steps}};
}

/// Plans the next of `steps` steps on several ranks: a pass, if possible, from one exchange to the
/// next.
CpuExecutor::PartPlan CpuExecutor::planExchanges(const ExchangeTuner& tuner,
                                                 std::int64_t steps) const {
  const ExchangePlan exchange = tuner.next(steps);
  const int most = steps_.perPass > 0 ? steps_.perPass : PassTuner::most;
  return {{std::min(exchange.stepsPerExchange, most), exchange.steps}, exchange};
}

BatchResult CpuExecutor::run(const PlaceFields& fields, const Kernel& kernel,
                             const StepBatch& batch) {
  CpuBatch run(fields, kernel, batch, *transport_, passMemory_);
  const DeviceConfig& devices = fields.devices();
  const bool isAlone = devices.ranks().count() == 1;
  const bool hasPasses = RowPass::supports(fields, kernel, batch);
  Exchanges* const exchanges =
      hasPasses && batch.exchanges && !isAlone ? &exchangesOf(fields, kernel) : nullptr;
  // Times of devices are compared, so all use the same threads.
  std::optional<ThreadTuner> allThreads;
  if (batch.times != nullptr) allThreads.emplace(std::vector{devices.threads()}, 0);
  ThreadTuner& tuner = allThreads
                           ? *allThreads
                           : tuners_.of(&fields, reinterpret_cast<const void*>(kernel.function),
                                        devices.threadCounts(), fields.bytes());
  for (std::int64_t step = 0; step < batch.steps;) {
    const int threads = tuner.nextThreads();
    PassTuner& passes = passTunerOf(fields, kernel, hasPasses && isAlone, threads);
    const std::int64_t left = batch.steps - step;
    const PartPlan part =
        exchanges != nullptr ? planExchanges(exchanges->tuner, left) : planPasses(passes, left);
    const ThreadPlan plan =
        part.isTrial()
            ? ThreadPlan{threads, part.pass.steps, std::numeric_limits<double>::infinity()}
            : tuner.next(part.pass.steps, part.exchange.stepsPerExchange);
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t done = run.runPart(plan, part.cycle(), step);
    if (done == 0) break;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    passes.record(part.pass, done, time.count());
    if (exchanges != nullptr) {
      if (exchanges->tuner.isDecided()) exchanges->decided.add(done, run.partTimes());
      exchanges->all.add(done, run.partTimes());
      exchanges->tuner.record(part.exchange, run.cycleTimes(), devices.ranks());
    }
    if (!part.isTrial()) tuner.record(done, time.count());
    step += done;
  }
  return run.result();
}

/// Returns the tuner of the steps of a pass for a number of threads.
PassTuner& CpuExecutor::passTunerOf(const PlaceFields& fields, const Kernel& kernel, bool hasPasses,
                                    int threads) {
  std::vector<int> candidates{1};
  if (hasPasses && steps_.perPass == 0) candidates = {1, 2, 4, 8, PassTuner::most};
  if (hasPasses && steps_.perPass > 0) candidates = {steps_.perPass};
  return passTuners_.try_emplace({&fields, kernel.function, threads}, std::move(candidates))
      .first->second;
}

/// Returns the exchanges between ranks for a rule. They are tuned anew after a change of the
/// partition that leaves fewer ghost rows.
CpuExecutor::Exchanges& CpuExecutor::exchangesOf(const PlaceFields& fields, const Kernel& kernel) {
  const std::int64_t reach = fields.domain().reach;
  std::int64_t most = fields.layout(0).ghostRows / std::max<std::int64_t>(reach, 1);
  for (const std::int64_t band : fields.partition().bands())
    most = std::min(most, band / std::max<std::int64_t>(reach, 1));
  double rowBytes = 0;
  for (const int component : kernel.written)
    rowBytes += static_cast<double>(fields.component(component).elementSize) *
                static_cast<double>(fields.layout(0).rowStride);
  const ExchangeTuner::Problem problem{.rows = mostRowsOfRank(fields),
                                       .reach = reach,
                                       .most = static_cast<int>(std::max<std::int64_t>(most, 1)),
                                       .rowBytes = rowBytes};
  return exchanges_
      .try_emplace({&fields, kernel.function, problem.most},
                   Exchanges{ExchangeTuner(problem, steps_.perExchange)})
      .first->second;
}

std::vector<ExchangeReport> CpuExecutor::exchangeReports() const {
  std::vector<ExchangeReport> reports;
  for (const auto& [key, exchanges] : exchanges_) {
    const auto& [tuner, all, decided] = exchanges;
    ExchangeReport& report = reports.emplace_back();
    report.stepsPerExchange = tuner.fastest();
    report.steps = all.steps;
    report.seconds = all.times.all;
    report.waitSeconds = all.times.all - all.times.compute;
    if (decided.steps > 0) report.measured = decided.times.all / static_cast<double>(decided.steps);
    if (!tuner.model()) continue;
    report.latency = tuner.model()->latency;
    report.predicted = tuner.model()->stepSeconds(report.stepsPerExchange);
    if (tuner.model()->stepTransport > 0)
      report.bytesPerSecond = tuner.model()->stepBytes / tuner.model()->stepTransport;
  }
  return reports;
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

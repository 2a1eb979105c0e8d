#include <mass/dispatch/cpu_executor.hpp>

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/cpu_batch.hpp>
#include <mass/dispatch/cycles.hpp>
#include <mass/dispatch/device_group.hpp>
#include <mass/dispatch/row_pass.hpp>
#include <mass/exchange/halo_message.hpp>
#include <mass/memory/field_io.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace mass::detail {

/// Turns of the next part of a batch.
struct CpuExecutor::PartPlan {
  PassPlan pass;
  ExchangePlan exchange;

  bool isTrial() const { return pass.isTrial || exchange.isTrial; }
  int turnsPerExchange() const { return std::max(exchange.stepsPerExchange, 1); }
  /// Returns the steps of turns of `rules` rules. In 0 turns, each rule is a pass of its own.
  CycleSteps cycle(int rules) const {
    return {std::max(pass.stepsPerPass * rules, 1), std::max(exchange.stepsPerExchange * rules, 1),
            exchange.isTrial};
  }
  /// Returns the times of the exchanges of turns. @param cycles times of the cycles
  std::vector<CycleTimes> turnTimes(const std::vector<CycleTimes>& cycles,
                                    std::size_t rules) const {
    if (exchange.stepsPerExchange > 0) return cycles;
    std::vector<CycleTimes> turns(cycles.size() / rules);
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      turns[i / rules].all += cycles[i].all;
      turns[i / rules].compute += cycles[i].compute;
    }
    return turns;
  }
};

/// Returns the number of turns of a pass that the settings give: single rules for one step a pass.
int CpuExecutor::givenTurnsPerPass(std::size_t rules) const {
  return rules > 1 && steps_.perPass == 1 ? 0 : steps_.perPass;
}

/// Plans the next of `turns` turns on one rank.
CpuExecutor::PartPlan CpuExecutor::planPasses(const PassTuner& tuner, std::int64_t turns) const {
  const PassPlan pass = tuner.next(turns);
  return {pass, {pass.stepsPerPass, pass.steps}};
}

/// Plans the next of `turns` turns on several ranks: passes as long as the cache allows. Ranks that
/// exchange ghost rows in each turn do so for each rule, which needs no rows of other ranks.
CpuExecutor::PartPlan CpuExecutor::planExchanges(const Exchanges& exchanges, std::size_t rules,
                                                 std::int64_t turns) const {
  ExchangePlan exchange = exchanges.tuner.next(turns);
  if (exchange.stepsPerExchange == 1 && rules > 1) exchange.stepsPerExchange = 0;
  const int most = steps_.perPass > 0 ? givenTurnsPerPass(rules) : exchanges.turnsPerPass;
  const int perPass = std::min(exchange.stepsPerExchange, most);
  return {{rules == 1 ? std::max(perPass, 1) : perPass, exchange.steps}, exchange};
}

bool CpuExecutor::runsInTurn(const PlaceFields& fields, Turn turn, bool /*areMeasured*/) const {
  return !fields.areBits() && !fields.devices().areMixed() && RowPass::supports(fields, turn);
}

BatchResult CpuExecutor::run(const PlaceFields& fields, Turn turn, const StepBatch& batch) {
  const DeviceConfig& devices = fields.devices();
  const bool isAlone = areOneGroup(fields);
  // GPUs of other ranks exchange ghost rows after each step.
  bool hasPasses = !devices.areMixed() && RowPass::supports(fields, turn);
  std::unique_ptr<const BitRule> bitRule;
  if (hasPasses)
    bitRule = BitPass::ruleOf(fields, turn, batch, steps_.perPass > 0 || fields.areBits());
  if (fields.areBits() && bitRule == nullptr) hasPasses = false;
  CpuBatch run(fields, turn, bitRule.get(), batch, *transport_, passMemory_);
  // Key of the measured times.
  const void* const rule = bitRule ? static_cast<const void*>(turn.front().boolRule)
                                   : reinterpret_cast<const void*>(turn.front().function);
  Exchanges* const exchanges =
      batch.exchanges && !isAlone ? &exchangesOf(fields, turn, rule, hasPasses) : nullptr;
  // Times of devices are compared, so all use the same threads.
  std::optional<ThreadTuner> allThreads;
  if (batch.times != nullptr) allThreads.emplace(std::vector{devices.threads()}, 0);
  ThreadTuner& tuner =
      allThreads ? *allThreads : tuners_.of(&fields, rule, devices.threadCounts(), fields.bytes());
  const auto rules = static_cast<int>(turn.size());
  for (std::int64_t step = 0; step < batch.steps;) {
    const int threads = tuner.nextThreads();
    PassTuner& passes = passTunerOf(fields, turn, rule, hasPasses && isAlone, threads);
    const std::int64_t turns = (batch.steps - step) / rules;
    const PartPlan part = exchanges != nullptr ? planExchanges(*exchanges, turn.size(), turns)
                                               : planPasses(passes, turns);
    ThreadPlan plan = part.isTrial() ? ThreadPlan{threads, part.pass.steps,
                                                  std::numeric_limits<double>::infinity()}
                                     : tuner.next(part.pass.steps, part.turnsPerExchange());
    plan.steps *= rules;
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t done = run.runPart(plan, part.cycle(rules), step) / rules;
    if (done == 0) break;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (batch.times != nullptr) batch.times->exchanges().all += time.count();
    passes.record(part.pass, done, time.count());
    if (exchanges != nullptr) {
      const double sent = run.partBytes();
      if (exchanges->tuner.isDecided()) exchanges->decided.add(done, run.partTimes(), sent);
      exchanges->all.add(done, run.partTimes(), sent);
      exchanges->tuner.record(part.exchange, part.turnTimes(run.cycleTimes(), turn.size()),
                              devices.ranks());
    }
    if (!part.isTrial()) tuner.record(done, time.count());
    step += done * rules;
  }
  return run.result();
}

/// Returns the tuner of the turns of a pass for a number of threads.
PassTuner& CpuExecutor::passTunerOf(const PlaceFields& fields, Turn turn, const void* rule,
                                    bool hasPasses, int threads) {
  std::vector<int> candidates{turn.size() > 1 ? 0 : 1};
  if (hasPasses && steps_.perPass == 0) {
    if (turn.size() > 1) candidates.push_back(1);
    candidates.insert(candidates.end(), {2, 4, 8, PassTuner::most});
  }
  if (hasPasses && steps_.perPass > 0) candidates = {givenTurnsPerPass(turn.size())};
  return passTuners_.try_emplace({&fields, rule, turn.size(), threads}, std::move(candidates))
      .first->second;
}

/// Reports a given number of turns per exchange for which no device had rows when the run began: by
/// the first partition, so that no later one ends a run.
void CpuExecutor::requireRows(const PlaceFields& fields, Turn turn) const {
  if (steps_.perExchange <= 1) return;  // ranks exchange for each rule
  const Domain& domain = fields.domain();
  const BlockPartition first = firstPartition(domain, fields.devices().weights());
  const std::string objection =
      objectionToCycle(steps_.perExchange, reachOf(fields, turn), first.thinnest());
  if (!objection.empty()) steps_.rejectPerExchange(objection);
}

/// Returns the exchanges between groups of devices for some rules. They are tuned anew after a
/// change of the partition that leaves fewer ghost rows.
/// @param hasPasses true if several steps per exchange are possible
CpuExecutor::Exchanges& CpuExecutor::exchangesOf(const PlaceFields& fields, Turn turn,
                                                 const void* rule, bool hasPasses) {
  if (!hasPasses)
    return exchanges_
        .try_emplace({&fields, rule, turn.size(), 0},
                     Exchanges{ExchangeTuner({.rows = 1, .reach = 0, .most = 1, .rowBytes = 0}), 1})
        .first->second;
  requireRows(fields, turn);
  double rowBytes = 0;
  for (const Kernel& kernel : turn)
    for (const int component : kernel.written)
      rowBytes += static_cast<double>(fields.component(component).elementSize) *
                  static_cast<double>(fields.layoutOf(component, 0).rowStride) /
                  fields.component(component).interleave;
  const BlockPartition& blocks = fields.blocks();
  const auto longest = [&](std::size_t axis) {
    return axis < blocks.exchangedAxes() ? std::ranges::max(blocks.along(axis).bands()) : 0;
  };
  const ExchangeTuner::Problem problem{
      .rows = blocks.isInBlocks() ? longest(0) : mostRowsOfRank(fields),
      .lines = longest(1),
      .columns = longest(2),
      .reach = reachOf(fields, turn),
      .most = std::max(mostTurnsOfCycle(fields, turn), 1),
      .rowBytes = rowBytes};
  int turnsPerPass = PassTuner::most;  // on bits
  // Windows of several rules are seldom faster, since they hold more rows.
  if (rule != turn.front().boolRule)
    turnsPerPass = turn.size() > 1 ? 0 : RowPass::fittingTurns(fields, turn, PassTuner::most);
  return exchanges_
      .try_emplace({&fields, rule, turn.size(), problem.most},
                   Exchanges{ExchangeTuner(problem, steps_.perExchange), turnsPerPass})
      .first->second;
}

std::vector<ExchangeReport> CpuExecutor::exchangeReports() const {
  std::vector<ExchangeReport> reports;
  for (const auto& [key, exchanges] : exchanges_) {
    const auto& [tuner, turnsPerPass, all, decided] = exchanges;
    ExchangeReport& report = reports.emplace_back();
    report.stepsPerExchange = tuner.fastest();
    report.mayBeSeldom = std::get<3>(key) > 0;
    report.steps = all.steps;
    report.seconds = all.times.all;
    report.moveSeconds = all.times.move;
    report.waitSeconds = all.times.all - all.times.compute - all.times.move;
    if (all.steps > 0) report.bytesPerStep = all.bytes / static_cast<double>(all.steps);
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

void CpuExecutor::restoreLayout(const PlaceFields& fields, const AaKernel& kernel) {
  const Kernel rule{.traversal = Traversal::aaPattern};
  std::vector<LaunchPair> launchPairs;
  for (const int device : fields.devices().local())
    launchPairs.emplace_back(fields, rule, StepBatch{}, device);
  fields.devices().run([&](const Worker& worker) {
    const auto number = static_cast<std::size_t>(worker.device() - fields.devices().firstLocal());
    const Launch launch = launchPairs[number].at(0);
    const auto [begin, end] = worker.share(units(launch.layout));
    kernel.restoreLayout(launch, begin, end);
  });
}

std::unique_ptr<AgentExecutor> CpuExecutor::makeAgentExecutor(const DeviceConfig& devices) const {
  return makeCpuAgentExecutor(devices);
}

}  // namespace mass::detail

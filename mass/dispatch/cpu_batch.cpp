#include <mass/dispatch/cpu_batch.hpp>

#include <mass/dispatch/bits/byte_window.hpp>
#include <mass/dispatch/device_group.hpp>
#include <mass/exchange/halo_message.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
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

/// Places of a device in a box: a range of rows, of lines and of columns.
using Ranges = std::array<RowRange, 3>;

bool isEmpty(const Ranges& box) {
  return std::ranges::any_of(box, [](RowRange range) { return range.size() == 0; });
}

/// Places of a device that may be sent, and all others. Bands send their first and last rows,
/// blocks also the first and last lines of the rows between, and of these the first and last
/// columns.
struct SentFirst {
  std::vector<Ranges> sent{};
  Ranges interior;

  explicit SentFirst(const PlaceFields& fields, int device) {
    const Layout& layout = fields.layout(device);
    const std::array<std::int64_t, 3> lengths{layout.rows, layout.lines, layout.columns};
    interior = {RowRange{0, lengths[0]}, {0, lengths[1]}, {0, lengths[2]}};
    for (std::size_t axis = 0; axis < interior.size(); ++axis) {
      if (!fields.blocks().isCut(axis)) continue;
      const std::int64_t begin = std::min(layout.depth, lengths[axis]);
      const std::int64_t end = std::max(begin, lengths[axis] - layout.depth);
      for (const RowRange range : {RowRange{0, begin}, RowRange{end, lengths[axis]}}) {
        Ranges face = interior;
        face[axis] = range;
        sent.push_back(face);
      }
      interior[axis] = {begin, end};
    }
    std::erase_if(sent, isEmpty);
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

/// True if the copy is between devices of one group.
bool isWithinGroup(const PlaceFields& fields, const GhostCopy& copy) {
  const DeviceConfig& devices = fields.devices();
  return fields.areBlocks() ? copy.fromDevice == copy.toDevice
                            : devices.rankOf(copy.fromDevice) == devices.rankOf(copy.toDevice);
}

/// Returns the copies between two passes of a cycle, within groups of devices.
/// @param depth ghosts of a cycle along each axis
std::vector<GhostCopy> copiesWithinGroups(const PlaceFields& fields, std::int64_t depth) {
  if (fields.areBlocks())
    return planOwnGhosts(fields.blocks(), fields.domain().reach, depth, fields.domain().borders);
  std::vector<GhostCopy> copies = fields.ghostPlan();
  std::erase_if(copies, [&](const GhostCopy& copy) { return !isWithinGroup(fields, copy); });
  return copies;
}

/// Returns the copies before a cycle: `depth` ghosts along each axis from other groups of devices,
/// and those that a step reads within groups.
std::vector<GhostCopy> copiesBeforeCycle(const PlaceFields& fields, std::int64_t depth) {
  const auto& borders = fields.domain().borders;
  const int deep = static_cast<int>(depth);
  if (fields.areBlocks())
    return planGhosts(fields.blocks(),
                      {fields.blocks().isCut(0) ? deep : fields.domain().reach, deep, deep},
                      borders);
  std::vector<GhostCopy> copies = copiesWithinGroups(fields, depth);
  std::ranges::copy_if(planGhosts(fields.partition(), deep, borders[0]), std::back_inserter(copies),
                       [&](const GhostCopy& copy) { return !isWithinGroup(fields, copy); });
  return copies;
}

}  // namespace

CpuBatch::CpuBatch(const PlaceFields& fields, Turn turn, const BitRule* bitRule,
                   const StepBatch& batch, HaloTransport& transport,
                   std::vector<PassMemory>& passMemory)
    : fields_(&fields),
      turn_(turn),
      bitRule_(bitRule),
      batch_(&batch),
      transport_(&transport),
      exchangesLater_(batch.refreshes && !batch.doubleBuffered.empty()),
      isAlone_(areOneGroup(fields)),
      sendsEarly_(exchangesLater_ && fields.devices().ranks().count() > 1 && !fields.areBits() &&
                  fields.links() == nullptr),  // any node may be a ghost
      refreshesAtEnd_(exchangesLater_ && fields.devices().areMixed()),
      passMemory_(&passMemory) {
  failure_.emplace();
  // The workers of a device are at most one more than the threads divided by the devices.
  passMemory.resize(static_cast<std::size_t>(fields.devices().threads()) +
                    fields.devices().local().size());
  if (turn.front().traversal == Traversal::scatter && !isAlone_)
    scatter_.emplace(fields, turn.front());
  current_ = frontsOf(fields);
  for (int component = 0; component < fields.components(); ++component) {
    const auto writes = [&](const Kernel& kernel) {
      return std::ranges::count(kernel.written, component) >
             std::ranges::count(kernel.inPlace, component);
    };
    if (std::ranges::any_of(turn, writes)) written_.push_back(component);
  }
}

/// Returns the number of the state of the buffers before a pass.
std::size_t CpuBatch::stateAt(const Position& at) const {
  const std::int64_t number = hasWholeTurns() ? at.passes : at.step - preparedStep_;
  return static_cast<std::size_t>(number) % fronts_.size();
}

/// Prepares the buffers and the rounds for other cycles than before.
void CpuBatch::prepare(const CycleSteps& cycle, std::int64_t firstStep) {
  const bool isSameExchange = isAlone_ || cycle.perExchange == cycle_.perExchange;
  const bool isSamePass = turn_.size() == 1 ? cycle_.perPass > 0 : cycle.perPass == cycle_.perPass;
  const bool isPrepared = isSameExchange && isSamePass;
  cycle_ = cycle;
  if (isPrepared) return;
  preparedStep_ = firstStep;
  passes_ = 0;
  const TurnBuffers buffers(turn_, current_, batch_->doubleBuffered);
  LaunchBuffers ofTurn{{current_, current_}, std::vector<bool>(current_.size())};
  for (const int component : batch_->doubleBuffered) {
    const auto number = static_cast<std::size_t>(component);
    ofTurn.fronts[1][number] = 1 - current_[number];
    ofTurn.swaps[number] = true;
  }
  fronts_.assign(std::begin(ofTurn.fronts), std::end(ofTurn.fronts));
  if (!hasWholeTurns()) {
    fronts_.clear();
    for (std::size_t step = 0; step < 2 * turn_.size(); ++step)
      fronts_.push_back(buffers.frontsBefore(step));
  }
  launchPairs_.clear();
  for (std::size_t rule = 0; rule < turn_.size(); ++rule) {
    for (const int device : fields_->devices().local()) {
      launchPairs_.emplace_back(*fields_, turn_[rule], *batch_, device,
                                hasWholeTurns() ? ofTurn : buffers.of(rule));
      for (Launch& launch : launchPairs_.back().launch) {
        launch.scatter.overflowedWords = &overflowedWords_;
        launch.scatter.lost = &lost_;
      }
    }
  }
  prepareTransport();
}

/// Returns the components that the rules before a rule write, back to one that reads neighbours;
/// none if the rule does not read any.
std::vector<int> CpuBatch::writtenBefore(std::size_t rule) const {
  std::vector<int> components;
  if (!turn_[rule].readsNeighbors) return components;
  for (std::size_t back = 1; back <= turn_.size(); ++back) {
    const Kernel& earlier = turn_[(rule + turn_.size() - back) % turn_.size()];
    for (const int component : earlier.written)
      if (std::ranges::count(written_, component) > 0 &&
          std::ranges::count(components, component) == 0)
        components.push_back(component);
    if (earlier.readsNeighbors) break;
  }
  std::ranges::sort(components);
  return components;
}

/// Returns the components whose ghost rows are refreshed before the first cycle that reads `depth`
/// of them.
std::vector<int> CpuBatch::staleBefore(std::int64_t depth) const {
  std::vector<int> components = written_;
  if (otherDepth_ >= depth) return components;
  for (const int component : fields_->staleComponents(depth))
    if (std::ranges::count(written_, component) == 0) components.push_back(component);
  return components;
}

std::vector<GhostField> CpuBatch::ghostsAt(std::size_t state,
                                           const std::vector<int>& components) const {
  std::vector<GhostField> ghosts;
  for (const int component : components)
    ghosts.push_back({component, fronts_[state][static_cast<std::size_t>(component)]});
  return ghosts;
}

void CpuBatch::prepareTransport() {
  const std::size_t states = fronts_.size();
  std::vector<std::vector<HaloMessage>> rounds(staleRound * states + 1);
  const auto add = [&](Round round, const std::vector<GhostCopy>& copies, std::size_t state,
                       const std::vector<int>& components) {
    rounds[round * states + state] = haloMessages(*fields_, copies, ghostsAt(state, components));
  };
  const std::int64_t depth = cycleDepth();
  const bool isDeep = !isAlone_ && cycle_.perExchange > 1;
  const auto deepCopies = isDeep ? copiesBeforeCycle(*fields_, depth) : std::vector<GhostCopy>{};
  const auto innerCopies = isDeep ? copiesWithinGroups(*fields_, depth) : std::vector<GhostCopy>{};
  for (std::size_t state = 0; state < states && exchangesLater_; ++state) {
    // For a single rule, both are the same.
    const std::vector<int> read = hasWholeTurns() ? written_ : writtenBefore(state % turn_.size());
    add(stepRound, fields_->ghostPlan(), state, read);
    if (!isDeep) continue;
    add(innerRound, innerCopies, state, read);
    add(cycleRound, deepCopies, state, written_);
    add(firstRound, deepCopies, state, staleBefore(depth));
  }
  const std::vector<int>& stale = preparedStep_ == 0 ? batch_->stale : written_;
  rounds.back() = haloMessages(*fields_, ghostsAt(0, stale));
  roundBytes_.clear();
  for (const auto& round : rounds) roundBytes_.push_back(bytesSent(round));
  transport_->prepare(std::move(rounds));
}

/// Returns the bytes that devices of this rank send to others.
double CpuBatch::bytesSent(const std::vector<HaloMessage>& messages) const {
  double bytes = 0;
  for (const HaloMessage& message : messages)
    if (message.fromDevice != message.toDevice && fields_->devices().isLocal(message.fromDevice))
      bytes += static_cast<double>(message.bytes());
  return bytes;
}

/// Returns the ghost rows that the rules of steps [first, end) read, one after the other.
std::int64_t CpuBatch::reachOfSteps(std::int64_t first, std::int64_t end) const {
  std::int64_t rules = 0;
  for (std::int64_t step = first; step < end; ++step) rules += ruleAt(step).readsNeighbors ? 1 : 0;
  return rules * fields_->layout(0).depth;
}

/// Returns the round before a cycle, if ghost rows must be refreshed.
std::optional<std::size_t> CpuBatch::roundBefore(const Position& at, int steps,
                                                 std::int64_t otherDepth) const {
  if (!(at.step == 0 ? batch_->exchanges : exchangesLater_)) return std::nullopt;
  if (!isAlone_ && steps > 1)
    return roundOf(otherDepth < cycleDepth() ? firstRound : cycleRound, at);
  if (at.step == preparedStep_) return roundOf(staleRound, at);
  return steps > 1 || ruleAt(at.step).readsNeighbors ? std::optional(roundOf(stepRound, at))
                                                     : std::nullopt;
}

/// Refreshes ghost rows. @param isSent true if the rows of this rank were sent before
void CpuBatch::refresh(const Worker& worker, const Position& at, std::size_t round, bool isSent) {
  if (worker.isCaller()) partBytes_ += roundBytes_[round];
  guarded(*failure_, at.step, worker, [&] {
    if (!isSent) send(worker, round);
    measure(worker, &ExchangeTimes::receiving,
            [&] { transport_->receive(worker, round, nullptr); });
  });
  worker.barrier();
}

void CpuBatch::send(const Worker& worker, std::size_t round) {
  measure(worker, &ExchangeTimes::sending, [&] { transport_->send(worker, round, nullptr); });
}

/// Calls `work()` of the transport, and measures its time if there are several groups of devices,
/// or the batch is measured; then it is added to `times`.
template <class Work>
void CpuBatch::measure(const Worker& worker, double ExchangeTimes::*times, const Work& work) {
  if (!worker.isCaller() || (isAlone_ && batch_->times == nullptr)) return work();
  const double waited = transport_->waitSeconds();
  const Clock::time_point start = Clock::now();
  work();
  const double seconds = secondsSince(start);
  moveSeconds_ += seconds - (transport_->waitSeconds() - waited);
  if (batch_->times != nullptr) batch_->times->exchanges().*times += seconds;
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
  const auto rule = static_cast<std::size_t>(at.step) % turn_.size();
  const auto device = static_cast<std::size_t>(worker.device() - fields_->devices().firstLocal());
  const Launch launch = launchAt(at, rule * fields_->devices().local().size() + device);
  if (sendsEarlyAt(at)) return runAndSend(worker, at, launch);
  const bool isNext = turn_[rule].lanes.empty() ||
                      fields_->blocks().order().part(2, worker.device()) == turn_[rule].columnPart;
  if (!isNext) return;
  const auto [begin, end] = fields_->share(worker);
  if (fields_->areBits()) {
    const ByteWindow window(*fields_, memoryOf(worker).bytes);
    return compute(worker, at, [&, first = begin, last = end] {
      window.run(ruleAt(at.step), launch, first, last);
    });
  }
  compute(worker, at, [&, first = begin, last = end] { functionAt(at)(launch, first, last); });
}

/// Runs the worker's share of a step: at first of the places that other devices read, which are
/// sent while the others are computed.
void CpuBatch::runAndSend(const Worker& worker, const Position& at, const Launch& launch) {
  const KernelFunction function = functionAt(at);
  const auto run = [&](const Ranges& part) {
    const auto& [rows, lines, columns] = part;
    const auto [begin, end] = worker.share(rows.size() * lines.size());
    const std::int64_t before = rows.begin * lines.size();
    function(onPart(launch, lines, columns), before + begin, before + end);
  };
  const SentFirst parts(*fields_, worker.device());
  compute(worker, at, [&] { std::ranges::for_each(parts.sent, run); });
  worker.barrier();
  const std::size_t round = roundOf(stepRound, {at.step + 1, at.passes + 1});
  guarded(*failure_, at.step, worker, [&] { send(worker, round); });
  compute(worker, at, [&] { run(parts.interior); });
}

/// Runs the steps of a pass for the worker's share of the rows and of `margin` rows and lines of
/// other groups of devices.
void CpuBatch::runPass(const Worker& worker, WorkerPass& pass, const Position& at, int steps,
                       std::int64_t margin) {
  const auto rule = static_cast<std::size_t>(at.step) % turn_.size();
  const std::size_t rules = steps == 1 ? 1 : turn_.size();
  compute(worker, at, [&] {
    pass.run(rowsOf(worker, margin), margin, launchesAt(at, rule, rules), rule, steps);
  });
}

/// Returns the worker's share of the rows of its device. The first and the last device of a group
/// also compute `margin` rows of other groups.
RowRange CpuBatch::rowsOf(const Worker& worker, std::int64_t margin) const {
  const DeviceNumbers group = groupOf(*fields_, worker.device());
  if (fields_->partition().devices() == 1) margin = 0;
  RowRange rows = fields_->rows(worker.device());
  if (worker.device() == group.front()) rows.begin -= margin;
  if (worker.device() == group.back()) rows.end += margin;
  if (fields_->domain().borders[0] != Border::periodic) {
    rows.begin = std::max<std::int64_t>(rows.begin, 0);
    rows.end = std::min(rows.end, fields_->partition().rows());
  }
  const auto [begin, end] = worker.share(rows.size());
  return {rows.begin + begin, rows.begin + end};
}

PassMemory& CpuBatch::memoryOf(const Worker& worker) const {
  const DeviceConfig& devices = fields_->devices();
  const auto number = static_cast<std::size_t>(worker.device() - devices.firstLocal());
  return (*passMemory_)[number + static_cast<std::size_t>(worker.index()) * devices.local().size()];
}

/// Returns the launches of some rules, by rule and local device.
std::vector<Launch> CpuBatch::launchesAt(const Position& at, std::size_t firstRule,
                                         std::size_t rules) const {
  const std::size_t devices = fields_->devices().local().size();
  std::vector<Launch> launches;
  for (std::size_t i = firstRule * devices; i < (firstRule + rules) * devices; ++i)
    launches.push_back(launchAt(at, i));
  return launches;
}

/// Delivers the elements that a scatter rule has sent to places of other ranks.
void CpuBatch::deliver(const Worker& worker, const Position& at) {
  if (!scatter_) return;
  worker.barrier();
  if (!worker.isCaller()) return;
  const auto words = static_cast<std::size_t>(turn_.front().written.front());
  guarded(*failure_, at.step, worker,
          [&] { scatter_->deliver(launchesAt(at, 0, 1), 1 - fronts_[stateAt(at)][words]); });
}

/// True if a pass makes single steps, not a kernel.
bool CpuBatch::takesSingleSteps(const WorkerPass* pass) const {
  return pass != nullptr && pass->takesSingleSteps() && (isAlone_ || fields_->areBits());
}

/// Runs the passes of a cycle of `steps` steps. @return false after a failure
bool CpuBatch::runCycle(const Worker& worker, WorkerPass* pass, int steps, Position& at,
                        PartEnd& end) {
  const std::int64_t last = at.step + steps;
  for (const std::int64_t first = at.step; at.step < last;) {
    const std::int64_t next = std::min(at.step + cycle_.perPass, last);
    const bool readsGhosts = cycle_.perPass > 1 || ruleAt(at.step).readsNeighbors;
    if (at.step > first && readsGhosts) refresh(worker, at, roundOf(innerRound, at));
    if (steps == 1 && !takesSingleSteps(pass)) {
      runStep(worker, at);
    } else {
      const std::int64_t margin = isAlone_ ? 0 : reachOfSteps(next, last);
      runPass(worker, *pass, at, static_cast<int>(next - at.step), margin);
    }
    deliver(worker, at);
    const bool endsTurn = next % std::ssize(turn_) == 0;
    if (next == last && endsTurn) end.check(worker, at.passes, next);
    worker.barrier();
    if (failure_->hasFailedBy(at.step)) return false;
    at = {next, at.passes + 1};
  }
  return true;
}

/// Returns the pass of a worker; nothing if kernels make single steps.
std::optional<WorkerPass> CpuBatch::passOf(const Worker& worker, const CycleSteps& cycle) const {
  if (bitRule_ != nullptr) return WorkerPass(BitPass(*fields_, *bitRule_, memoryOf(worker).bytes));
  if (cycle.perExchange > 1)
    return WorkerPass(RowPass(*fields_, turn_, worker.device(), memoryOf(worker)));
  return std::nullopt;
}

void CpuBatch::runCycles(const Worker& worker, const CycleSteps& cycle, std::int64_t firstStep,
                         PartEnd& end) {
  const bool isMeasured = !isAlone_ && worker.isCaller();
  std::optional<WorkerPass> pass = passOf(worker, cycle);
  Position at{firstStep, passes_};
  bool isSent = isSent_;
  std::int64_t otherDepth = otherDepth_;
  bool isGood = true;
  while (isGood && !end.isBefore(at.step)) {
    const Clock::time_point start = isMeasured ? Clock::now() : Clock::time_point();
    const auto steps =
        static_cast<int>(std::min<std::int64_t>(cycle.perExchange, end.planned() - at.step));
    if (const auto round = roundBefore(at, steps, otherDepth)) refresh(worker, at, *round, isSent);
    isSent = steps == 1 && sendsEarlyAt(at);
    if (!isAlone_ && steps > 1) otherDepth = std::max(otherDepth, cycleDepth());
    isGood = runCycle(worker, pass ? &*pass : nullptr, steps, at, end);
    if (!isMeasured) continue;
    const CycleTimes times{secondsSince(start), std::exchange(computeSeconds_, 0),
                           std::exchange(moveSeconds_, 0)};
    partTimes_.all += times.all;
    partTimes_.compute += times.compute;
    partTimes_.move += times.move;
    if (cycle.isTimed) cycleTimes_.push_back(times);
  }
  if (refreshesAtEnd_ && isGood && at.step == batch_->steps)
    refresh(worker, at, roundOf(stepRound, at), isSent);
  // All have read them before the last barrier.
  if (worker.isCaller()) {
    passes_ = at.passes;
    isSent_ = isSent;
    otherDepth_ = otherDepth;
    current_ = fronts_[stateAt(at)];
  }
}

std::int64_t CpuBatch::runPart(const ThreadPlan& plan, const CycleSteps& cycle,
                               std::int64_t firstStep) {
  prepare(cycle, firstStep);
  cycleTimes_.clear();
  partTimes_ = {};
  partBytes_ = 0;
  PartEnd end(firstStep + plan.steps, plan);
  // The next part may prepare other exchanges.
  lastStep_ = (cycle.isTimed ? end.planned() : batch_->steps) - 1;
  fields_->devices().run(plan.threads,
                         [&](const Worker& worker) { runCycles(worker, cycle, firstStep, end); });
  if (!failure_->hasFailedBy(end.step())) return end.step() - firstStep;
  if (cycle.perPass == 1 || !isAlone_) return 0;
  // A pass has failed. Its steps before the one that fails are made one by one.
  const std::int64_t first = failure_->step();
  failure_.emplace();
  return runPart({plan.threads, end.planned() - first, plan.seconds}, {}, first);
}

BatchResult CpuBatch::result() {
  if (scatter_ && !failure_->exception()) {
    overflowedWords_ = fields_->devices().ranks().sum(overflowedWords_);
    lost_ = fields_->devices().ranks().sum(lost_);
  }
  return {.steps = std::min(batch_->steps, failure_->step()),
          .swapped = differences(frontsOf(*fields_), current_),
          .ghostsFresh = refreshesAtEnd_,
          .freshRows = otherDepth_,
          .overflowedWords = overflowedWords_,
          .lost = lost_,
          .failure = failure_->exception()};
}

}  // namespace mass::detail

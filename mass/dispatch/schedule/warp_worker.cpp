#include <mass/dispatch/schedule/rank_gateway.hpp>
#include <mass/dispatch/schedule/warp_worker.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace mass::detail {

namespace {

constexpr std::size_t eventsAtATime = 32;         // between looks for messages
constexpr std::size_t eventsInRound = 512;        // between rounds of the GVT, by worker 0
constexpr std::size_t looksBeforeYield = 32;      // for messages, with nothing to execute
constexpr std::size_t mostUncommitted = 1 << 14;  // events in the logs of a worker
constexpr std::size_t countWords = sizeof(PlaceCounts) / sizeof(std::uint64_t);

}  // namespace

MessageRings::MessageRings(const BlockMap& map, std::size_t eventBytes)
    : stations_(map.localWorkers() + (map.ranks() > 1 ? 1 : 0)) {
  for (std::size_t pair = 0; pair < stations_ * stations_; ++pair) {
    const bool isOne = pair / stations_ == pair % stations_;
    rings_.push_back(isOne ? nullptr : std::make_unique<MessageRing>(eventBytes));
  }
}

std::size_t MessageRings::bytes() const {
  std::size_t bytes = 0;
  for (const auto& ring : rings_) bytes += ring ? ring->bytes() : 0;
  return bytes;
}

void VirtualTime::publish(double gvt, double failure, double end) {
  const bool fails = failure < WorkerReport::never && failure <= gvt;
  least.store(std::max(gvt, least.load(std::memory_order_relaxed)), std::memory_order_release);
  if (fails) hasFailed.store(true, std::memory_order_relaxed);
  if (fails || gvt >= end) isOver.store(true, std::memory_order_release);
}

WarpWorker::WarpWorker(std::size_t station, const BlockMap& map, const ScheduleKernel& kernel,
                       const MessageRings& rings, RankGateway* gateway)
    : EventExecutor(kernel),
      station_(station),
      map_(&map),
      rings_(&rings),
      gateway_(gateway),
      workers_(map.workers()),
      number_(map.firstLocal() + station),
      channels_(workers_ > 1 ? map.blocks : 0),
      cancels_(workers_),
      ignored_(kernel.eventBytes) {
  assignBlocks();
}

void WarpWorker::assignBlocks() {
  firstBlock_ = map_->firstBlocks[number_];
  blocks_ = std::vector<Block>(map_->firstBlocks[number_ + 1] - firstBlock_);
  for (Block& block : blocks_) block.sent.resize(workers_);
  channels_ = std::vector<Channel>(channels_.size());
}

void WarpWorker::takeWork(std::span<double> work) {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    work[firstBlock_ + block] += static_cast<double>(blocks_[block].work);
    blocks_[block].work = 0;
  }
}

void WarpWorker::begin(const ScheduleRun& run, std::size_t bytes) {
  EventExecutor::begin(run);
  mostBytes_ = bytes;
  stateWords_ = run.states->stride() / sizeof(std::uint64_t);
  if (savings_.empty() || inverses_ != run.kernel->inverses) {
    inverses_ = run.kernel->inverses;
    savings_.clear();
    for (const ScheduledRule inverse : inverses_)
      savings_.emplace_back(run.saving, inverse != nullptr);
  }
  leastSent_ = WorkerReport::never;
  failure_ = WorkerReport::never;
}

/// Executes an event that has been removed from the queue, or skips it if it is cancelled. If its
/// rule throws, it is as before, in the queue, and `failure_` is its time.
void WarpWorker::executeNext(std::uint32_t event) {
  UndoLog& log = blockOf(event).log;
  if (cancelled_.take(pool_[event])) {
    ++uncommitted_;
    log.addSkipped(pool_[event], event);
    pool_.setState(event, EventState::executed);
    return;
  }
  const bool succeeds =
      savings_[pool_[event].rule].isMeasured() ? measure(event, log) : call(event, log);
  if (!succeeds) {
    failure_ = pool_[event].time;
    queue_.push(event);
    return;
  }
  ++counts_.executed;
  ++uncommitted_;
  for (const EventHandle& each : added_.cancelled())
    if (cancelled_.add(each)) log.addCancelled(each);
  pool_.setState(event, EventState::executed);
  deliver(event);
}

/// Calls the rule of an event and adds it to the log, which then can undo it. @return false if the
/// rule throws; the state is as before then
bool WarpWorker::call(std::uint32_t event, UndoLog& log) {
  auto* const state = reinterpret_cast<std::uint64_t*>(run_->states->of(pool_[event].place));
  const bool isInverse = savings_[pool_[event].rule].usesInverse();
  const std::size_t words = isInverse ? countWords : stateWords_;
  log.save(state, words);
  added_.clear();
  try {
    execute(*run_, pool_[event], added_);
  } catch (...) {
    log.restore(state, words);
    if (isInverse) throw;  // the place cannot be restored
    return false;
  }
  log.add(pool_[event], event, state, words, isInverse);
  return true;
}

/// Calls a rule as call() does, measures it, and checks its inverse if it saves the state.
bool WarpWorker::measure(std::uint32_t event, UndoLog& log) {
  using Clock = std::chrono::steady_clock;
  SavingChoice& saving = savings_[pool_[event].rule];
  const auto* const state =
      reinterpret_cast<const std::uint64_t*>(run_->states->of(pool_[event].place));
  if (!saving.usesInverse()) before_.assign(state, state + stateWords_);
  const auto begin = Clock::now();
  if (!call(event, log)) return false;
  const std::chrono::duration<double> time = Clock::now() - begin;
  saving.add(time.count(), saving.usesInverse() ? 0 : checkInverse(event));
  return true;
}

/// Applies the inverse of the last event to a copy of its place. @return its time in s
/// @throws UsageError if it does not restore `before_`
double WarpWorker::checkInverse(std::uint32_t number) {
  using Clock = std::chrono::steady_clock;
  const ScheduledEvent& event = pool_[number];
  const auto* const state = reinterpret_cast<const std::uint64_t*>(run_->states->of(event.place));
  undone_.assign(state, state + stateWords_);
  std::copy_n(before_.begin(), countWords, undone_.begin());
  const auto begin = Clock::now();
  invert(event, reinterpret_cast<std::byte*>(undone_.data()));
  const std::chrono::duration<double> time = Clock::now() - begin;
  if (undone_ != before_)
    throw UsageError(
        "{}, place ({}), at {:.10g} s: the inverse of '{}' does not restore the attributes, bit "
        "for "
        "bit; correct it, or leave it out",
        run_->world->name, run_->world->textOf(event.place), event.time,
        run_->kernel->names[event.rule]);
  return time.count();
}

/// Calls the inverse of the rule of an event. @param state that after the event, but with the
/// counts before it
void WarpWorker::invert(const ScheduledEvent& event, std::byte* state) {
  PlaceCounts counts = *reinterpret_cast<const PlaceCounts*>(state);
  ignored_.clear();
  ScheduleCall call{run_->world, &event, &counts, &ignored_};
  run_->kernel->inverses[event.rule](state + sizeof(PlaceCounts),
                                     reinterpret_cast<const std::byte*>(&event + 1), call,
                                     run_->arguments);
}

/// Delivers the events that an event has scheduled.
void WarpWorker::deliver(std::uint32_t cause) {
  for (std::size_t i = 0; i < added_.size(); ++i) {
    const std::size_t worker = map_->workerOf[map_->blockOf(added_[i].place)];
    if (worker == number_) {
      const std::uint32_t event = pool_.take(added_[i]);
      pool_[event].next = pool_[cause].first;
      pool_[cause].first = event;
      addLocal(event);
    } else {
      send(blockOf(cause), worker, pool_[cause], added_[i]);
    }
  }
}

/// Adds an event to the queue. Rolls its block back if that has executed a later one.
void WarpWorker::addLocal(std::uint32_t event) {
  Block& block = blockOf(event);
  if (!block.log.empty() && isBefore(pool_[event], pool_[block.log.last().event])) {
    ++counts_.stragglers;
    rollBack(block, event);
  }
  queue_.push(event);
}

void WarpWorker::send(Block& block, std::size_t worker, const ScheduledEvent& cause,
                      const ScheduledEvent& event) {
  ++counts_.sent;
  ++block.sent[worker];
  block.log.addSent(static_cast<std::uint32_t>(worker));
  leastSent_ = std::min(leastSent_, event.time);
  const auto number = static_cast<std::uint32_t>(firstBlock_ + (&block - blocks_.data()));
  ringTo(worker).send({cause.time, number, 0, static_cast<std::uint32_t>(worker), 1}, &event);
}

bool WarpWorker::exchange() {
  bool hasAny = false;
  for (std::size_t other = 0; other < rings_->stations(); ++other) {
    if (other == station_) continue;
    if (MessageRing& out = rings_->at(station_, other); out.isWaiting()) {
      hasAny = true;
      out.flush();
    }
    rings_->at(other, station_)
        .receive([&](const ScheduleMessage& message, const ScheduledEvent& event) {
          hasAny = true;
          receive(message, event);
        });
  }
  if (hasAny) failure_ = WorkerReport::never;  // the event may succeed now, or not be the next one
  return hasAny;
}

void WarpWorker::receive(const ScheduleMessage& message, const ScheduledEvent& event) {
  Channel& channel = channels_[message.block];
  if (message.isEvent != 0) {
    const std::uint32_t received = pool_.take(event);
    channel.items.push({message.time, received});
    ++channel.count;
    addLocal(received);
    return;
  }
  for (; channel.count != message.kept; --channel.count) {
    const std::uint32_t last = channel.items.back().event;
    channel.items.popBack();
    if (pool_.stateOf(last) == EventState::executed) ++counts_.cancelled;
    cancel(last);
  }
  while (!doomed_.empty()) {
    const std::uint32_t doomed = doomed_.back();
    doomed_.pop_back();
    if (pool_.stateOf(doomed) == EventState::doomed) rollBack(blockOf(doomed), doomed);
  }
}

/// Cancels a pending event, or marks an executed one to be rolled back.
void WarpWorker::cancel(std::uint32_t event) {
  if (pool_.stateOf(event) == EventState::pending) {
    pool_.setState(event, EventState::cancelled);
  } else {
    pool_.setState(event, EventState::doomed);
    doomed_.push_back(event);
  }
}

/// Rolls a block back to the state before an event, and others that have executed events which are
/// cancelled by that.
/// @param limit an event of the pool; none: to the begin of the log
void WarpWorker::rollBack(Block& block, std::uint32_t limit) {
  rollBackBlock(block, limit);
  while (!doomed_.empty()) {
    const std::uint32_t doomed = doomed_.back();
    doomed_.pop_back();
    if (pool_.stateOf(doomed) == EventState::doomed) rollBackBlock(blockOf(doomed), doomed);
  }
}

void WarpWorker::rollBackBlock(Block& block, std::uint32_t limit) {
  double time = 0;
  bool sends = false;
  while (!block.log.empty()) {
    const UndoLog::Record last = block.log.last();
    if (limit != ScheduledEvent::none && isBefore(pool_[last.event], pool_[limit])) break;
    time = pool_[last.event].time;
    sends = sends || last.sent > 0;
    undoLast(block);
  }
  if (sends) sendCancellations(block, time);
}

/// Undoes the last event of a block, which is pending then, or removed if it was to be cancelled.
void WarpWorker::undoLast(Block& block) {
  const std::uint32_t event = block.log.last().event;
  ScheduledEvent& undone = pool_[event];
  auto* const state = reinterpret_cast<std::uint64_t*>(run_->states->of(undone.place));
  const bool isInverse = block.log.last().isInverse != 0;
  if (block.log.last().isSkipped != 0) cancelled_.add(handleOf(undone));
  if (block.log.last().isSkipped == 0) ++counts_.undone;
  block.log.undoLast(
      state,
      [&](std::uint32_t worker) {
        --block.sent[worker];
        cancels_[worker] = 1;
      },
      [&](const EventHandle& cancelled) { cancelled_.remove(cancelled); });
  if (isInverse) invert(undone, reinterpret_cast<std::byte*>(state));
  for (std::uint32_t i = undone.first; i != ScheduledEvent::none; i = pool_[i].next) cancel(i);
  undone.first = ScheduledEvent::none;
  --uncommitted_;
  if (pool_.stateOf(event) == EventState::doomed) {
    pool_.free(event);
  } else {
    pool_.setState(event, EventState::pending);
    queue_.push(event);
  }
}

/// Sends other workers the numbers of events of a block that remain.
/// @param time time of the first event that was rolled back
void WarpWorker::sendCancellations(Block& block, double time) {
  const auto number = static_cast<std::uint32_t>(firstBlock_ + (&block - blocks_.data()));
  for (std::size_t worker = 0; worker < workers_; ++worker) {
    if (cancels_[worker] == 0) continue;
    cancels_[worker] = 0;
    ++counts_.messages;
    leastSent_ = std::min(leastSent_, time);
    ringTo(worker).send({time, number, block.sent[worker], static_cast<std::uint32_t>(worker), 0},
                        nullptr);
  }
}

void WarpWorker::rollBackAll() {
  for (Block& block : blocks_) rollBack(block, ScheduledEvent::none);
}

void WarpWorker::commitBefore(double time) {
  for (Channel& channel : channels_)
    while (!channel.items.empty() && channel.items.front().sent < time) channel.items.popFront();
  for (Block& block : blocks_) {
    block.work += block.log.size();
    for (; !block.log.empty() && block.log.first().time < time; block.log.forgetFirst()) {
      const UndoLog::Record& first = block.log.first();
      if (first.isSkipped == 0) counts_.commit(first.rule, first.hash);
      pool_.recycle(first.event);
      --uncommitted_;
    }
    block.work -= block.log.size();
  }
}

/// Reports in a round of the GVT.
void WarpWorker::report(std::uint64_t round, WorkerReport& own) {
  exchange();  // receives all that others have sent before their last reports
  own.failure.store(failure_, std::memory_order_relaxed);
  const double ofGateway =
      gateway_ != nullptr && station_ == 0 ? gateway_->report() : WorkerReport::never;
  own.least.store(std::min({nextTime(), leastSent_, ofGateway}), std::memory_order_relaxed);
  leastSent_ = WorkerReport::never;
  // Messages that still wait belong to the next round, too.
  for (std::size_t other = 0; other < rings_->stations(); ++other)
    if (other != station_)
      leastSent_ = std::min(leastSent_, rings_->at(station_, other).leastWaiting());
  own.round.store(round, std::memory_order_release);
}

/// Ends a round in which all have reported, and begins the next one.
void WarpWorker::conclude(VirtualTime& time, std::span<WorkerReport> reports) {
  const std::uint64_t round = time.round.load(std::memory_order_relaxed);
  double least = WorkerReport::never, failure = WorkerReport::never;
  for (const WorkerReport& each : reports) {
    if (each.round.load(std::memory_order_acquire) != round) return;
    least = std::min(least, each.least.load(std::memory_order_relaxed));
    failure = std::min(failure, each.failure.load(std::memory_order_relaxed));
  }
  ++counts_.rounds;
  if (gateway_ != nullptr) {
    gateway_->conclude(least, failure);
  } else {
    time.publish(least, failure, run_->end);
  }
  if (!time.isOver.load(std::memory_order_relaxed))
    time.round.store(round + 1, std::memory_order_release);
}

/// Makes the worker less ahead of others if many of its executions were in vain.
void WarpWorker::adaptWindow(double gvt) {
  constexpr std::int64_t least = 256;      // executions
  constexpr double smallestWindow = 1e-9;  // s
  const std::int64_t executed = counts_.executed - executedBefore_;
  if (executed < least) return;
  const std::int64_t undone = counts_.undone - undoneBefore_;
  executedBefore_ = counts_.executed;
  undoneBefore_ = counts_.undone;
  if (undone * 10 > executed) {
    const double ahead = nextTime() - gvt;
    window_ = std::max(0.5 * std::min(window_, ahead), smallestWindow);
  } else if (undone * 25 < executed) {
    window_ *= 1.05;
  }
}

/// Executes the next events, unless they are too far ahead of other workers. @return true if any
bool WarpWorker::executeSome(double gvt, const VirtualTime& virtualTime,
                             std::span<WorkerReport> reports) {
  double slowest = virtualTime.nextOfOthers.load(std::memory_order_relaxed);
  for (std::size_t other = 0; other < reports.size(); ++other) {
    if (other != station_)
      slowest = std::min(slowest, reports[other].next.load(std::memory_order_relaxed));
  }
  const double limit = std::min(run_->end, slowest + window_);
  const bool isFull = mostBytes_ != 0 && usedBytes() >= mostBytes_;
  std::size_t executed = 0;
  double time = nextTime();
  while (executed < eventsAtATime && failure_ == WorkerReport::never && time < run_->end &&
         (time < limit || time <= slowest) &&
         ((uncommitted_ < mostUncommitted && !isFull) || time <= gvt)) {
    const std::uint32_t event = queue_.first();
    queue_.removeFirst();
    prefetch();
    executeNext(event);
    ++executed;
    time = nextTime();
  }
  reports[station_].next.store(time, std::memory_order_relaxed);
  return executed > 0;
}

void WarpWorker::runTogether(VirtualTime& time, std::span<WorkerReport> reports) {
  WorkerReport& own = reports[station_];
  double gvt = -1;
  std::size_t sinceRound = 0, idle = 0;
  while (!time.isOver.load(std::memory_order_acquire)) {
    exchange();
    const std::uint64_t round = time.round.load(std::memory_order_acquire);
    const bool isDue = station_ != 0 || sinceRound >= eventsInRound || idle > 0;
    if (own.round.load(std::memory_order_relaxed) != round && isDue) {
      report(round, own);
      sinceRound = 0;
    }
    if (station_ == 0) {
      if (own.round.load(std::memory_order_relaxed) == round) conclude(time, reports);
      if (gateway_ != nullptr) gateway_->advance(time, reports, run_->end);
    }
    if (const double least = time.least.load(std::memory_order_acquire); least > gvt) {
      gvt = least;
      commitBefore(gvt);
      adaptWindow(gvt);
    }
    if (executeSome(gvt, time, reports)) {
      sinceRound += eventsAtATime;
      idle = 0;
    } else if (++idle > looksBeforeYield) {
      std::this_thread::yield();
    }
  }
  commitBefore(time.least.load(std::memory_order_acquire));
}

std::size_t WarpWorker::leastBytes(const ScheduleKernel& kernel) {
  return eventsAtATime * (2 * kernel.eventBytes + sizeof(UndoLog::Record) + sizeof(PlaceCounts) +
                          kernel.placeBytes);
}

std::size_t WarpWorker::usedBytes() const {
  std::size_t bytes = EventExecutor::usedBytes();
  for (const Block& block : blocks_) bytes += block.log.usedBytes();
  return bytes;
}

std::size_t WarpWorker::bytes() const {
  std::size_t bytes = EventExecutor::bytes() + channels_.size() * sizeof(Channel);
  for (const Block& block : blocks_) bytes += sizeof(Block) + block.log.bytes();
  for (const Channel& channel : channels_) bytes += channel.items.bytes();
  return bytes;
}

}  // namespace mass::detail

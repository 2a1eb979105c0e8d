#include <mass/backend/device_config.hpp>
#include <mass/dispatch/schedule/time_warp.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

namespace mass::detail {

TimeWarp::TimeWarp(const ScheduleKernel& kernel, std::int64_t places, const DeviceConfig& devices)
    : ranks_(&devices.ranks()),
      places_(places),
      map_(places, workersOfRanks(devices), static_cast<std::size_t>(ranks_->number())),
      firstPlaces_(firstPlacesOfRanks(devices, places)),
      rings_(map_, kernel.eventBytes) {
  if (map_.ranks() > 1)
    gateway_ = std::make_unique<RankGateway>(*ranks_, map_, rings_, kernel.eventBytes);
  for (std::size_t worker = 0; worker < map_.localWorkers(); ++worker)
    workers_.push_back(std::make_unique<WarpWorker>(worker, map_, kernel, rings_, gateway_.get()));
}

void TimeWarp::insert(const ScheduledEvent& event) {
  if (inOrder_) {
    inOrder_->insert(event);
  } else {
    const std::size_t worker = map_.ownerOf(event.place) - map_.firstLocal();
    if (worker < workers_.size()) workers_[worker]->insert(event);
  }
}

void TimeWarp::cancel(const EventHandle& event) {
  if (inOrder_) return inOrder_->cancel(event);
  const std::size_t worker = map_.ownerOf(event.place) - map_.firstLocal();
  if (worker < workers_.size()) workers_[worker]->cancelPending(event);
}

void TimeWarp::run(const ScheduleRun& run) {
  if (!hasRun_) {
    requireMemory(run);
    hasRun_ = true;
    if (movesBlocks()) {
      // The first part shows how much work the blocks are.
      constexpr double part = 1.0 / 16;
      ScheduleRun first = run;
      first.end = run.begin + part * (run.end - run.begin);
      runPart(first);
    }
  }
  balance(run);
  runPart(run);
}

/// Divides the blocks of each rank anew among its workers if their work differs. All ranks call it
/// together.
void TimeWarp::balance(const ScheduleRun& run) {
  constexpr double leastEvents = 1 << 14;
  if (inOrder_ || !movesBlocks()) return;
  work_.resize(map_.blocks);
  for (const auto& worker : workers_) worker->takeWork(work_);
  std::vector<double> all = work_;
  std::vector<std::size_t> offsets;
  for (const std::size_t worker : map_.firstWorkers)
    offsets.push_back(map_.firstBlocks[worker] * sizeof(double));
  if (map_.ranks() > 1) ranks_->allGatherInPlace(all.data(), offsets);
  if (std::accumulate(all.begin(), all.end(), 0.0) < leastEvents) return;
  work_.clear();
  if (!map_.balance(all)) return;
  moveEvents(run);
}

/// Gives the pending events of blocks that have moved to their new workers.
void TimeWarp::moveEvents(const ScheduleRun& run) {
  const std::size_t bytes = run.kernel->eventBytes;
  std::vector<std::vector<std::byte>> moved(workers_.size());  // by worker before
  run.devices->run([&](const Worker& worker) {
    const auto number = static_cast<std::size_t>(worker.thread());
    workers_[number]->takeForeign([&](const ScheduledEvent& event) {
      const auto* const first = reinterpret_cast<const std::byte*>(&event);
      moved[number].insert(moved[number].end(), first, first + bytes);
    });
  });
  run.devices->run([&](const Worker& worker) {
    const auto number = static_cast<std::size_t>(worker.thread());
    workers_[number]->assignBlocks();
    for (const std::vector<std::byte>& events : moved) {
      for (std::size_t at = 0; at < events.size(); at += bytes) {
        const auto& event = *reinterpret_cast<const ScheduledEvent*>(events.data() + at);
        if (map_.ownerOf(event.place) == map_.firstLocal() + number)
          workers_[number]->insert(event);
      }
    }
  });
}

/// Executes the events before `run.end`.
void TimeWarp::runPart(const ScheduleRun& run) {
  if (inOrder_) return runInOrder(run);
  const std::size_t used = usedBytes();
  const std::size_t rest = run.bytes > used ? (run.bytes - used) / workers_.size() : 0;
  for (const auto& worker : workers_)
    worker->begin(run, run.bytes == 0 ? 0 : std::max<std::size_t>(1, worker->usedBytes() + rest));
  if (map_.workers() == 1) {
    WarpWorker& worker = *workers_.front();
    worker.executeBefore(run.end, [&](const ScheduledEvent& event) { worker.insert(event); });
  } else if (!runTogether(run)) {
    return fallBack(run);
  }
  for (const auto& worker : workers_) worker->forgetBefore(run.end);
}

/// Returns the bytes of the pending events of this rank, and of the rings of messages.
std::size_t TimeWarp::usedBytes() const {
  std::size_t bytes = rings_.bytes();
  for (const auto& worker : workers_) bytes += worker->usedBytes();
  return bytes;
}

/// @throws UsageError if the bound of the memory is too small for the first call, on all ranks
void TimeWarp::requireMemory(const ScheduleRun& run) const {
  if (run.bytes == 0) return;
  // Room for the events that a worker executes before it looks at its memory again.
  const std::size_t least = usedBytes() + workers_.size() * WarpWorker::leastBytes(*run.kernel);
  std::size_t most = 0;
  for (const std::size_t ofRank : ranks_->allGather(least)) most = std::max(most, ofRank);
  if (most > run.bytes)
    throw UsageError(
        "events.memory: {:.3g} MiB are too small for the pending events of '{}' and the messages "
        "between {} threads; set it to {:.4g} or more",
        static_cast<double>(run.bytes) / 0x1p20, run.world->name, workers_.size(),
        std::ceil(static_cast<double>(most) / 0x1p20 * 100) / 100);
}

/// @return false if a rule has failed
bool TimeWarp::runTogether(const ScheduleRun& run) {
  VirtualTime time;
  time.round = 1;
  std::vector<WorkerReport> reports(workers_.size());
  if (gateway_) {
    gateway_->begin();
    time.nextOfOthers = 0;
  }
  run.devices->run([&](const Worker& worker) {
    try {
      workers_[static_cast<std::size_t>(worker.thread())]->runTogether(time, reports);
    } catch (...) {  // memory is exhausted
      time.isOver = true;
      throw;
    }
  });
  exchangeAll();
  return !time.hasFailed;
}

/// Delivers all messages that are on their way.
void TimeWarp::exchangeAll() {
  do {
    for (bool hasAny = true; hasAny;) {
      hasAny = gateway_ && gateway_->collect();
      for (const auto& worker : workers_) hasAny = worker->exchange() || hasAny;
    }
  } while (gateway_ && gateway_->exchangeRest());
}

/// Executes the rest of the events one after the other, from the GVT on, so that the failure of the
/// rule that comes first is reported. Each rank executes the events of all, and so has the same
/// failure.
void TimeWarp::fallBack(const ScheduleRun& run) {
  for (const auto& worker : workers_) worker->rollBackAll();
  exchangeAll();
  const std::size_t bytes = run.kernel->eventBytes;
  std::string own;
  for (const auto& worker : workers_)
    worker->takeAll([&](const ScheduledEvent& event) {
      own.append(reinterpret_cast<const char*>(&event), bytes);
    });
  inOrder_ = std::make_unique<SequentialEngine>(*run.kernel);
  std::vector<std::byte> event(bytes);
  for (const std::string& ofRank : ranks_->allGather(own)) {
    for (std::size_t at = 0; at < ofRank.size(); at += bytes) {
      std::memcpy(event.data(), ofRank.data() + at, bytes);
      inOrder_->insert(*reinterpret_cast<const ScheduledEvent*>(event.data()));
    }
  }
  runInOrder(run);
}

/// Executes the events of all ranks on each of them.
void TimeWarp::runInOrder(const ScheduleRun& run) {
  ScheduleStates& own = *run.states;
  ScheduleStates all(0, places_, run.kernel->placeBytes);
  const auto bytes = static_cast<std::size_t>(own.places()) * own.stride();
  std::byte* const ofOwn = all.data() + static_cast<std::size_t>(own.first()) * own.stride();
  std::copy_n(own.data(), bytes, ofOwn);
  gatherPlaces(*ranks_, firstPlaces_, all.data(), own.stride());
  ScheduleRun ofAll = run;
  ofAll.states = &all;
  inOrder_->run(ofAll);
  std::copy_n(ofOwn, bytes, own.data());
}

ScheduleCounts TimeWarp::counts() const {
  ScheduleCounts all = workers_.front()->counts();
  for (std::size_t worker = 1; worker < workers_.size(); ++worker)
    all.add(workers_[worker]->counts());
  if (gateway_) all.rounds = isFirst() ? gateway_->rounds() : 0;
  if (inOrder_ && isFirst()) all.add(inOrder_->counts());
  return all;
}

void TimeWarp::forEachPending(const std::function<void(const ScheduledEvent&)>& f) const {
  if (inOrder_) {
    if (isFirst()) inOrder_->forEachPending(f);
    return;
  }
  for (const auto& worker : workers_) worker->forEachPending(f);
}

std::size_t TimeWarp::bytes() const {
  std::size_t bytes = rings_.bytes() + (gateway_ ? gateway_->bytes() : 0);
  for (const auto& worker : workers_) bytes += worker->bytes();
  return bytes;
}

}  // namespace mass::detail

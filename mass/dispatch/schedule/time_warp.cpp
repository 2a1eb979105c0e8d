#include <mass/backend/device_config.hpp>
#include <mass/dispatch/schedule/time_warp.hpp>

#include <cstring>
#include <string>

namespace mass::detail {

namespace {

std::vector<std::size_t> workersOfRanks(const DeviceConfig& devices) {
  return devices.ranks().allGather(static_cast<std::size_t>(devices.threads()));
}

}  // namespace

TimeWarp::TimeWarp(const ScheduleKernel& kernel, std::int64_t places, const DeviceConfig& devices)
    : ranks_(&devices.ranks()),
      places_(places),
      map_(places, workersOfRanks(devices), static_cast<std::size_t>(ranks_->number())),
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
    const std::size_t worker = map_.workerOf[map_.blockOf(event.place)] - map_.firstLocal();
    if (worker < workers_.size()) workers_[worker]->insert(event);
  }
}

void TimeWarp::run(const ScheduleRun& run) {
  if (inOrder_) {
    inOrder_->run(run);
  } else if (map_.workers() == 1) {
    workers_.front()->runAlone(run);
  } else if (runTogether(run)) {
    shareStates(*run.states);
  } else {
    fallBack(run);
  }
}

/// @return false if a rule has failed
bool TimeWarp::runTogether(const ScheduleRun& run) {
  VirtualTime time;
  time.round = 1;
  std::vector<WorkerReport> reports(workers_.size());
  for (const auto& worker : workers_) worker->begin(run);
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

/// Copies the states of places from the ranks that own them to all.
void TimeWarp::shareStates(ScheduleStates& states) const {
  std::vector<std::size_t> offsets;
  for (std::size_t rank = 0; rank <= map_.ranks(); ++rank)
    offsets.push_back(static_cast<std::size_t>(map_.firstPlace(rank, places_)) * states.stride());
  ranks_->allGatherInPlace(states.of(0), offsets);
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
  shareStates(*run.states);
  inOrder_ = std::make_unique<SequentialEngine>(*run.kernel);
  std::vector<std::byte> event(bytes);
  for (const std::string& ofRank : ranks_->allGather(own)) {
    for (std::size_t at = 0; at < ofRank.size(); at += bytes) {
      std::memcpy(event.data(), ofRank.data() + at, bytes);
      inOrder_->insert(*reinterpret_cast<const ScheduledEvent*>(event.data()));
    }
  }
  inOrder_->run(run);
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

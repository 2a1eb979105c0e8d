#include <mass/backend/device_config.hpp>
#include <mass/dispatch/schedule/time_warp.hpp>

namespace mass::detail {

TimeWarp::TimeWarp(const ScheduleKernel& kernel, std::int64_t places, const DeviceConfig& devices)
    : map_(places, static_cast<std::size_t>(devices.threads())) {
  const auto workers = static_cast<std::size_t>(devices.threads());
  for (std::size_t pair = 0; pair < workers * workers; ++pair) {
    const bool isOne = pair / workers == pair % workers;
    rings_.push_back(isOne ? nullptr : std::make_unique<MessageRing>(kernel.eventBytes));
  }
  for (std::size_t worker = 0; worker < workers; ++worker)
    workers_.push_back(std::make_unique<WarpWorker>(worker, map_, kernel, rings_));
}

void TimeWarp::insert(const ScheduledEvent& event) {
  if (inOrder_) {
    inOrder_->insert(event);
  } else {
    workers_[map_.workerOf[map_.blockOf(event.place)]]->insert(event);
  }
}

void TimeWarp::run(const ScheduleRun& run) {
  if (inOrder_) {
    inOrder_->run(run);
  } else if (workers_.size() == 1) {
    workers_.front()->runAlone(run);
  } else if (!runTogether(run)) {
    fallBack(run);
  }
}

/// @return false if a rule has failed
bool TimeWarp::runTogether(const ScheduleRun& run) {
  VirtualTime time;
  time.round = 1;
  std::vector<WorkerReport> reports(workers_.size());
  for (const auto& worker : workers_) worker->begin(run);
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
  for (bool hasAny = true; hasAny;) {
    hasAny = false;
    for (const auto& worker : workers_) hasAny = worker->exchange() || hasAny;
  }
}

/// Executes the rest of the events one after the other, from the GVT on, so that the failure of the
/// rule that comes first is reported.
void TimeWarp::fallBack(const ScheduleRun& run) {
  for (const auto& worker : workers_) worker->rollBackAll();
  exchangeAll();
  inOrder_ = std::make_unique<SequentialEngine>(*run.kernel);
  for (const auto& worker : workers_)
    worker->takeAll([&](const ScheduledEvent& event) { inOrder_->insert(event); });
  inOrder_->run(run);
}

ScheduleCounts TimeWarp::counts() const {
  ScheduleCounts all = workers_.front()->counts();
  for (std::size_t worker = 1; worker < workers_.size(); ++worker)
    all.add(workers_[worker]->counts());
  if (inOrder_) all.add(inOrder_->counts());
  return all;
}

void TimeWarp::forEachPending(const std::function<void(const ScheduledEvent&)>& f) const {
  if (inOrder_) return inOrder_->forEachPending(f);
  for (const auto& worker : workers_) worker->forEachPending(f);
}

std::size_t TimeWarp::bytes() const {
  std::size_t bytes = 0;
  for (const auto& worker : workers_) bytes += worker->bytes();
  for (const auto& ring : rings_) bytes += ring ? ring->bytes() : 0;
  return bytes;
}

}  // namespace mass::detail

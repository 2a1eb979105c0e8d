#include <mass/dispatch/schedule/conservative.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace mass::detail {

Conservative::Conservative(const ScheduleKernel& kernel, std::int64_t places,
                           const DeviceConfig& devices)
    : ranks_(&devices.ranks()),
      map_(places, workersOfRanks(devices), static_cast<std::size_t>(ranks_->number())),
      eventBytes_(kernel.eventBytes),
      stations_(map_.localWorkers() + 1),
      peers_(map_.ranks()) {
  for (std::size_t worker = 0; worker < map_.localWorkers(); ++worker)
    workers_.push_back(std::make_unique<EventExecutor>(kernel));
  for (Station& station : stations_)
    for (Station::Window& window : station.windows)
      window.boxes.resize(map_.localWorkers() + map_.ranks());
  if (map_.ranks() == 1) return;
  std::vector<RankReceive> receives;
  std::vector<RankSend> sends;
  forEachPeer([&](int rank, Peer& peer) {
    receives.push_back({rank, &peer.received, sizeof(Header)});
    sends.push_back({rank, &peer.sent, sizeof(Header)});
  });
  headers_.emplace(*ranks_, receives, sends);
}

void Conservative::insert(const ScheduledEvent& event) {
  const std::size_t worker = map_.ownerOf(event.place) - map_.firstLocal();
  if (worker < workers_.size()) workers_[worker]->insert(event);
}

void Conservative::cancel(const EventHandle& event) {
  const std::size_t worker = map_.ownerOf(event.place) - map_.firstLocal();
  if (worker < workers_.size()) workers_[worker]->cancelPending(event);
}

void Conservative::run(const ScheduleRun& run) {
  for (const auto& worker : workers_) worker->begin(run);
  if (isAlone()) {
    EventExecutor& worker = *workers_.front();
    worker.executeBefore(run.end, [&](const ScheduledEvent& event) { worker.insert(event); });
  } else {
    run.devices->run([&](const Worker& thread) { runWindows(thread, run); });
    requireSuccess(run);
  }
  for (const auto& worker : workers_) worker->forgetBefore(run.end);
}

/// Executes the windows of a worker until the end of the run. A worker fills the boxes of a window
/// while others may still read those of the window before; so one barrier a window is enough.
void Conservative::runWindows(const Worker& thread, const ScheduleRun& run) {
  const auto worker = static_cast<std::size_t>(thread.thread());
  std::size_t parity = 0;
  stations_[worker].windows[parity].least = workers_[worker]->nextTime();
  for (;;) {
    thread.barrier();
    if (map_.ranks() > 1) {
      if (thread.isCaller()) exchangeRanks(parity);
      thread.barrier();
    }
    const Header report = map_.ranks() > 1 ? ofRanks_ : reportOf(parity);
    const double end = std::min(report.least + run.world->lookahead, run.end);
    const bool isOver = report.hasFailed != 0 || report.least >= run.end;
    if (isOver || !(end > report.least)) {
      if (worker == 0 && !isOver) stuckAt_ = report.least;
      receive(worker, parity);
      return;
    }
    if (worker == 0) ++windows_;
    Station& station = stations_[worker];
    Station::Window& next = station.windows[1 - parity];
    next.least = never;
    try {
      receive(worker, parity);
      runWindow(worker, end, 1 - parity);
    } catch (...) {
      station.failed = workers_[worker]->current();
      station.failure = std::current_exception();
      next.hasFailed = true;
    }
    next.least = std::min(next.least, workers_[worker]->nextTime());
    parity = 1 - parity;
  }
}

/// Executes the events of a worker before the end of a window.
void Conservative::runWindow(std::size_t worker, double end, std::size_t parity) {
  EventExecutor& executor = *workers_[worker];
  Station& station = stations_[worker];
  const std::size_t number = map_.firstLocal() + worker;
  executor.executeBefore(end, [&](const ScheduledEvent& event) {
    const std::size_t owner = map_.ownerOf(event.place);
    if (owner == number) {
      executor.insert(event);
    } else {
      send(station, owner, parity, event);
    }
  });
}

/// Sends an event to another worker of any rank.
void Conservative::send(Station& station, std::size_t worker, std::size_t parity,
                        const ScheduledEvent& event) {
  Station::Window& window = station.windows[parity];
  std::size_t to = worker - map_.firstLocal();
  if (to >= workers_.size()) {
    const auto& first = map_.firstWorkers;
    const auto after = std::ranges::upper_bound(first, worker);
    to = workers_.size() + static_cast<std::size_t>(after - first.begin()) - 1;
  }
  ++station.sent;
  window.least = std::min(window.least, event.time);
  Box& box = window.boxes[to];
  box.resize(box.size() + eventBytes_);
  copyEvent(box.data() + box.size() - eventBytes_, event, eventBytes_);
}

/// Adds the events that a worker has received to its queue.
void Conservative::receive(std::size_t worker, std::size_t parity) {
  for (Station& station : stations_) {
    Box& box = station.windows[parity].boxes[worker];
    for (std::size_t at = 0; at < box.size(); at += eventBytes_)
      workers_[worker]->insert(*reinterpret_cast<const ScheduledEvent*>(box.data() + at));
    box.clear();
  }
}

/// Returns the report of all workers of this rank.
Conservative::Header Conservative::reportOf(std::size_t parity) const {
  Header report{never, 0, 0};
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    const Station::Window& window = stations_[worker].windows[parity];
    report.least = std::min(report.least, window.least);
    if (window.hasFailed) report.hasFailed = 1;
  }
  return report;
}

/// Exchanges the events of a window with other ranks, and sets `ofRanks_`.
void Conservative::exchangeRanks(std::size_t parity) {
  try {
    exchangeWithPeers(parity);
  } catch (...) {
    rankFailure_ = std::current_exception();
    ofRanks_.hasFailed = 1;
  }
}

void Conservative::exchangeWithPeers(std::size_t parity) {
  ofRanks_ = reportOf(parity);
  forEachPeer([&](int rank, Peer& peer) {
    peer.sending.clear();
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
      Box& box =
          stations_[worker].windows[parity].boxes[workers_.size() + static_cast<std::size_t>(rank)];
      peer.sending.insert(peer.sending.end(), box.begin(), box.end());
      box.clear();
    }
    peer.sent = {ofRanks_.least, peer.sending.size(), ofRanks_.hasFailed};
  });
  headers_->start();
  headers_->finish();
  std::vector<RankReceive> receives;
  std::vector<RankSend> sends;
  forEachPeer([&](int rank, Peer& peer) {
    ofRanks_.least = std::min(ofRanks_.least, peer.received.least);
    ofRanks_.hasFailed |= peer.received.hasFailed;
    peer.incoming.resize(peer.received.bytes);
    if (!peer.incoming.empty())
      receives.push_back({rank, peer.incoming.data(), peer.incoming.size()});
    if (!peer.sending.empty()) sends.push_back({rank, peer.sending.data(), peer.sending.size()});
  });
  ranks_->exchange(receives, sends);
  std::vector<Box>& boxes = stations_.back().windows[parity].boxes;
  forEachPeer([&](int /*rank*/, const Peer& peer) {
    for (std::size_t at = 0; at < peer.incoming.size(); at += eventBytes_) {
      const std::byte* const first = peer.incoming.data() + at;
      const auto& event = *reinterpret_cast<const ScheduledEvent*>(first);
      Box& box = boxes[map_.ownerOf(event.place) - map_.firstLocal()];
      box.insert(box.end(), first, first + eventBytes_);
    }
  });
}

/// Throws the first failure of all rules, in the order of events. All ranks call it together.
void Conservative::requireSuccess(const ScheduleRun& run) {
  if (rankFailure_) std::rethrow_exception(rankFailure_);
  if (stuckAt_ < never)
    throw UsageError(
        "events of '{}': the lookahead of {:.10g} s does not change the time of the next event, "
        "{:.10g} s",
        run.world->name, run.world->lookahead, stuckAt_);
  const Station* first = nullptr;
  for (const Station& station : stations_)
    if (station.failure && (first == nullptr || isBefore(station.failed, first->failed)))
      first = &station;
  if (!ranks_->any(first != nullptr)) return;
  std::string text;
  if (first != nullptr) {
    try {
      std::rethrow_exception(first->failure);
    } catch (const std::exception& error) {
      text = error.what();
    }
  }
  struct Failure {
    ScheduledEvent event;
    std::uint64_t exists = 0;
  };
  const Failure own{first != nullptr ? first->failed : ScheduledEvent(),
                    first != nullptr ? 1U : 0U};
  const std::vector<Failure> all = ranks_->allGather(own);
  const std::vector<std::string> texts = ranks_->allGather(text);
  std::size_t least = all.size();
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].exists != 0 &&
        (least == all.size() || isBefore(all[rank].event, all[least].event)))
      least = rank;
  if (least == map_.rank) std::rethrow_exception(first->failure);
  throw UsageError(texts[least]);
}

ScheduleCounts Conservative::counts() const {
  ScheduleCounts all = workers_.front()->counts();
  for (std::size_t worker = 1; worker < workers_.size(); ++worker)
    all.add(workers_[worker]->counts());
  for (const Station& station : stations_) all.sent += station.sent;
  all.rounds = map_.rank == 0 ? windows_ : 0;
  return all;
}

void Conservative::forEachPending(const std::function<void(const ScheduledEvent&)>& f) const {
  for (const auto& worker : workers_) worker->forEachPending(f);
}

std::size_t Conservative::bytes() const {
  std::size_t bytes = 0;
  for (const auto& worker : workers_) bytes += worker->bytes();
  for (const Station& station : stations_)
    for (const Station::Window& window : station.windows)
      for (const Box& box : window.boxes) bytes += box.capacity();
  for (const Peer& peer : peers_) bytes += peer.sending.capacity() + peer.incoming.capacity();
  return bytes;
}

}  // namespace mass::detail

#include <mass/dispatch/schedule/rank_gateway.hpp>

#include <algorithm>
#include <cstring>

namespace mass::detail {

RankGateway::RankGateway(Ranks& ranks, const BlockMap& map, const MessageRings& rings,
                         std::size_t eventBytes)
    : ranks_(&ranks),
      map_(&map),
      rings_(&rings),
      bytes_(sizeof(ScheduleMessage) + eventBytes),
      peers_(map.ranks()) {
  for (std::size_t rank = 0; rank < map.ranks(); ++rank)
    rankOf_.insert(rankOf_.end(), map.firstWorkers[rank + 1] - map.firstWorkers[rank], rank);
  std::vector<RankReceive> receives;
  std::vector<RankSend> sends;
  forEachPeer([&](int rank, Peer& peer) {
    receives.push_back({rank, &peer.received, sizeof(Header)});
    sends.push_back({rank, &peer.sent, sizeof(Header)});
  });
  headers_.emplace(ranks, receives, sends);
}

void RankGateway::begin() {
  base_ = 0;
  failure_ = held_ = given_ = givenBefore_ = WorkerReport::never;
}

bool RankGateway::collect() {
  bool hasAny = false;
  const std::size_t own = rings_->stations() - 1;
  for (std::size_t station = 0; station < own; ++station) {
    if (MessageRing& out = rings_->at(own, station); out.isWaiting()) {
      hasAny = true;
      out.flush();
    }
    rings_->at(station, own)
        .receive([&](const ScheduleMessage& message, const ScheduledEvent& event) {
          hasAny = true;
          held_ = std::min(held_, message.leastTime(event));
          std::vector<std::byte>& next = peers_[rankOf_[message.worker]].next;
          const auto* const first = reinterpret_cast<const std::byte*>(&message);
          next.insert(next.end(), first, first + bytes_);  // the event follows the message
        });
  }
  return hasAny;
}

double RankGateway::report() {
  collect();  // receives all that workers have sent before their last reports
  const double least = std::min(held_, given_);
  givenBefore_ = std::min(givenBefore_, given_);
  // Messages that still wait belong to the next round of workers, too.
  given_ = WorkerReport::never;
  const std::size_t own = rings_->stations() - 1;
  for (std::size_t station = 0; station < own; ++station)
    given_ = std::min(given_, rings_->at(own, station).leastWaiting());
  return least;
}

void RankGateway::conclude(double least, double failure) {
  base_ = least;
  failure_ = failure;
  givenBefore_ = WorkerReport::never;
}

/// Begins a round. @param next time of the next event of this rank
void RankGateway::start(double next) {
  // All that this rank sends and has follows from the events of the workers in their last round,
  // and from what it has received since.
  own_ = {std::min({base_, given_, givenBefore_}), failure_, next, 0};
  held_ = WorkerReport::never;
  std::vector<RankSend> sends;
  forEachPeer([&](int rank, Peer& peer) {
    peer.sending.swap(peer.next);
    peer.next.clear();
    peer.sent = own_;
    peer.sent.bytes = peer.sending.size();
    if (!peer.sending.empty()) sends.push_back({rank, peer.sending.data(), peer.sending.size()});
  });
  headers_->start();
  sends_.emplace(*ranks_, std::span<const RankReceive>(), sends);
  sends_->start();
  stage_ = Stage::headers;
}

/// Posts the receives of messages whose headers have arrived.
void RankGateway::receiveMessages() {
  std::vector<RankReceive> receives;
  forEachPeer([&](int rank, Peer& peer) {
    peer.incoming.resize(peer.received.bytes);
    if (!peer.incoming.empty())
      receives.push_back({rank, peer.incoming.data(), peer.incoming.size()});
  });
  receives_.emplace(*ranks_, receives, std::span<const RankSend>());
  receives_->start();
  stage_ = Stage::messages;
}

/// Gives the messages of a round to the workers.
void RankGateway::deliver() {
  stage_ = Stage::idle;
  ++rounds_;
  const std::size_t own = rings_->stations() - 1;
  forEachPeer([&](int /*rank*/, Peer& peer) {
    for (std::size_t at = 0; at < peer.incoming.size(); at += bytes_) {
      ScheduleMessage message;
      std::memcpy(&message, peer.incoming.data() + at, sizeof(message));
      const auto& event =
          *reinterpret_cast<const ScheduledEvent*>(peer.incoming.data() + at + sizeof(message));
      given_ = std::min(given_, message.leastTime(event));
      rings_->at(own, message.worker - map_->firstLocal()).send(message, &event);
    }
  });
}

void RankGateway::advance(VirtualTime& time, std::span<const WorkerReport> reports, double end) {
  collect();
  if (time.isOver.load(std::memory_order_relaxed)) return;
  if (stage_ == Stage::idle) {
    double next = WorkerReport::never;
    for (const WorkerReport& report : reports)
      next = std::min(next, report.next.load(std::memory_order_relaxed));
    start(next);
  }
  if (stage_ == Stage::headers && headers_->tryFinish()) receiveMessages();
  if (stage_ != Stage::messages || !receives_->tryFinish() || !sends_->tryFinish()) return;
  deliver();
  double gvt = own_.least, failure = own_.failure, next = WorkerReport::never;
  forEachPeer([&](int /*rank*/, const Peer& peer) {
    gvt = std::min(gvt, peer.received.least);
    failure = std::min(failure, peer.received.failure);
    next = std::min(next, peer.received.next);
  });
  time.nextOfOthers.store(next, std::memory_order_relaxed);
  time.publish(gvt, failure, end);
}

bool RankGateway::exchangeRest() {
  bool hasAny = false;
  forEachPeer([&](int /*rank*/, const Peer& peer) { hasAny = hasAny || !peer.next.empty(); });
  if (!ranks_->any(hasAny)) return false;
  start(0);
  headers_->finish();
  receiveMessages();
  receives_->finish();
  sends_->finish();
  deliver();
  return true;
}

std::size_t RankGateway::bytes() const {
  std::size_t bytes = 0;
  for (const Peer& peer : peers_)
    bytes += peer.next.capacity() + peer.sending.capacity() + peer.incoming.capacity();
  return bytes;
}

}  // namespace mass::detail

#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/dispatch/schedule/warp_worker.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mass::detail {

/// Messages between the workers of this rank and those of others. Ranks exchange them in rounds,
/// which overlap with the work: in a round each rank sends every other one a header and the
/// messages for it, and posts the receive of messages when their header has arrived.
///
/// The headers of a round are a consistent cut (Mattern, "Efficient algorithms for distributed
/// snapshots and global virtual time approximation", 1993): messages of earlier rounds have
/// arrived everywhere. So the least of their times is a GVT, and the same on all ranks, which
/// therefore end together.
///
/// The first worker of the rank calls all functions.
class RankGateway {
 public:
  /// @param ranks, map, rings must outlive this
  RankGateway(Ranks& ranks, const BlockMap& map, const MessageRings& rings, std::size_t eventBytes);

  /// Begins a run.
  void begin();
  /// Receives messages of the workers, and advances the present round; does not wait.
  /// @param reports the workers of this rank report by them @param end end of the run
  /// @throws RankError
  void advance(VirtualTime& time, std::span<const WorkerReport> reports, double end);
  /// Returns the least time of the messages that are here, or were given to workers since the last
  /// report; see VirtualTime.
  double report();
  /// Ends a round of the workers of this rank. @param least, failure see WorkerReport
  void conclude(double least, double failure);
  /// Receives messages of the workers and sends waiting ones. @return true if there was any
  bool collect();
  /// Exchanges messages with other ranks if there are any. All ranks call it together, outside of a
  /// run. @return false if there are none on all ranks @throws RankError
  bool exchangeRest();
  /// Returns the number of rounds.
  std::int64_t rounds() const { return rounds_; }
  std::size_t bytes() const;

 private:
  /// First message of a rank to another one in a round.
  struct Header {
    double least = 0;         ///< lower bound of the times of events of the rank and its messages
    double failure = 0;       ///< time of the first event whose rule has failed, or infinity
    double next = 0;          ///< time of the next event
    std::uint64_t bytes = 0;  ///< bytes of messages
  };
  /// Messages to and from another rank.
  struct Peer {
    Header sent, received;
    std::vector<std::byte> next;      ///< messages for the next round
    std::vector<std::byte> sending;   ///< messages of the present round
    std::vector<std::byte> incoming;  ///< likewise, that arrive
  };
  enum class Stage { idle, headers, messages };

  void start(double next);
  void receiveMessages();
  void deliver();
  template <class F>
  void forEachPeer(F&& f) {
    for (std::size_t rank = 0; rank < peers_.size(); ++rank)
      if (rank != map_->rank) f(static_cast<int>(rank), peers_[rank]);
  }

  Ranks* ranks_;
  const BlockMap* map_;
  const MessageRings* rings_;
  std::size_t bytes_;                // size of a message with its event
  std::vector<std::size_t> rankOf_;  // by worker
  std::vector<Peer> peers_;          // by rank
  Stage stage_ = Stage::idle;
  std::optional<RankExchange> headers_, sends_, receives_;
  Header own_;                                // header of this rank in the present round
  double base_ = 0;                           // result of the last round of the workers
  double failure_ = WorkerReport::never;      // likewise
  double held_ = WorkerReport::never;         // least time of messages in Peer::next
  double given_ = WorkerReport::never;        // likewise, given to workers since the last report
  double givenBefore_ = WorkerReport::never;  // likewise, before it, until conclude()
  std::int64_t rounds_ = 0;
};

}  // namespace mass::detail

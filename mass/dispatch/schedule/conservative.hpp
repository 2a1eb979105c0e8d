#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/dispatch/schedule/block_map.hpp>
#include <mass/dispatch/schedule/event_executor.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>
#include <mass/support/cache_line.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace mass::detail {

/// Executes scheduled events on all threads of all ranks in windows of time of the length of the
/// lookahead, which begin at the next event of all. Events for other places are later than the
/// window, so each worker executes the events of its places in their order without state saving.
/// The workers then exchange events, and wait for each other once (on several ranks twice) a
/// window.
class Conservative : public ScheduleEngine {
 public:
  /// All ranks call it together. @param devices must outlive this
  Conservative(const ScheduleKernel& kernel, std::int64_t places, const DeviceConfig& devices);

  void insert(const ScheduledEvent& event) override;
  void cancel(const EventHandle& event) override;
  /// @pre run.world->lookahead > 0
  void run(const ScheduleRun& run) override;
  ScheduleCounts counts() const override;
  void forEachPending(const std::function<void(const ScheduledEvent&)>& f) const override;
  std::size_t bytes() const override;

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  using Box = std::vector<std::byte>;  // events, one after the other
  /// Events that a worker sends in windows of even and of odd number, and its reports on them.
  struct alignas(2 * cacheLineBytes) Station {
    struct Window {
      std::vector<Box> boxes;  ///< by local worker, then by rank
      double least = 0;        ///< time of the next event of the worker, or that it has sent
      bool hasFailed = false;
    };
    std::array<Window, 2> windows;
    ScheduledEvent failed;  ///< event whose rule has failed
    std::exception_ptr failure;
    std::int64_t sent = 0;
  };
  /// First message of a rank to another one in a window.
  struct Header {
    double least = 0;  ///< least of Station::Window::least of the rank
    std::uint64_t bytes = 0;
    std::uint64_t hasFailed = 0;
  };
  /// Messages to and from another rank.
  struct Peer {
    Header sent, received;
    Box sending, incoming;
  };

  bool isAlone() const { return map_.workers() == 1; }
  void runWindows(const Worker& thread, const ScheduleRun& run);
  void runWindow(std::size_t worker, double end, std::size_t parity);
  void receive(std::size_t worker, std::size_t parity);
  void send(Station& station, std::size_t worker, std::size_t parity, const ScheduledEvent& event);
  Header reportOf(std::size_t parity) const;
  void exchangeRanks(std::size_t parity);
  void exchangeWithPeers(std::size_t parity);
  void requireSuccess(const ScheduleRun& run);
  template <class F>
  void forEachPeer(F&& f) {
    for (std::size_t rank = 0; rank < peers_.size(); ++rank)
      if (rank != map_.rank) f(static_cast<int>(rank), peers_[rank]);
  }

  Ranks* ranks_;
  BlockMap map_;
  std::size_t eventBytes_;
  std::vector<std::unique_ptr<EventExecutor>> workers_;  // on this rank
  std::vector<Station> stations_;                        // by worker; then that of other ranks
  std::vector<Peer> peers_;                              // by rank
  std::optional<RankExchange> headers_;
  Header ofRanks_;                  // report of all ranks in the present window
  std::exception_ptr rankFailure_;  // error of a message between ranks
  std::int64_t windows_ = 0;
  double stuckAt_ = never;  // time of an event that the lookahead is too short to change
};

}  // namespace mass::detail

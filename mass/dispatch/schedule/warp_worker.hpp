#pragma once

#include <mass/dispatch/schedule/block_map.hpp>
#include <mass/dispatch/schedule/event_executor.hpp>
#include <mass/dispatch/schedule/message_ring.hpp>
#include <mass/dispatch/schedule/saving_choice.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>
#include <mass/dispatch/schedule/undo_log.hpp>
#include <mass/support/cache_line.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace mass::detail {

class RankGateway;

/// Rings between the workers of a rank, which are stations, and its gateway to others, which is the
/// last station.
class MessageRings {
 public:
  MessageRings(const BlockMap& map, std::size_t eventBytes);
  std::size_t stations() const { return stations_; }
  /// Returns the ring of messages of a station to another one.
  MessageRing& at(std::size_t from, std::size_t to) const { return *rings_[from * stations_ + to]; }
  std::size_t bytes() const;

 private:
  std::size_t stations_;
  std::vector<std::unique_ptr<MessageRing>> rings_;  // null: of a station to itself
};

/// State of the computation of the global virtual time (GVT): a time before which no event can be
/// rolled back. Its rounds have numbers. In a round each worker reports the least time of its
/// pending events and of those that it has sent since its last report.
struct alignas(2 * cacheLineBytes) VirtualTime {
  std::atomic<std::uint64_t> round = 0;
  std::atomic<double> least = 0;  ///< GVT of the last round
  std::atomic<bool> isOver = false;
  std::atomic<bool> hasFailed = false;  ///< a rule has failed at the GVT
  /// Time of the next event of other ranks, in the last round.
  std::atomic<double> nextOfOthers = std::numeric_limits<double>::infinity();

  /// Ends a round of all ranks. @param end end of the run
  /// @param failure time of the first event whose rule has failed, or infinity
  void publish(double gvt, double failure, double end);
};

/// Report of a worker to the others.
struct alignas(2 * cacheLineBytes) WorkerReport {
  static constexpr double never = std::numeric_limits<double>::infinity();

  std::atomic<std::uint64_t> round = 0;  ///< number of the last round that it has reported in
  std::atomic<double> least = 0;         ///< time that it has reported in it
  std::atomic<double> failure = never;   ///< time of the event whose rule has failed
  std::atomic<double> next = 0;          ///< time of its next event: its local virtual time
};

/// Worker of the engine TimeWarp: executes the events of its blocks in the order of isBefore(), and
/// rolls blocks back when an event arrives that should have been before.
class WarpWorker : public EventExecutor {
 public:
  /// @param station number among the workers of this rank
  /// @param rings, map, gateway must outlive this; gateway: messages to other ranks, or null
  WarpWorker(std::size_t station, const BlockMap& map, const ScheduleKernel& kernel,
             const MessageRings& rings, RankGateway* gateway);

  /// Begins a run of several workers. @param bytes bound of usedBytes() at which it executes no
  /// events ahead of the GVT; 0: none
  void begin(const ScheduleRun& run, std::size_t bytes);
  /// Executes events together with other workers, until the GVT is at the end or a rule has failed.
  /// @param reports by worker
  void runTogether(VirtualTime& time, std::span<WorkerReport> reports);
  /// Receives the messages of all others and sends waiting ones. @return true if there was any
  bool exchange();
  /// Rolls all events back that are in the logs.
  void rollBackAll();
  /// Adds the events that have happened in each own block since the last call of it to `work`, by
  /// number of the block.
  void takeWork(std::span<double> work);
  /// Takes over the blocks that the map has now. @pre outside of a run; no event of another place
  /// is pending, and no message is on its way, for any worker
  void assignBlocks();
  /// Calls f(event) for all pending events that are not cancelled, and removes all.
  template <class F>
  void takeAll(F&& f) {
    takeIf([](std::uint32_t /*place*/) { return true; }, f);
  }
  /// Does so for the events of places that the map gives to other workers now.
  template <class F>
  void takeForeign(F&& f) {
    takeIf([this](std::uint32_t place) { return map_->ownerOf(place) != number_; }, f);
  }
  /// Removes the events before `time` from the logs: they have happened.
  void commitBefore(double time);

  /// Returns a bound of the bytes of the events that a worker executes at a time, and schedules.
  static std::size_t leastBytes(const ScheduleKernel& kernel);
  /// Returns the bytes of the events and saved states.
  std::size_t usedBytes() const;
  /// Returns the bytes allocated.
  std::size_t bytes() const;

 private:
  /// Block of places.
  struct Block {
    UndoLog log;
    std::vector<std::uint32_t> sent;  ///< events sent to each worker, modulo 2^32
    std::uint64_t work = 0;           ///< events that have happened since takeWork()
  };
  /// Events that a block of another worker has sent to this one and may cancel.
  struct Channel {
    /// Received event.
    struct Item {
      double sent;  ///< time of the event that sent it
      std::uint32_t event;
    };
    RingBuffer<Item> items;
    std::uint32_t count = 0;  ///< received events that are not cancelled, modulo 2^32
  };

  template <class Taken, class F>
  void takeIf(const Taken& isTaken, F& f) {
    queue_.removeIf([&](std::uint32_t event) {
      if (pool_.stateOf(event) != EventState::cancelled) {
        if (!isTaken(pool_[event].place)) return false;
        if (!cancelled_.take(pool_[event])) f(pool_[event]);
      }
      pool_.free(event);
      return true;
    });
  }
  Block& blockOf(std::uint32_t event) {
    return blocks_[map_->blockOf(pool_[event].place) - firstBlock_];
  }
  void executeNext(std::uint32_t event);
  bool call(std::uint32_t event, UndoLog& log);
  bool measure(std::uint32_t event, UndoLog& log);
  double checkInverse(std::uint32_t number);
  void invert(const ScheduledEvent& event, std::byte* state);
  void deliver(std::uint32_t cause);
  void addLocal(std::uint32_t event);
  void send(Block& block, std::size_t worker, const ScheduledEvent& cause,
            const ScheduledEvent& event);
  void receive(const ScheduleMessage& message, const ScheduledEvent& event);
  void cancel(std::uint32_t event);
  void rollBack(Block& block, std::uint32_t limit);
  void rollBackBlock(Block& block, std::uint32_t limit);
  void undoLast(Block& block);
  void sendCancellations(Block& block, double time);
  void report(std::uint64_t round, WorkerReport& own);
  void conclude(VirtualTime& time, std::span<WorkerReport> reports);
  bool executeSome(double gvt, const VirtualTime& time, std::span<WorkerReport> reports);
  void adaptWindow(double gvt);

  /// Returns the ring of messages to another worker of any rank.
  MessageRing& ringTo(std::size_t worker) const {
    const std::size_t to = worker - map_->firstLocal();
    return rings_->at(station_, std::min(to, map_->localWorkers()));
  }

  std::size_t station_;
  const BlockMap* map_;
  const MessageRings* rings_;
  RankGateway* gateway_;
  std::size_t workers_, number_;  // number of all, number of this one
  std::size_t mostBytes_ = 0;
  std::uint32_t firstBlock_ = 0;
  std::vector<Block> blocks_;
  std::vector<Channel> channels_;        // by block of any worker
  std::vector<std::uint32_t> doomed_;    // executed events to be cancelled
  std::vector<std::uint8_t> cancels_;    // by worker: has lost events of the present roll-back
  std::size_t stateWords_ = 0;           // size of the state of a place
  std::vector<ScheduledRule> inverses_;  // inverses of the last run
  std::vector<SavingChoice> savings_;    // by rule
  ScheduledEvents ignored_;              // events that an inverse schedules
  std::vector<std::uint64_t> before_, undone_;  // states of a place, to check an inverse
  double leastSent_ = WorkerReport::never;      // least time of messages since the last report
  std::size_t uncommitted_ = 0;                 // events in the logs
  double window_ = WorkerReport::never;  // s that it may be ahead of the slowest other worker
  std::int64_t executedBefore_ = 0, undoneBefore_ = 0;  // counts at the last adaptWindow()
  double failure_ = WorkerReport::never;  // time of the next event, whose rule has failed
};

}  // namespace mass::detail

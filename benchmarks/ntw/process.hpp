#pragma once

// Logical processes of Neuron Time Warp-Multi Thread (Lin et al., ACM Trans. Model. Comput. Simul.
// 27, 2017) with their channels, as benchmarks/ntw.cpp measures them beside the library. Nothing
// here depends on the library or on a model.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <set>
#include <thread>
#include <vector>

namespace ntw {

inline constexpr double never = std::numeric_limits<double>::infinity();
inline constexpr int mostNeighbours = 6;

/// Lock that spins, and yields the processor after some turns. For std::lock_guard.
class SpinLock {
 public:
  void lock() {
    for (int turn = 0; isLocked_.exchange(true, std::memory_order_acquire);) {
      while (isLocked_.load(std::memory_order_relaxed)) {
        if (++turn % 64 == 0) std::this_thread::yield();
      }
    }
  }
  void unlock() { isLocked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> isLocked_ = false;
};

/// Queue with two ends in a buffer that grows by powers of two.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t at) { return items_[(first_ + at) & (items_.size() - 1)]; }
  T& front() { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  void pushBack(const T& item) {
    grow();
    (*this)[size_++] = item;
  }
  void pushFront(const T& item) {
    grow();
    first_ = (first_ + items_.size() - 1) & (items_.size() - 1);
    ++size_;
    front() = item;
  }
  void popFront() { first_ = (first_ + 1) & (items_.size() - 1), --size_; }
  void popBack() { --size_; }
  /// Removes an item and keeps the order of the others.
  void erase(std::size_t at) {
    for (; at + 1 < size_; ++at) (*this)[at] = (*this)[at + 1];
    popBack();
  }

 private:
  void grow() {
    if (size_ < items_.size()) return;
    std::vector<T> larger(std::max<std::size_t>(4, 2 * items_.size()));
    for (std::size_t at = 0; at < size_; ++at) larger[at] = (*this)[at];
    items_ = std::move(larger), first_ = 0;
  }

  std::vector<T> items_;
  std::size_t first_ = 0, size_ = 0;
};

/// Order of events: by time, then by the process that caused them.
struct Key {
  double time = -1;
  std::int32_t source = -1;

  friend bool operator<(const Key& a, const Key& b) {
    return a.time < b.time || (a.time == b.time && a.source < b.source);
  }
};

/// Queue in which an event is.
enum class Level : std::uint8_t { none, channel, process, thread };

struct Channel;
struct Process;
struct Event;

/// Entry of the queue of a thread, with all by which it is ordered: a comparison reads no event.
struct ThreadEntry {
  Key key;
  std::uint32_t epoch = 0;
  std::int32_t process = 0;
  Event* event = nullptr;

  friend bool operator<(const ThreadEntry& a, const ThreadEntry& b) {
    if (a.key < b.key || b.key < a.key) return a.key < b.key;
    return a.epoch < b.epoch || (a.epoch == b.epoch && a.process < b.process);
  }
};
using ThreadEntries = std::pmr::set<ThreadEntry>;

/// Event of a process: the arrival of a molecule by a channel, or a reaction or departure of its
/// own. A molecule arrives at the time at which it left, so the time of sending is that of receipt.
struct Event {
  Key key;
  std::uint32_t epoch = 0;  ///< number of RB-messages that the channel carried before
  std::uint8_t kind = 0;    ///< species that arrives
  Level at = Level::none;
  Channel* channel = nullptr;     ///< null for an own event
  Process* process = nullptr;     ///< executes the event
  ThreadEntries::iterator entry;  ///< in the queue of the thread, if it is there
};

/// True if `a` is before `b`. Two copies of a message that was sent again are ordered by epoch.
inline bool before(const Event& a, const Event& b) {
  return a.key < b.key || (!(b.key < a.key) && a.epoch < b.epoch);
}

/// Unprocessed events in ascending order.
class EventQueue {
 public:
  bool empty() const { return events_.empty(); }
  Event* front() { return events_.front(); }
  void popFront() { events_.popFront(); }
  void insert(Event* event) {
    if (events_.empty() || !before(*event, *events_.back())) return events_.pushBack(event);
    if (before(*event, *events_.front())) return events_.pushFront(event);
    events_.pushBack(event);
    for (std::size_t at = events_.size() - 1; before(*event, *events_[at - 1]); --at)
      std::swap(events_[at], events_[at - 1]);
  }
  void erase(const Event* event) {
    if (events_.front() == event) return events_.popFront();
    for (std::size_t at = 1;; ++at)
      if (events_[at] == event) return events_.erase(at);
  }
  /// Removes the events for which a condition holds. @param visit receives each of them
  template <class Condition, class Visit>
  void removeIf(const Condition& condition, const Visit& visit) {
    for (std::size_t at = 0; at < events_.size();) {
      if (Event* const event = events_[at]; condition(*event)) {
        events_.erase(at);
        visit(event);
      } else {
        ++at;
      }
    }
  }

 private:
  Ring<Event*> events_;
};

/// Unprocessed events that were submitted to the next level (`submit`, `submitTrack` of the paper).
/// Each is before those that were submitted earlier, so the last one is the first to be executed.
class SubmitTrack {
 public:
  /// True if the next level lacks `event`: it is before all that were submitted.
  bool isUrgent(const Event& event) const {
    return events_.empty() || before(event, *events_.back());
  }
  void push(Event* event) { events_.push_back(event); }
  void remove(const Event* event) {
    const auto found = std::find(events_.rbegin(), events_.rend(), event);
    if (found != events_.rend()) events_.erase(std::next(found).base());
  }
  std::vector<Event*>& events() { return events_; }

 private:
  std::vector<Event*> events_;
};

/// Input channel of a process from one of its neighbours. It also has what the process must know of
/// the events that it sends there.
struct Channel {
  Process* owner = nullptr;
  Channel* peer = nullptr;  ///< input channel of the neighbour from the owner

  SpinLock lock;  ///< protects `pending` and `track`
  EventQueue pending;
  SubmitTrack track;

  // --- used by the owner's thread only ---
  Ring<Event*> processed;       ///< ascending
  std::vector<Event*> free;     ///< memory of this channel
  double scheduleHistory = -1;  ///< time of the last event that was sent and is not cancelled
  std::uint32_t epoch = 0;      ///< number of RB-messages that were sent
};

/// Subvolume as a logical process, without the state of its model.
struct Process {
  std::int32_t number = 0;
  std::int32_t thread = 0;
  int neighbours = 0;
  Key last;   ///< key of the last executed event
  Event own;  ///< next reaction or departure

  SpinLock lock;  ///< protects `pending` and `track`
  EventQueue pending;
  SubmitTrack track;
  std::array<Channel, mostNeighbours> channels;
};

/// Message that cancels the events which a channel carried before it, and which were sent after a
/// time.
struct Rollback {
  Channel* channel = nullptr;
  double time = 0;   ///< time of the sender's last remaining event
  double bound = 0;  ///< lower bound of the times of cancelled events
  std::uint32_t epoch = 0;

  bool cancels(const Event& event) const { return event.key.time > time && event.epoch <= epoch; }
};

/// Counts of a thread.
struct Counters {
  std::int64_t executed = 0, undone = 0;                ///< events
  std::int64_t stragglers = 0;                          ///< roll-backs by events that came late
  std::int64_t friendly = 0, aggressive = 0;            ///< RB-messages
  std::int64_t unsent = 0;                              ///< RB-messages that ScheduleHistory saved
  std::array<std::int64_t, 4> messages{}, ownEvents{};  ///< insertions that ended at a level
  std::int64_t queueSum = 0, queueSamples = 0, queueMost = 0;  ///< size of the thread queue
  std::int64_t rounds = 0;        ///< computations of global virtual time
  std::int64_t allocated = 0;     ///< events from memory of the thread
  std::int64_t beforeGlobal = 0;  ///< executions and roll-backs before the global virtual time: 0

  void add(const Counters& other) {
    executed += other.executed, undone += other.undone;
    stragglers += other.stragglers, friendly += other.friendly, aggressive += other.aggressive;
    unsent += other.unsent, rounds += other.rounds, allocated += other.allocated;
    for (std::size_t level = 0; level < messages.size(); ++level)
      messages[level] += other.messages[level], ownEvents[level] += other.ownEvents[level];
    queueSum += other.queueSum, queueSamples += other.queueSamples;
    queueMost = std::max(queueMost, other.queueMost);
    beforeGlobal += other.beforeGlobal;
  }
};

}  // namespace ntw

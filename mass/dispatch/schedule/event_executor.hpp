#pragma once

#include <mass/dispatch/schedule/cancelled_events.hpp>
#include <mass/dispatch/schedule/event_pool.hpp>
#include <mass/dispatch/schedule/event_queue.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace mass::detail {

/// Pending events of a worker, and their execution in the order of isBefore().
class EventExecutor {
 public:
  explicit EventExecutor(const ScheduleKernel& kernel)
      : pool_(kernel.eventBytes), queue_(pool_), added_(kernel.eventBytes) {
    counts_.of.resize(kernel.names.size());
  }

  /// Adds a pending event of an own place.
  void insert(const ScheduledEvent& event) { queue_.push(pool_.take(event)); }
  /// Cancels a pending event of an own place.
  void cancelPending(const EventHandle& event) { cancelled_.add(event); }
  /// Begins a run.
  void begin(const ScheduleRun& run) { run_ = &run; }
  /// Executes the events before `end`, none of which can be rolled back.
  /// @param deliver is called with each event that they schedule, and calls insert() for own places
  /// @throws Error thrown by a rule; current() is its event then
  template <class F>
  void executeBefore(double end, F&& deliver);
  /// Returns the event of the last rule called by executeBefore().
  const ScheduledEvent& current() { return pool_[current_]; }
  /// Returns the time of the next event, or infinity.
  double nextTime() {
    const std::uint32_t event = queue_.first();
    return event == ScheduledEvent::none ? std::numeric_limits<double>::infinity()
                                         : pool_[event].time;
  }
  /// Forgets cancellations of events before a time, which have no effect.
  void forgetBefore(double time) { cancelled_.forgetBefore(time); }

  const ScheduleCounts& counts() const { return counts_; }
  /// Calls f(event) for all pending events, in any order. @pre no event can be rolled back
  template <class F>
  void forEachPending(F&& f) {
    for (std::uint32_t event = 0; event < pool_.capacity(); ++event)
      if (pool_.stateOf(event) == EventState::pending && !cancelled_.contains(pool_[event]))
        f(pool_[event]);
  }
  /// Returns the bytes allocated.
  std::size_t bytes() const { return pool_.bytes() + queue_.bytes() + cancelled_.bytes(); }
  /// Returns the bytes of the events.
  std::size_t usedBytes() const { return pool_.usedBytes(); }

 protected:
  /// Fetches events and places of the next executions into the cache.
  void prefetch() {
    constexpr std::size_t eventsAhead = 8, placesAhead = 4;
    if (const std::uint32_t event = queue_.upcoming(eventsAhead); event != ScheduledEvent::none)
      pool_.prefetch(event);
    if (const std::uint32_t event = queue_.upcoming(placesAhead); event != ScheduledEvent::none)
      __builtin_prefetch(run_->states->of(pool_[event].place), 1);
  }

  const ScheduleRun* run_ = nullptr;
  EventPool pool_;
  EventQueue queue_;
  ScheduledEvents added_;
  CancelledEvents cancelled_;
  ScheduleCounts counts_;

 private:
  std::uint32_t current_ = 0;
};

template <class F>
void EventExecutor::executeBefore(double end, F&& deliver) {
  for (;;) {
    const std::uint32_t event = queue_.first();
    if (event == ScheduledEvent::none || pool_[event].time >= end) return;
    queue_.removeFirst();
    prefetch();
    if (cancelled_.take(pool_[event])) {
      pool_.free(event);
      continue;
    }
    added_.clear();
    current_ = event;
    execute(*run_, pool_[event], added_);
    ++counts_.executed;
    counts_.commit(pool_[event]);
    pool_.free(event);
    for (const EventHandle& each : added_.cancelled()) cancelled_.add(each);
    for (std::size_t i = 0; i < added_.size(); ++i) deliver(added_[i]);
  }
}

}  // namespace mass::detail

#pragma once

#include <mass/launch/schedule.hpp>
#include <mass/support/hash.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_set>

namespace mass::detail {

/// Pending events of a worker that a rule or the program has cancelled. They are recognised, and
/// removed, when they are the next ones.
class CancelledEvents {
 public:
  /// Adds an event. @return false if it was cancelled before
  bool add(const EventHandle& event) { return events_.insert(event).second; }
  /// Removes an event, whose cancellation is rolled back.
  void remove(const EventHandle& event) { events_.erase(event); }
  /// True if an event is cancelled.
  bool contains(const ScheduledEvent& event) const {
    return !events_.empty() && events_.contains(handleOf(event));
  }
  /// Removes an event if it is cancelled. @return true if it is
  bool take(const ScheduledEvent& event) {
    return !events_.empty() && events_.erase(handleOf(event)) > 0;
  }
  /// Removes the events before a time: they have been cancelled twice.
  void forgetBefore(double time) {
    std::erase_if(events_, [&](const EventHandle& event) { return event.time < time; });
  }
  /// Returns about the bytes allocated.
  std::size_t bytes() const {
    return events_.bucket_count() * sizeof(void*) + events_.size() * (sizeof(EventHandle) + 16);
  }

 private:
  struct Hash {
    std::size_t operator()(const EventHandle& event) const {
      return mix(std::bit_cast<std::uint64_t>(event.time) ^
                 mix(std::uint64_t{event.origin} << 32 | event.number));
    }
  };
  std::unordered_set<EventHandle, Hash> events_;
};

}  // namespace mass::detail

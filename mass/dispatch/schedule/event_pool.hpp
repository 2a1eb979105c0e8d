#pragma once

#include <mass/launch/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mass::detail {

/// Stages of an event of a pool.
enum class EventState : std::uint32_t {
  pending,    ///< in the queue
  cancelled,  ///< in the queue, and will not happen
  executed,   ///< in the log of its block
  doomed,     ///< in the log of its block, and will be rolled back and will not happen
  unused      ///< no event
};

/// Copies an event with its arguments. @param bytes its size, a multiple of 8
inline void copyEvent(std::byte* to, const ScheduledEvent& event, std::size_t bytes) {
  // Copies of constant sizes need no calls.
  const auto* const from = reinterpret_cast<const std::byte*>(&event);
  std::memcpy(to, from, sizeof(event));
  if (bytes == sizeof(event)) return;
  std::memcpy(to + sizeof(event), from + sizeof(event), 8);
  if (bytes > sizeof(event) + 8)
    std::memcpy(to + sizeof(event) + 8, from + sizeof(event) + 8, bytes - sizeof(event) - 8);
}

/// Events of a worker, by number, in memory that grows and is reused.
class EventPool {
 public:
  /// @param bytes size of an event with its arguments
  explicit EventPool(std::size_t bytes) : bytes_(bytes) {}

  /// Returns an event. take() invalidates the address.
  ScheduledEvent& operator[](std::uint32_t event) {
    return *reinterpret_cast<ScheduledEvent*>(memory_.data() + event * bytes_);
  }
  EventState stateOf(std::uint32_t event) { return static_cast<EventState>((*this)[event].state); }
  void setState(std::uint32_t event, EventState state) {
    (*this)[event].state = static_cast<std::uint32_t>(state) & 7U;
  }
  /// Returns the number of a new pending event, a copy of another one.
  /// @pre `event` is not in this pool
  std::uint32_t take(const ScheduledEvent& event) {
    if (free_.empty()) grow();
    const std::uint32_t number = free_.back();
    free_.pop_back();
    copyEvent(memory_.data() + number * bytes_, event, bytes_);
    setState(number, EventState::pending);
    (*this)[number].first = (*this)[number].next = ScheduledEvent::none;
    return number;
  }
  /// Frees an event.
  void free(std::uint32_t event) {
    setState(event, EventState::unused);
    recycle(event);
  }
  /// Frees an event that nobody refers to, without access to it.
  void recycle(std::uint32_t event) { free_.push_back(event); }
  /// Fetches an event into the cache.
  void prefetch(std::uint32_t event) const {
    __builtin_prefetch(memory_.data() + event * bytes_, 1);
  }
  /// Returns the number of events for which there is memory.
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(memory_.size() / bytes_); }
  /// Returns the bytes of the events in use.
  std::size_t usedBytes() const { return (capacity() - free_.size()) * bytes_; }
  std::size_t bytes() const {
    return memory_.capacity() + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  void grow() {
    const std::uint32_t first = capacity();
    const std::uint32_t end = first + first / 2 + 64;
    memory_.resize(end * bytes_);
    free_.reserve(end);
    for (std::uint32_t event = end; event-- > first;) {
      new (&(*this)[event]) ScheduledEvent;
      free(event);
    }
  }

  std::size_t bytes_;
  std::vector<std::byte> memory_;
  std::vector<std::uint32_t> free_;  // numbers of unused events
};

}  // namespace mass::detail

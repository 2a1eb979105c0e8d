#pragma once

#include <mass/dispatch/schedule/event_pool.hpp>
#include <mass/support/cache_line.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace mass::detail {

/// Message of a block of places to a worker: an event, which follows it in memory, or the
/// cancellation of the last events that the block has sent to the worker.
struct ScheduleMessage {
  double time = 0;           ///< event: time of its cause; cancellation: a lower bound of the times
                             ///< of the cancelled events
  std::uint32_t block = 0;   ///< number of the block
  std::uint32_t kept = 0;    ///< cancellation: number of events that remain, modulo 2^32
  std::uint32_t worker = 0;  ///< number of the receiver among all workers
  std::uint32_t isEvent = 0;

  /// Returns a lower bound of the times of the events that the message adds or cancels.
  double leastTime(const ScheduledEvent& event) const { return isEvent != 0 ? event.time : time; }
};

/// Messages of one worker to another one, in their order, without locks. Those for which there is
/// no room wait in memory of the sender.
class MessageRing {
 public:
  /// @param eventBytes size of an event with its arguments
  explicit MessageRing(std::size_t eventBytes)
      : bytes_(sizeof(ScheduleMessage) + eventBytes), memory_(capacity * bytes_) {}

  /// Sends a message. @param event null: there is none
  void send(const ScheduleMessage& message, const ScheduledEvent* event) {
    if (waiting_.empty() && hasRoom()) {
      write(at(end_.load(std::memory_order_relaxed)), message, event);
      publish();
    } else {
      waiting_.resize(waiting_.size() + bytes_);
      write(waiting_.data() + waiting_.size() - bytes_, message, event);
    }
  }
  /// Sends messages that wait, as far as there is room.
  void flush() {
    std::size_t sent = 0;
    for (; sent < waiting_.size() && hasRoom(); sent += bytes_) {
      std::memcpy(at(end_.load(std::memory_order_relaxed)), waiting_.data() + sent, bytes_);
      publish();
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(sent));
  }
  /// Returns the least time of the messages that wait; infinity if there is none.
  double leastWaiting() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < waiting_.size(); i += bytes_)
      least =
          std::min(least, messageAt(waiting_.data() + i).leastTime(eventAt(waiting_.data() + i)));
    return least;
  }
  bool isWaiting() const { return !waiting_.empty(); }

  /// Calls f(message, event) for each message and removes it. For the receiver.
  template <class F>
  void receive(F&& f) {
    std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    const std::uint64_t end = end_.load(std::memory_order_acquire);
    for (; begin != end; ++begin) {
      f(messageAt(at(begin)), eventAt(at(begin)));
      begin_.store(begin + 1, std::memory_order_release);
    }
  }
  std::size_t bytes() const { return memory_.capacity() + waiting_.capacity(); }

 private:
  static constexpr std::uint64_t capacity = 1024;

  static const ScheduleMessage& messageAt(const std::byte* memory) {
    return *reinterpret_cast<const ScheduleMessage*>(memory);
  }
  static const ScheduledEvent& eventAt(const std::byte* memory) {
    return *reinterpret_cast<const ScheduledEvent*>(memory + sizeof(ScheduleMessage));
  }
  std::byte* at(std::uint64_t number) { return memory_.data() + number % capacity * bytes_; }
  bool hasRoom() {
    const std::uint64_t end = end_.load(std::memory_order_relaxed);
    if (end - knownBegin_ < capacity) return true;
    knownBegin_ = begin_.load(std::memory_order_acquire);
    return end - knownBegin_ < capacity;
  }
  void write(std::byte* to, const ScheduleMessage& message, const ScheduledEvent* event) const {
    std::memcpy(to, &message, sizeof(message));
    if (event != nullptr) copyEvent(to + sizeof(message), *event, bytes_ - sizeof(message));
  }
  void publish() {
    end_.store(end_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::size_t bytes_;
  std::vector<std::byte> memory_;
  alignas(2 * cacheLineBytes) std::atomic<std::uint64_t> begin_ = 0;  // written by the receiver
  alignas(2 * cacheLineBytes) std::atomic<std::uint64_t> end_ = 0;    // written by the sender
  std::uint64_t knownBegin_ = 0;
  std::vector<std::byte> waiting_;
};

}  // namespace mass::detail

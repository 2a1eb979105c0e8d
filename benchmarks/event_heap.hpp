#pragma once

#include <mass/dispatch/schedule/event_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace mass::detail {

/// Priority queue of pending events in a heap, each node of which has `Children`; with the
/// functions of EventQueue. The children of a node of four are in one cache line.
template <std::size_t Children>
class EventHeap {
 public:
  explicit EventHeap(EventPool& pool) : pool_(&pool) {}

  void push(std::uint32_t event) {
    const Entry entry{(*pool_)[event].time, event};
    if (size_ == room_) grow();
    raise(size_++, entry);
  }
  std::uint32_t first() {
    while (size_ > 0) {
      const std::uint32_t event = at(0).event;
      if (pool_->stateOf(event) != EventState::cancelled) return event;
      removeFirst();
      pool_->free(event);
    }
    return ScheduledEvent::none;
  }
  void removeFirst() {
    const Entry last = at(--size_);
    // The hole sinks to a leaf, since the last event is late.
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size_; child = Children * hole + 1) {
      const std::size_t end = std::min(child + Children, size_);
      std::size_t least = child;
      for (std::size_t other = child + 1; other < end; ++other)
        least = isFirst(at(other), at(least)) ? other : least;
      at(hole) = at(least);
      hole = least;
    }
    if (size_ > 0) raise(hole, last);
  }
  template <class F>
  void removeIf(F&& isRemoved) {
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < size_; ++i)
      if (!isRemoved(at(i).event)) kept.push_back(at(i).event);
    size_ = 0;
    for (const std::uint32_t event : kept) push(event);
  }
  /// Returns none: later events are not known.
  std::uint32_t upcoming(std::size_t /*distance*/) const { return ScheduledEvent::none; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return room_ * sizeof(Entry); }

 private:
  struct Entry {
    double time;
    std::uint32_t event;
  };
  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };
  /// Places of the memory before the root, so that the first child begins a cache line.
  static constexpr std::size_t before = 3;

  Entry& at(std::size_t index) { return entries_.get()[before + index]; }
  bool isFirst(const Entry& a, const Entry& b) {
    if (a.time == b.time) [[unlikely]]
      return isBefore((*pool_)[a.event], (*pool_)[b.event]);
    return a.time < b.time;  // without a branch
  }
  /// Moves an event from a hole towards the root.
  void raise(std::size_t hole, const Entry& entry) {
    for (; hole > 0 && isFirst(entry, at((hole - 1) / Children)); hole = (hole - 1) / Children)
      at(hole) = at((hole - 1) / Children);
    at(hole) = entry;
  }
  void grow() {
    const std::size_t room = 2 * room_ + 60;
    const std::size_t bytes = ((room + before) * sizeof(Entry) + 63) / 64 * 64;
    std::unique_ptr<Entry, Free> larger(static_cast<Entry*>(std::aligned_alloc(64, bytes)));
    if (larger == nullptr) throw std::bad_alloc();
    if (size_ > 0) std::copy_n(&at(0), size_, larger.get() + before);
    entries_ = std::move(larger);
    room_ = room;
  }

  EventPool* pool_;
  std::size_t size_ = 0, room_ = 0;
  std::unique_ptr<Entry, Free> entries_;
};

}  // namespace mass::detail

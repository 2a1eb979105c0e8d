#pragma once

#include <mass/dispatch/schedule/event_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mass::detail {

/// Priority queue of the pending events of a pool, in the order of isBefore(). A ladder queue of
/// one rung (Tang, Goh & Thng, ACM TOMACS 15, 2005): events are appended to buckets of equal
/// lengths of time; the first bucket is sorted when it is reached, and later ones keep events that
/// arrive for it in a heap. Events beyond the last bucket wait in a list, which is divided into
/// buckets when these are used up.
class EventQueue {
 public:
  explicit EventQueue(EventPool& pool) : pool_(&pool) {}

  /// Adds a pending event, at any time.
  void push(std::uint32_t event) {
    const Entry entry{(*pool_)[event].time, event};
    const double bucket = (entry.time - begin_) * perSecond_;
    ++size_;
    if (bucket < nextBucket_) {
      heap_.push_back(entry);
      std::push_heap(heap_.begin(), heap_.end(), After{pool_});
    } else if (bucket < endBucket_) {
      buckets_[static_cast<std::size_t>(bucket)].push_back(entry);
    } else {
      far_.push_back(entry);
    }
  }
  /// Returns the first event; ScheduledEvent::none if there is none. Frees cancelled ones.
  std::uint32_t first() {
    for (;;) {
      if (next_ == sorted_.size() && heap_.empty() && !refill()) return ScheduledEvent::none;
      isInHeap_ = next_ == sorted_.size() ||
                  (!heap_.empty() && After{pool_}(sorted_[next_], heap_.front()));
      const std::uint32_t event = isInHeap_ ? heap_.front().event : sorted_[next_].event;
      if (pool_->stateOf(event) != EventState::cancelled) return event;
      removeFirst();
      pool_->free(event);
    }
  }
  /// Removes the event that first() has returned. @pre no event was added since
  void removeFirst() {
    --size_;
    if (isInHeap_) {
      std::pop_heap(heap_.begin(), heap_.end(), After{pool_});
      heap_.pop_back();
    } else {
      ++next_;
    }
  }
  /// Removes each event for which isRemoved(event) is true.
  template <class F>
  void removeIf(F&& isRemoved) {
    sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    const auto removeOf = [&](std::vector<Entry>& entries) {
      size_ -= std::erase_if(entries, [&](const Entry& entry) { return isRemoved(entry.event); });
    };
    removeOf(sorted_);
    removeOf(heap_);
    std::make_heap(heap_.begin(), heap_.end(), After{pool_});
    for (auto& bucket : buckets_) removeOf(bucket);
    removeOf(far_);
  }
  /// Returns an event that will probably be the first after `distance` others; or none.
  std::uint32_t upcoming(std::size_t distance) const {
    return next_ + distance < sorted_.size() ? sorted_[next_ + distance].event
                                             : ScheduledEvent::none;
  }
  /// Returns the number of events, cancelled ones among them.
  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  struct Entry {
    double time;
    std::uint32_t event;
  };
  /// Order of a heap whose first element happens first.
  struct After {
    EventPool* pool;
    bool operator()(const Entry& a, const Entry& b) const {
      if (a.time != b.time) return a.time > b.time;
      return isBefore((*pool)[b.event], (*pool)[a.event]);
    }
  };

  bool refill();
  void divide();

  EventPool* pool_;
  std::size_t size_ = 0;
  bool isInHeap_ = false;                  // place of the event that first() returned
  std::vector<Entry> sorted_;              // events of the bucket before nextBucket_
  std::size_t next_ = 0;                   // first one that has not been removed
  std::vector<Entry> heap_;                // events added to the buckets before nextBucket_
  double begin_ = 0, perSecond_ = 0;       // bucket of time t: (t - begin_) * perSecond_
  double nextBucket_ = 0, endBucket_ = 0;  // numbers of the next and the last + 1 bucket
  std::vector<std::vector<Entry>> buckets_;
  std::vector<Entry> far_;  // events after the last bucket
  std::vector<double> sample_;
};

}  // namespace mass::detail

#pragma once

#include <benchmarks/ntw/process.hpp>

#include <algorithm>
#include <cstddef>
#include <memory_resource>

namespace ntw {

/// Priority queue of a thread (TEQ of the paper): a red-black tree of events, and RB-messages,
/// which have priority. @pre All functions: the caller has locked `lock`.
class ThreadQueue {
 public:
  /// Next item of a thread: an RB-message if it has a channel, else an event or null.
  struct Item {
    Event* event = nullptr;
    Rollback rollback;
  };

  SpinLock lock;

  void insert(Event* event) {
    event->entry = events_.insert({event->key, event->epoch, event->process->number, event}).first;
    event->at = Level::thread;
  }
  void erase(Event* event) {
    events_.erase(event->entry);
    event->at = Level::none;
  }
  void insert(const Rollback& message) { rollbacks_.pushBack(message); }
  std::size_t size() const { return events_.size(); }
  /// Removes the next RB-message or, if there is none, the first event before `end`.
  Item pop(double end) {
    Item item;
    if (!rollbacks_.empty()) {
      item.rollback = rollbacks_.front();
      rollbacks_.popFront();
    } else if (!events_.empty() && events_.begin()->key.time < end) {
      item.event = events_.begin()->event;
      events_.erase(events_.begin());
      item.event->at = Level::none;
    }
    return item;
  }
  /// Returns the least time of the events and the RB-messages.
  double leastTime() {
    double least = events_.empty() ? never : events_.begin()->key.time;
    for (std::size_t at = 0; at < rollbacks_.size(); ++at)
      least = std::min(least, rollbacks_[at].bound);
    return least;
  }

 private:
  std::pmr::unsynchronized_pool_resource memory_;
  ThreadEntries events_{&memory_};
  Ring<Rollback> rollbacks_;
};

}  // namespace ntw

#pragma once

#include <benchmarks/ntw/process.hpp>
#include <benchmarks/ntw/thread_queue.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

namespace ntw {

/// Queues of all threads: what both forms of the set of pending events share.
class ThreadQueues {
 public:
  explicit ThreadQueues(std::size_t threads) : queues_(threads) {}

  /// Removes the next item of a thread before `end`.
  ThreadQueue::Item pop(std::size_t thread, double end, Counters& counters) {
    ThreadQueue& queue = queues_[thread];
    const std::lock_guard guard(queue.lock);
    const auto size = static_cast<std::int64_t>(queue.size());
    counters.queueSum += size, ++counters.queueSamples;
    counters.queueMost = std::max(counters.queueMost, size);
    return queue.pop(end);
  }
  /// Sends an RB-message to the thread of its receiver.
  void insert(const Rollback& message) {
    ThreadQueue& queue = of(*message.channel->owner);
    const std::lock_guard guard(queue.lock);
    queue.insert(message);
  }
  /// Returns the least time of the items of a thread.
  double leastTime(std::size_t thread) {
    const std::lock_guard guard(queues_[thread].lock);
    return queues_[thread].leastTime();
  }

 protected:
  ThreadQueue& of(const Process& process) {
    return queues_[static_cast<std::size_t>(process.thread)];
  }

 private:
  std::vector<ThreadQueue> queues_;
};

inline std::int64_t& countOf(std::array<std::int64_t, 4>& counts, Level level) {
  return counts[static_cast<std::size_t>(level)];
}

/// Multi-level queue of the paper: input channel, process, thread. A level has at least the first
/// of the unprocessed events below it. Locks are taken in the order of the levels.
class MultiLevelQueue : public ThreadQueues {
 public:
  using ThreadQueues::insert;
  using ThreadQueues::ThreadQueues;

  /// Inserts a message into its channel. Any thread may call it.
  void insert(Event* event, Counters& counters) {
    Channel& channel = *event->channel;
    const std::lock_guard guard(channel.lock);
    if (!channel.track.isUrgent(*event)) {
      wait(channel, event);
      ++countOf(counters.messages, Level::channel);
      return;
    }
    channel.track.push(event);
    const std::lock_guard processGuard(event->process->lock);
    ++countOf(counters.messages, submit(*event->process, event));
  }
  /// Replaces an executed event by the next one of its channel, and sets the time of the own event.
  void finish(Process& process, Event* event, double next, Counters& counters) {
    Event* fetched = nullptr;
    if (event->channel != nullptr) {
      const std::lock_guard guard(event->channel->lock);
      event->channel->track.remove(event);
      fetched = take(*event->channel);
    }
    const std::lock_guard guard(process.lock);
    process.track.remove(event);
    if (fetched != nullptr) submit(process, fetched);
    setOwn(process, next, counters);
    fill(process);
  }
  /// Returns an undone event to its channel. settle() has to follow.
  void restore(Channel& channel, Event* event) {
    const std::lock_guard guard(channel.lock);
    wait(channel, event);
  }
  /// Restores the order of the levels after a roll-back. @param next time of the own event
  void settle(Process& process, double next, Counters& counters) {
    for (int number = 0; number < process.neighbours; ++number) {
      Channel& channel = process.channels[static_cast<std::size_t>(number)];
      const std::lock_guard guard(channel.lock);
      Event* const fetched = take(channel);
      if (fetched == nullptr) continue;
      const std::lock_guard processGuard(process.lock);
      submit(process, fetched);
    }
    const std::lock_guard guard(process.lock);
    setOwn(process, next, counters);
    fill(process);
  }
  /// Removes the unprocessed events that a message cancels, and returns them to the channel's
  /// memory.
  void cancel(const Rollback& message) {
    Channel& channel = *message.channel;
    Process& process = *channel.owner;
    const std::lock_guard guard(channel.lock);
    const std::lock_guard processGuard(process.lock);
    std::erase_if(channel.track.events(), [&](Event* event) {
      if (!message.cancels(*event)) return false;
      withdraw(process, event);
      channel.free.push_back(event);
      return true;
    });
    channel.pending.removeIf([&](const Event& event) { return message.cancels(event); },
                             [&](Event* event) { channel.free.push_back(event); });
    if (Event* const fetched = take(channel)) submit(process, fetched);
    fill(process);
  }

 private:
  static void wait(Channel& channel, Event* event) {
    channel.pending.insert(event);
    event->at = Level::channel;
  }
  /// Takes the first event of a queue if it is urgent, and tracks it; else returns null.
  template <class Queue>
  static Event* take(Queue& queue) {
    if (queue.pending.empty() || !queue.track.isUrgent(*queue.pending.front())) return nullptr;
    Event* const event = queue.pending.front();
    queue.pending.popFront();
    queue.track.push(event);
    return event;
  }
  void toThread(const Process& process, Event* event) {
    const std::lock_guard guard(of(process).lock);
    of(process).insert(event);
  }
  /// Inserts an event into the queue of the process or, if it is urgent, of the thread.
  Level submit(Process& process, Event* event) {
    if (process.track.isUrgent(*event)) {
      process.track.push(event);
      toThread(process, event);
      return Level::thread;
    }
    process.pending.insert(event);
    event->at = Level::process;
    return Level::process;
  }
  void fill(Process& process) {
    if (Event* const event = take(process)) toThread(process, event);
  }
  /// Removes an event from the queue of the process or the thread.
  void withdraw(Process& process, Event* event) {
    if (event->at == Level::process) {
      process.pending.erase(event);
    } else if (event->at == Level::thread) {
      process.track.remove(event);
      const std::lock_guard guard(of(process).lock);
      of(process).erase(event);
    }
    event->at = Level::none;
  }
  void setOwn(Process& process, double next, Counters& counters) {
    withdraw(process, &process.own);
    process.own.key.time = next;
    if (next < never) ++countOf(counters.ownEvents, submit(process, &process.own));
  }
};

/// One priority queue for each thread, which has all events. `pending` of a channel lists those of
/// them that came by it.
class SingleQueue : public ThreadQueues {
 public:
  using ThreadQueues::insert;
  using ThreadQueues::ThreadQueues;

  void insert(Event* event, Counters& counters) {
    restore(*event->channel, event);
    ++countOf(counters.messages, Level::thread);
  }
  void finish(Process& process, Event* event, double next, Counters& counters) {
    const std::lock_guard guard(of(process).lock);
    if (event->channel != nullptr) event->channel->pending.erase(event);
    setOwn(process, next, counters);
  }
  void restore(Channel& channel, Event* event) {
    ThreadQueue& queue = of(*channel.owner);
    const std::lock_guard guard(queue.lock);
    queue.insert(event);
    channel.pending.insert(event);
  }
  void settle(Process& process, double next, Counters& counters) {
    const std::lock_guard guard(of(process).lock);
    setOwn(process, next, counters);
  }
  void cancel(const Rollback& message) {
    Channel& channel = *message.channel;
    ThreadQueue& queue = of(*channel.owner);
    const std::lock_guard guard(queue.lock);
    channel.pending.removeIf([&](const Event& event) { return message.cancels(event); },
                             [&](Event* event) {
                               queue.erase(event);
                               channel.free.push_back(event);
                             });
  }

 private:
  void setOwn(Process& process, double next, Counters& counters) {
    Event& own = process.own;
    if (own.at == Level::thread) of(process).erase(&own);
    own.key.time = next;
    if (!(next < never)) return;
    of(process).insert(&own);
    ++countOf(counters.ownEvents, Level::thread);
  }
};

}  // namespace ntw

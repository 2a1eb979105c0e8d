#pragma once

#include <benchmarks/ntw/process.hpp>
#include <benchmarks/ntw/queues.hpp>
#include <benchmarks/ntw/trajectory.hpp>
#include <benchmarks/ntw/virtual_time.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

namespace ntw {

/// Optimistic execution of a trajectory by the structure of the paper. Each site is a logical
/// process that saves its state after each event.
/// @tparam Queue MultiLevelQueue or SingleQueue
template <class Model, class Queue>
class Engine {
 public:
  /// @param threads each has an equal number of consecutive sites
  /// @param ahead most events that a thread executes in a round of global virtual time; 0: any
  /// @param turnsOfRound turns of the first thread from a round of global virtual time to the next
  Engine(const Trajectory<Model>& trajectory, std::size_t threads, std::int64_t ahead,
         std::int64_t turnsOfRound = 256)
      : trajectory_(&trajectory),
        processes_(trajectory.size()),
        workers_(threads),
        queue_(threads),
        time_(threads),
        ahead_(ahead),
        turnsOfRound_(turnsOfRound) {
    for (std::size_t number = 0; number < trajectory.size(); ++number) connect(number);
    for (SiteProcess& process : processes_) {
      process.site = trajectory.start(static_cast<std::size_t>(process.number));
      process.saved.pushBack({process.last, process.site});
      queue_.settle(process, process.site.next, workers_[0].counters);
    }
    workers_[0].counters = {};
  }

  /// Returns the global virtual time. Any thread may call it.
  double globalTime() const { return time_.now(); }
  /// Executes all events before `end`. @pre called once
  Outcome run(double end) {
    const auto start = std::chrono::steady_clock::now();
    end_ = end;
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < workers_.size(); ++number)
      threads.emplace_back([this, number] { work(number); });
    for (std::thread& thread : threads) thread.join();
    Outcome outcome;
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const Worker& worker : workers_) {
      outcome.counters.add(worker.counters);
      outcome.processor += worker.processor;
    }
    outcome.counters.rounds = time_.rounds();
    for (const SiteProcess& process : processes_) {
      outcome.events += process.site.events;
      outcome.hash += trajectory_->fingerprint(process.site);
    }
    return outcome;
  }

 private:
  using State = typename Model::State;

  struct Saved {
    Key key;
    Site<State> site;
  };
  struct SiteProcess : Process {
    Site<State> site;
    Ring<Saved> saved;  ///< states after events; the first one is before the global virtual time
  };
  struct alignas(64) Worker {
    std::size_t number = 0;
    Counters counters;
    std::vector<std::unique_ptr<Event[]>> memory;
    std::int64_t round = 0, executedBefore = 0;  ///< last round that was seen, events before it
    double processor = 0;
  };

  /// Connects the channels of a process, in memory that its thread uses.
  void connect(std::size_t number) {
    SiteProcess& process = processes_[number];
    process.number = static_cast<std::int32_t>(number);
    process.thread = static_cast<std::int32_t>(number * workers_.size() / processes_.size());
    process.neighbours = trajectory_->degree(number);
    process.own.process = &process;
    process.own.key.source = process.number;
    for (int at = 0; at < process.neighbours; ++at) {
      Channel& channel = process.channels[static_cast<std::size_t>(at)];
      channel.owner = &process;
      const auto neighbour =
          static_cast<std::size_t>(neighboursOf(number)[static_cast<std::size_t>(at)]);
      for (std::size_t back = 0; back < mostNeighbours; ++back)
        if (neighboursOf(neighbour)[back] == process.number)
          channel.peer = &processes_[neighbour].channels[back];
    }
  }
  const std::array<std::int32_t, mostNeighbours>& neighboursOf(std::size_t number) const {
    return trajectory_->network().neighbours[number];
  }

  /// Algorithm 1 of the paper, until the global virtual time has reached the end.
  void work(std::size_t number) {
    Worker& me = workers_[number];
    me.number = number;
    for (std::int64_t turn = 0; time_.now() < end_; ++turn) {
      if (number == 0 && turn % turnsOfRound_ == 0) time_.start();
      if (time_.wants(number)) time_.report(number, queue_.leastTime(number));
      if (isFarAhead(me)) {
        std::this_thread::yield();
        continue;
      }
      const ThreadQueue::Item item = queue_.pop(number, end_, me.counters);
      if (item.rollback.channel != nullptr) {
        handle(item.rollback, me);
      } else if (item.event != nullptr) {
        execute(item.event, me);
      } else {
        if (number == 0) time_.start();
        std::this_thread::yield();
      }
    }
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    me.processor = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }
  bool isFarAhead(Worker& me) {
    if (ahead_ == 0) return false;
    if (const std::int64_t round = time_.rounds(); round != me.round)
      me.round = round, me.executedBefore = me.counters.executed;
    if (me.counters.executed - me.executedBefore < ahead_) return false;
    if (me.number == 0) time_.start();
    return true;
  }

  void execute(Event* event, Worker& me) {
    auto& process = static_cast<SiteProcess&>(*event->process);
    if (event->key < process.last) {
      ++me.counters.stragglers;
      rollBack(process, event->key, nullptr, me);
    }
    const Key key = event->key;
    const auto number = static_cast<std::size_t>(process.number);
    process.last = key;
    ++me.counters.executed;
    if (key.time < time_.now()) ++me.counters.beforeGlobal;
    if (event->channel == nullptr) {
      const Departure departure = trajectory_->fire(process.site, number);
      if (departure.kind >= 0) send(process, departure, key.time, me);
    } else {
      trajectory_->arrive(process.site, number, key.time, event->kind);
    }
    save(process);
    queue_.finish(process, event, process.site.next, me.counters);
    if (event->channel != nullptr) event->channel->processed.pushBack(event);
  }
  /// Saves the state after an event, and releases those that no roll-back needs.
  void save(SiteProcess& process) {
    process.saved.pushBack({process.last, process.site});
    const double now = time_.now();
    while (process.saved.size() > 1 && process.saved[1].key.time < now) process.saved.popFront();
  }
  void send(SiteProcess& process, const Departure& departure, double time, Worker& me) {
    Channel& mine = process.channels[static_cast<std::size_t>(departure.neighbour)];
    Event* const event = allocate(mine, me);
    event->key = {time, process.number};
    event->epoch = mine.epoch;
    event->kind = static_cast<std::uint8_t>(departure.kind);
    event->channel = mine.peer;
    event->process = mine.peer->owner;
    mine.scheduleHistory = time;
    queue_.insert(event, me.counters);
    time_.sent(me.number, time);
  }
  /// Returns memory of a channel: freed, of committed events (fossil collection on the fly), or of
  /// the thread.
  Event* allocate(Channel& channel, Worker& me) {
    const double now = time_.now();
    while (!channel.processed.empty() && channel.processed.front()->key.time < now) {
      channel.free.push_back(channel.processed.front());
      channel.processed.popFront();
    }
    if (channel.free.empty()) {
      me.memory.push_back(std::make_unique<Event[]>(eventsOfSlice));
      for (std::size_t at = 0; at < eventsOfSlice; ++at)
        channel.free.push_back(&me.memory.back()[at]);
      me.counters.allocated += static_cast<std::int64_t>(eventsOfSlice);
    }
    Event* const event = channel.free.back();
    channel.free.pop_back();
    return event;
  }

  /// Algorithms 2 and 4: undoes the events of a process from a key on.
  /// @param message null, or the RB-message that cancels events of its channel
  void rollBack(SiteProcess& process, const Key& from, const Rollback* message, Worker& me) {
    if (from.time < time_.now()) ++me.counters.beforeGlobal;
    for (; !(process.saved.back().key < from); ++me.counters.undone) process.saved.popBack();
    process.site = process.saved.back().site;
    process.last = process.saved.back().key;
    for (int number = 0; number < process.neighbours; ++number) {
      Channel& channel = process.channels[static_cast<std::size_t>(number)];
      while (!channel.processed.empty() && !(channel.processed.back()->key < from)) {
        Event* const event = channel.processed.back();
        channel.processed.popBack();
        if (message != nullptr && message->channel == &channel && message->cancels(*event)) {
          channel.free.push_back(event);
        } else {
          queue_.restore(channel, event);
        }
      }
      cancelSent(process, channel, from.time, me);
    }
    queue_.settle(process, process.site.next, me.counters);
  }
  /// Sends an RB-message if the neighbour has events that are undone (ScheduleHistory).
  void cancelSent(const SiteProcess& process, Channel& channel, double bound, Worker& me) {
    if (!(channel.scheduleHistory > process.last.time)) {
      ++me.counters.unsent;
      return;
    }
    channel.scheduleHistory = process.last.time;
    queue_.insert(Rollback{channel.peer, process.last.time, bound, channel.epoch++});
    time_.sent(me.number, bound);
  }
  /// Algorithm 3: friendly if no cancelled event was executed, else aggressive.
  void handle(const Rollback& message, Worker& me) {
    Channel& channel = *message.channel;
    queue_.cancel(message);
    Ring<Event*>& processed = channel.processed;
    if (processed.empty() || !message.cancels(*processed.back())) {
      ++me.counters.friendly;
      return;
    }
    ++me.counters.aggressive;
    std::size_t first = processed.size() - 1;
    while (first > 0 && message.cancels(*processed[first - 1])) --first;
    rollBack(static_cast<SiteProcess&>(*channel.owner), processed[first]->key, &message, me);
  }

  static constexpr std::size_t eventsOfSlice = 2;

  const Trajectory<Model>* trajectory_;
  std::vector<SiteProcess> processes_;
  std::vector<Worker> workers_;
  Queue queue_;
  VirtualTime time_;
  double end_ = 0;
  std::int64_t ahead_;
  std::int64_t turnsOfRound_;
};

}  // namespace ntw

#pragma once

#include <benchmarks/ntw/process.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ntw {

/// Asynchronous global virtual time of the threads of a process (algorithms 5 to 7 of the paper;
/// Fujimoto & Hybinette 1997): a counter of the threads that have not reported yet, and for each
/// thread the least time of its queue and of the messages it has sent in the round.
class VirtualTime {
 public:
  explicit VirtualTime(std::size_t threads) : threads_(threads) {}

  /// Returns a lower bound of the times of all events that will be executed.
  double now() const { return now_.load(std::memory_order_acquire); }
  /// Returns the number of finished rounds.
  std::int64_t rounds() const { return rounds_.load(std::memory_order_acquire); }

  /// Starts a round unless one is under way. @pre always called by the same thread
  void start() {
    const std::int64_t started = started_.load(std::memory_order_relaxed);
    if (rounds() != started) return;
    for (Report& report : threads_) report.least.store(never, std::memory_order_relaxed);
    missing_.store(static_cast<int>(threads_.size()), std::memory_order_release);
    // Last, so that a thread which sees the round finds all of it.
    started_.store(started + 1, std::memory_order_release);
  }
  /// True if a thread has to report.
  bool wants(std::size_t thread) const {
    return started_.load(std::memory_order_acquire) != threads_[thread].round;
  }
  /// Reports the least time in the queue of a thread, between two events.
  void report(std::size_t thread, double time) {
    lower(thread, time);
    ++threads_[thread].round;
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) finish();
  }
  /// Takes account of a message. @pre the receiver has it already
  void sent(std::size_t thread, double time) {
    if (missing_.load(std::memory_order_acquire) != 0) lower(thread, time);
  }

 private:
  struct alignas(64) Report {
    std::atomic<double> least = never;
    std::int64_t round = 0;  ///< last round that the thread has reported; used by it only
  };

  void lower(std::size_t thread, double time) {
    std::atomic<double>& least = threads_[thread].least;
    if (time < least.load(std::memory_order_relaxed)) least.store(time, std::memory_order_relaxed);
  }
  /// Publishes the result of a round. The last thread that reports calls it.
  void finish() {
    double least = never;
    for (const Report& report : threads_)
      least = std::min(least, report.least.load(std::memory_order_relaxed));
    now_.store(std::max(least, now()), std::memory_order_release);
    rounds_.fetch_add(1, std::memory_order_acq_rel);
  }

  std::vector<Report> threads_;
  alignas(64) std::atomic<std::int64_t> started_ = 0;  ///< rounds
  alignas(64) std::atomic<int> missing_ = 0;
  alignas(64) std::atomic<double> now_ = -1;
  std::atomic<std::int64_t> rounds_ = 0;
};

}  // namespace ntw

#pragma once

#include <mass/backend/device_config.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace mass::detail {

/// Times of the processors of a rank that exchanges ghost rows with others, in seconds.
struct ExchangeTimes {
  double all = 0;        ///< steps, with their exchanges and waits; 0 on GPUs
  double sending = 0;    ///< one thread packs and posts rows, while others compute
  double receiving = 0;  ///< one thread waits for rows and unpacks them, while others wait

  friend ExchangeTimes operator+(const ExchangeTimes& a, const ExchangeTimes& b) {
    return {a.all + b.all, a.sending + b.sending, a.receiving + b.receiving};
  }
};

/// Compute time of each device for the rules of one Places and its agents, without the time spent
/// waiting for other devices. Threads add concurrently, each to its own slot.
class DeviceTimes {
 public:
  explicit DeviceTimes(const DeviceConfig& devices)
      : threads_(static_cast<std::size_t>(devices.threads())),
        seconds_(static_cast<std::size_t>(devices.size()) * threads_),
        steps_(static_cast<std::size_t>(devices.size())) {}

  /// Adds `seconds` to the thread of `worker`.
  void add(const Worker& worker, double seconds) {
    seconds_[static_cast<std::size_t>(worker.device()) * threads_ +
             static_cast<std::size_t>(worker.index())] += seconds;
  }
  /// Returns the seconds of one step of `rule` on `device`. Calls `measure()` the first time after
  /// a reset and caches its value. For GPUs whose kernels wait for other GPUs.
  template <class F>
  double stepSeconds(int device, const void* rule, F&& measure) {
    auto& cache = steps_[static_cast<std::size_t>(device)];
    const auto found = cache.find(rule);
    return found != cache.end() ? found->second : cache[rule] = measure();
  }
  /// True if stepSeconds() has a cached value for `rule` on `device`.
  bool hasStepSeconds(int device, const void* rule) const {
    return steps_[static_cast<std::size_t>(device)].contains(rule);
  }
  /// Returns the seconds of the busiest thread of `device` since the last reset.
  double of(int device) const {
    const auto first =
        seconds_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(device) * threads_);
    return *std::max_element(first, first + static_cast<std::ptrdiff_t>(threads_));
  }
  /// Returns the times of exchanges since the last reset.
  ExchangeTimes& exchanges() { return exchanges_; }
  /// Adds the time of some steps of a rule on this rank, with exchanges and waits.
  void addSteps(std::int64_t steps, double seconds) {
    rankSteps_ += steps;
    rankSeconds_ += seconds;
  }
  /// Calls `work()`, and leaves its time out of that of the steps: it is a measurement. Called by
  /// the workers of all devices.
  template <class Work>
  void leaveOut(const Worker& worker, const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    if (!worker.isCaller()) return;
    rankSeconds_ -= std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  /// Returns the steps of this rank since the last reset.
  std::int64_t rankSteps() const { return rankSteps_; }
  /// Returns their time in seconds.
  double rankSeconds() const { return rankSeconds_; }
  /// Clears all times.
  void reset() {
    exchanges_ = {};
    rankSteps_ = 0;
    rankSeconds_ = 0;
    std::fill(seconds_.begin(), seconds_.end(), 0.0);
    for (auto& cache : steps_) cache.clear();
  }

 private:
  std::size_t threads_;
  ExchangeTimes exchanges_;
  std::int64_t rankSteps_ = 0;
  double rankSeconds_ = 0;
  std::vector<double> seconds_;                       // by device and thread
  std::vector<std::map<const void*, double>> steps_;  // by device and rule
};

/// Stopwatch of one thread, which adds its total to a DeviceTimes when destroyed. Does nothing if
/// `times` is null.
class WorkTimer {
 public:
  WorkTimer(DeviceTimes* times, const Worker& worker) : times_(times), worker_(&worker) {}
  ~WorkTimer() {
    if (times_ != nullptr) times_->add(*worker_, seconds_);
  }
  WorkTimer(const WorkTimer&) = delete;
  WorkTimer& operator=(const WorkTimer&) = delete;

  /// Starts an interval.
  void start() {
    if (times_ != nullptr) start_ = Clock::now();
  }
  /// Ends the interval begun by start().
  void stop() {
    if (times_ == nullptr) return;
    seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  DeviceTimes* times_;
  const Worker* worker_;
  Clock::time_point start_;
  double seconds_ = 0;
};

}  // namespace mass::detail

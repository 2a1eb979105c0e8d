#pragma once

#include <mass/backend/device_config.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <vector>

namespace mass::detail {

/// How long devices were at work for the rules of some places and of the agents on them, without
/// the time in which they waited for each other. Threads may add to it at once, each for itself.
class DeviceTimes {
 public:
  explicit DeviceTimes(const DeviceConfig& devices)
      : threads_(static_cast<std::size_t>(devices.threads())),
        seconds_(static_cast<std::size_t>(devices.size()) * threads_),
        steps_(static_cast<std::size_t>(devices.size())) {}

  void add(const Worker& worker, double seconds) {
    seconds_[static_cast<std::size_t>(worker.device()) * threads_ +
             static_cast<std::size_t>(worker.rank())] += seconds;
  }
  /// What a step of a rule takes on a device, in seconds: what `measure` finds, which is asked once
  /// between two resets. For GPUs, which wait for each other inside of kernels.
  template <class F>
  double ofStep(int device, const void* rule, F&& measure) {
    auto& known = steps_[static_cast<std::size_t>(device)];
    const auto found = known.find(rule);
    return found != known.end() ? found->second : known[rule] = measure();
  }
  /// Whether that is known.
  bool knows(int device, const void* rule) const {
    return steps_[static_cast<std::size_t>(device)].contains(rule);
  }
  /// Seconds since the last reset: those of the thread of a device that was at work longest.
  double of(int device) const {
    const auto first =
        seconds_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(device) * threads_);
    return *std::max_element(first, first + static_cast<std::ptrdiff_t>(threads_));
  }
  void reset() {
    std::fill(seconds_.begin(), seconds_.end(), 0.0);
    for (auto& known : steps_) known.clear();
  }

 private:
  std::size_t threads_;
  std::vector<double> seconds_;                       // by device and thread
  std::vector<std::map<const void*, double>> steps_;  // by device and rule
};

/// Adds up what a thread of a device is at work, and nothing where nobody wants to know.
class WorkTimer {
 public:
  WorkTimer(DeviceTimes* times, const Worker& worker) : times_(times), worker_(&worker) {}
  ~WorkTimer() {
    if (times_ != nullptr) times_->add(*worker_, seconds_);
  }
  WorkTimer(const WorkTimer&) = delete;
  WorkTimer& operator=(const WorkTimer&) = delete;

  void start() {
    if (times_ != nullptr) start_ = Clock::now();
  }
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

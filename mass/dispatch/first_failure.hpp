#pragma once

#include <mass/backend/device_config.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

namespace mass::detail {

/// Failure with the lowest step, then device, then thread, independent of the order in which
/// threads report. Thread-safe.
class FirstFailure {
 public:
  /// Records the exception being handled. Call it from a catch block.
  void record(std::int64_t step, const Worker& worker) {
    const std::scoped_lock lock(mutex_);
    const auto order = std::pair(worker.device(), worker.index());
    if (step < step_ || (step == step_ && order < order_)) {
      step_ = step;
      order_ = order;
      exception_ = std::current_exception();
    }
  }
  /// True if a worker failed at `step` or earlier. All workers get the same answer after a barrier.
  bool hasFailedBy(std::int64_t step) const { return step_ <= step; }
  /// Returns the step of the failure; the largest std::int64_t if there was none.
  std::int64_t step() const { return step_; }
  /// Returns the exception; null if there was none.
  std::exception_ptr exception() const { return exception_; }

 private:
  std::mutex mutex_;
  std::atomic<std::int64_t> step_ = std::numeric_limits<std::int64_t>::max();
  std::pair<int, int> order_;
  std::exception_ptr exception_;
};

}  // namespace mass::detail

#pragma once

#include <mass/backend/device_config.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

namespace mass::detail {

/// The first failure of a run, by step, then device, then thread: the same one however threads
/// interleave.
class FirstFailure {
 public:
  void record(std::int64_t step, const Worker& worker) {
    const std::scoped_lock lock(mutex_);
    const auto order = std::pair(worker.device(), worker.rank());
    if (step < step_ || (step == step_ && order < order_)) {
      step_ = step;
      order_ = order;
      exception_ = std::current_exception();
    }
  }
  /// Whether a worker failed at this step or before; the same answer for all workers after a
  /// barrier.
  bool hasFailedBy(std::int64_t step) const { return step_ <= step; }
  std::int64_t step() const { return step_; }
  /// Null when there was none.
  std::exception_ptr exception() const { return exception_; }

 private:
  std::mutex mutex_;
  std::atomic<std::int64_t> step_ = std::numeric_limits<std::int64_t>::max();
  std::pair<int, int> order_;
  std::exception_ptr exception_;
};

}  // namespace mass::detail

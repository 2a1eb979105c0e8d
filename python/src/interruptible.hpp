#pragma once

#include <mass/mass.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace mass::python {

/// Steps of a run in pieces of about a twentieth of a second, between which the caller looks for
/// signals.
class Interruptible {
 public:
  /// Advances a run by at most `count` steps.
  void advance(Run& run, std::int64_t count) {
    using Clock = std::chrono::steady_clock;
    const std::int64_t steps = std::min(count, piece_);
    const auto start = Clock::now();
    run.step(steps);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    if (seconds.count() < pieceSeconds / 2 && steps == piece_) piece_ *= 2;
    if (seconds.count() > pieceSeconds) piece_ = std::max<std::int64_t>(1, piece_ / 2);
  }

 private:
  static constexpr double pieceSeconds = 0.05;

  std::int64_t piece_ = 1;
};

}  // namespace mass::python

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace mass::detail::live {

using Clock = std::chrono::steady_clock;

/// Decides how many steps a run makes, as a viewer steers it: pause, steps one by one, limit of the
/// rate. Measures the rate.
class Pace {
 public:
  /// Compute time of a chunk while somebody looks.
  static constexpr std::chrono::milliseconds chunk{15};

  /// Sets the compute time of a chunk of a rate without a limit.
  void setFreeChunk(std::chrono::milliseconds time) { freeChunk_ = time; }
  /// Continues without pause.
  void run();
  /// Stops at the present step.
  void pause();
  /// Makes `count` steps from `step` on, then pauses; adds them to those that are left.
  void makeSteps(std::int64_t step, std::int64_t count);
  /// Makes steps up to `step` as fast as possible, then pauses.
  void goTo(std::int64_t step);
  /// Limits the rate. @param rate steps per second; 0: no limit
  void limit(double rate);
  /// Begins another run at `step`, with the same pause and limit.
  void restart(std::int64_t step);

  /// Notes that the run is at `step` now.
  void reached(std::int64_t step, Clock::time_point now);
  /// Returns the step up to which the run may go on at `now`; `step` if it waits.
  std::int64_t stopAfter(std::int64_t step, Clock::time_point now);
  /// Returns the time until which the run waits for the limit of its rate.
  Clock::time_point due() const { return due_; }

  /// True if the run makes no steps until a viewer asks for some.
  bool isPaused(std::int64_t step) const { return isPaused_ && step >= target_; }
  /// True if neither a pause nor a limit concerns the run.
  bool isFree() const { return !isPaused_ && limit_ == 0; }
  /// Limit in steps per second; 0: none.
  double limit() const { return limit_; }
  /// Steps per second of the last half second or more; 0 in a pause.
  double rate() const { return rate_; }

 private:
  bool isPaused_ = false;
  std::int64_t target_ = 0;  ///< step up to which a pause lets the run go on
  std::int64_t goal_ = 0;    ///< step up to which there is no limit
  double limit_ = 0;
  Clock::time_point due_{};  ///< time of the next step by the limit
  double rate_ = 0;
  std::chrono::milliseconds freeChunk_ = chunk;
  double stepsPerSecond_ = 0;    ///< rate of the last chunk, waiting excluded
  std::int64_t chunkSteps_ = 0;  ///< number of steps of the last chunk
  std::int64_t chunkStep_ = 0, rateStep_ = 0;
  std::optional<Clock::time_point> chunkBegin_, rateBegin_;
};

}  // namespace mass::detail::live

#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace mass::detail {

/// Three significant digits with an SI prefix: "3.41 G places/s".
std::string formatRate(double placesPerSecond);

/// To the second: "0:07", "2:03:00", "5 days 1:00:00"; "?" for what is not a length of time.
std::string formatDuration(double seconds);

/// Where a run is.
struct ProgressState {
  std::int64_t step = 0;        ///< done so far
  std::int64_t totalSteps = 0;  ///< at the end of the run
  double placesPerSecond = 0;   ///< 0 if unknown
  double secondsLeft = 0;       ///< NaN if unknown
};

/// "step 1200/10000  12 %  3.41 G places/s  0:32 left", leaving out from the end what `width`
/// characters cannot hold.
std::string progressLine(const ProgressState& state, int width);

/// One line about a run on a terminal, rewritten in place up to five times a second and wiped at
/// the end. Writes nothing to what is not a terminal. Errors of the terminal are ignored: they are
/// no reason to stop a run.
class Progress {
 public:
  /// placesPerStep: how many places a step updates. firstStep: the step that the run starts from,
  /// above 0 after a restart.
  Progress(std::int64_t totalSteps, std::int64_t placesPerStep, std::FILE* out = stderr,
           std::int64_t firstStep = 0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Wipes the line.
  ~Progress();

  /// Says that `step` steps are done. Costs a look at the clock.
  void update(std::int64_t step);

  /// Wipes the line. A later `update` shows it again.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::int64_t step, double elapsedSeconds);

  std::int64_t totalSteps_, placesPerStep_, firstStep_;
  std::FILE* out_;
  bool isTerminal_;
  bool isShown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point nextShow_;
};

}  // namespace mass::detail

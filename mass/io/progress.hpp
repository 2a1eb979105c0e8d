#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace mass::detail {

/// Returns a rate with three significant digits and an SI prefix: "3.41 G places/s".
std::string formatRate(double perSecond, std::string_view unit = "places/s");

/// Returns a duration rounded to seconds: "0:07", "2:03:00", "5 days 1:00:00"; "?" if it is
/// negative or not a number.
std::string formatDuration(double seconds);

/// Progress of a run.
struct ProgressState {
  std::int64_t step = 0;           ///< number of finished steps
  std::int64_t totalSteps = 0;     ///< number of steps at the end of the run
  double placesPerSecond = 0;      ///< 0 if unknown
  double secondsLeft = 0;          ///< NaN if unknown
  std::int64_t agents = -1;        ///< number of agents; -1 if the model has none
  double agentStepsPerSecond = 0;  ///< agents times steps, a second
  double eventsPerSecond = -1;     ///< -1 if the model has no events
  double time = -1;                ///< simulated time in s; -1: that of no unit
};

/// Returns "step 1200/10000  12 %  3.41 G places/s  0:32 left", with agents "...  3.41 G places/s
/// 20000 agents  1.21 M agent-steps/s  0:32 left", with events "... 12 %  at 1.2 s  4.5 M events/s
/// 0:32 left", without the last parts if they do not fit into `width` characters.
std::string progressLine(const ProgressState& state, int width);

/// Progress line on a terminal, rewritten in place at most five times a second and erased at the
/// end. Writes nothing if `out` is not a terminal. Errors of writing are ignored.
class Progress {
 public:
  /// @param totalSteps number of steps at the end of the run
  /// @param placesPerStep number of places that a step updates
  /// @param firstStep step at which the run starts; above 0 after a restart
  /// @param timeStep simulated seconds of a step, shown for models with events; 0: unknown
  Progress(std::int64_t totalSteps, std::int64_t placesPerStep, std::FILE* out = stderr,
           std::int64_t firstStep = 0, double timeStep = 0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Erases the line.
  ~Progress();

  /// Shows the line if it is due.
  /// @param step number of finished steps
  /// @param agents number of agents; -1 if the model has none
  /// @param events number of events since the start of the run; -1 if the model has none
  void update(std::int64_t step, std::int64_t agents = -1, std::int64_t events = -1);

  /// Erases the line. A later `update` shows it again.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::int64_t step, std::int64_t agents, std::int64_t events, double elapsedSeconds);

  std::int64_t totalSteps_, placesPerStep_, firstStep_;
  std::int64_t lastStep_;  ///< step of the last update
  double agentSteps_ = 0;  ///< sum of agents times steps
  double timeStep_;
  std::FILE* out_;
  bool isTerminal_;
  bool isShown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point nextShow_;
};

}  // namespace mass::detail

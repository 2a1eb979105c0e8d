#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Steps of the next part of a batch.
struct PassPlan {
  int stepsPerPass = 1;    ///< 0 if a step takes several passes
  std::int64_t steps = 1;  ///< at least 1
  bool isTrial = false;    ///< the time of the part selects stepsPerPass
};

/// Selects the number of steps of a pass by measured times, during the run. Each candidate runs for
/// some milliseconds, in ascending order. Numbers above one that is much slower than the fastest
/// are left out. So is the smallest one, unless the next one is about as fast as the fastest: in a
/// world that does not fit into a cache, a single pass may take a percent of the run. Of several
/// candidates that are about as fast as the fastest, each runs again.
class PassTuner {
 public:
  /// Largest number of steps that is tried on CPUs.
  static constexpr int most = 16;

  /// @param candidates numbers of steps, ascending, at least one; 0 for several passes a step
  /// @param firstPasses passes of the first part of a trial: enough for the speed of many
  explicit PassTuner(std::vector<int> candidates, std::int64_t firstPasses = 1);

  /// Returns the plan for the next of `steps` steps, `steps` >= 1. Report its time with record().
  PassPlan next(std::int64_t steps) const;
  /// Records the time of a part of the last plan.
  void record(const PassPlan& plan, std::int64_t steps, double seconds);

  /// True if the number is selected.
  bool isDecided() const { return current_ == candidates_.size(); }
  /// Returns the fastest number by the present measurements.
  int fastest() const;

 private:
  /// Rounds of trials: all candidates but the smallest, the smallest, and the fastest ones again.
  enum class Round { larger, smallest, again };

  void endTrial();
  std::size_t nextCandidate();

  std::vector<int> candidates_;
  std::vector<double> perStep_;  // by candidate: shortest time of a step; infinity before a trial
  std::size_t first_;            // first candidate on trial
  std::size_t current_;          // candidate on trial; their number after the last one
  Round round_ = Round::larger;
  std::int64_t firstPasses_;  // passes of the first part of a trial
  std::int64_t passes_;       // passes of the next part
  double seconds_ = 0;        // seconds of the trial
  std::int64_t steps_ = 0;    // steps of the trial
  bool isWarmUp_ = true;      // the first pass may allocate memory
};

}  // namespace mass::detail

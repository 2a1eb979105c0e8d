#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace mass::detail {

struct ModelRun;

/// Next actions of a run, as a Steering wishes them.
struct SteeringPlan {
  /// Step at which the Steering is asked again at the latest, above the present one; it is asked
  /// sooner if the steps take long.
  std::int64_t stop = std::numeric_limits<std::int64_t>::max();
  bool pauses = false;           ///< makes no steps, and does not end, before it is asked again
  bool wantsCheckpoint = false;  ///< writes a checkpoint now
  bool ends = false;             ///< ends the run at the present step
};

/// User or recorded user of a run, who changes settings between its steps, pauses or ends it.
class Steering {
 public:
  virtual ~Steering() = default;

  /// Called before the first output of a run; of a Run, by Run::steer() and after a restore().
  virtual void begin(ModelRun&) {}
  /// Called with each row of the table of the run. @param values one for each column
  virtual void tableRow(std::int64_t step, std::span<const double> values) {
    static_cast<void>(step), static_cast<void>(values);
  }
  /// Called before the first step, between chunks of steps of about 0.1 s, and at the last step;
  /// there a program asks until it does not pause, and Run::step() once. All ranks call it
  /// together; they return the same plan and make the same calls of ModelRun::change, so rank 0
  /// broadcasts its commands.
  ///
  /// During a pause it waits itself, for at most some tenths of a second: signals are seen after
  /// it returns, and other ranks wait for rank 0 in a collective operation.
  /// @throws errors, which end the run as an error of the model does
  virtual SteeringPlan plan(ModelRun& model) = 0;
};

}  // namespace mass::detail

#pragma once

#include <apps/lbm/solver/solver.hpp>

#include <mass/mass.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace lbm {

/// Advances a solver and checks at intervals that the flow has not diverged.
class StabilityMonitor {
 public:
  /// The references must outlive this object.
  /// @param lattice the case that `solver` was created for
  /// @param warn called with the text of a warning
  StabilityMonitor(mass::Mass& mass, const LatticeCase& lattice, Solver& solver,
                   std::function<void(const std::string&)> warn)
      : mass_(&mass), lattice_(&lattice), solver_(&solver), warn_(std::move(warn)) {}

  /// Advances by `count` steps from `step`, with a check() after each interval.
  /// @throws ModelError if check() does.
  void advance(std::int64_t step, std::int64_t count);
  /// Checks all cells at `step`, unless that step was checked last. Warns the first time that the
  /// Mach number exceeds maxMach. @throws ModelError if a cell has diverged (Cell::isDiverged); the
  /// message names the last good and the checked step, and the first diverged step with its cells
  /// if recomputing it takes less than about a minute. The state is undefined afterwards.
  void check(std::int64_t step);

 private:
  using Clock = std::chrono::steady_clock;
  /// First step with diverged cells.
  struct DivergedStep {
    std::int64_t step;
    DivergedRegion cells;
  };

  /// Throws the ModelError of check().
  [[noreturn]] void fail(std::int64_t step);
  void warnOfSpeed(double mach, std::int64_t step);
  /// Returns the last step before `step` that can be restored: that of the last checkpoint of this
  /// run, or 0; nothing if the run restarted from a checkpoint and has written none since.
  std::optional<std::int64_t> lastRestorePoint(std::int64_t step) const;
  /// Recomputes the run from lastRestorePoint() and checks each step after the last good check;
  /// steps are deterministic. Returns nothing if that takes too long or cannot be done.
  std::optional<DivergedStep> locateDivergence(std::int64_t step);
  /// Restores the state of a restore point.
  void rewind(std::int64_t step);

  mass::Mass* mass_;
  const LatticeCase* lattice_;
  Solver* solver_;
  std::function<void(const std::string&)> warn_;
  Clock::time_point began_;
  std::int64_t first_ = 0;       ///< first step of this run
  std::int64_t lastCheck_ = -1;  ///< step of the last check; -1 before the first
  bool hasWarned_ = false;
};

}  // namespace lbm

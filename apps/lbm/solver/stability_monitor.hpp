#pragma once

#include <apps/lbm/solver/solver.hpp>

#include <mass/mass.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace lbm {

/// Makes a flow go on, and looks now and then whether it still is one.
class StabilityMonitor {
 public:
  /// Of a tank whose flow is the one given. All are kept by whom makes this.
  StabilityMonitor(mass::Mass& mass, const LatticeCase& lattice, Solver& solver)
      : mass_(&mass), lattice_(&lattice), solver_(&solver) {}

  /// Goes on from a step, and looks wherever a look is due. @throws ModelError as look does.
  void advance(std::int64_t step, std::int64_t count);
  /// Looks at all cells at a step, unless that was done. Warns when the flow is too fast for the
  /// first time. @throws ModelError when its numbers have left all bounds, with the steps between
  /// which that came about; and with the first such step and the cells of then, if going there
  /// again takes less than about a minute. The flow is lost then.
  void check(std::int64_t step);

 private:
  using Clock = std::chrono::steady_clock;
  struct DivergedStep {
    std::int64_t step;
    DivergedRegion cells;
  };

  [[noreturn]] void fail(std::int64_t step);
  void warn(double mach, std::int64_t step);
  std::optional<std::int64_t> lastRestorePoint(std::int64_t step) const;
  std::optional<DivergedStep> locateDivergence(std::int64_t step);
  void rewind(std::int64_t step);

  mass::Mass* mass_;
  const LatticeCase* lattice_;
  Solver* solver_;
  Clock::time_point began_;
  std::int64_t first_ = 0;       ///< step of this run
  std::int64_t lastCheck_ = -1;  ///< the step; -1 before the first
  bool hasWarned_ = false;
};

}  // namespace lbm

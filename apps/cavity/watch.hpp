#pragma once

#include <apps/cavity/flow.hpp>
#include <apps/cavity/tank.hpp>

#include <mass/mass.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace cavity {

/// Makes a flow go on, and looks now and then whether it still is one.
class Watch {
 public:
  /// Of a tank whose flow is the one given. All are kept by whom makes this.
  Watch(mass::Mass& mass, const Flow& flow, Tank& tank)
      : mass_(&mass), flow_(&flow), tank_(&tank) {}

  /// Goes on from a step, and looks wherever a look is due. @throws ModelError as look does.
  void advance(std::int64_t step, std::int64_t count);
  /// Looks at all cells at a step, unless that was done. Warns when the flow is too fast for the
  /// first time. @throws ModelError when its numbers have left all bounds, with the steps between
  /// which that came about; and with the first such step and the cells of then, if going there
  /// again takes less than about a minute. The flow is lost then.
  void look(std::int64_t step);

 private:
  using Clock = std::chrono::steady_clock;
  struct Break {
    std::int64_t step;
    Broken cells;
  };

  [[noreturn]] void fail(std::int64_t step);
  void warn(double mach, std::int64_t step);
  std::optional<std::int64_t> before(std::int64_t step) const;
  std::optional<Break> goAgain(std::int64_t step);
  void goBack(std::int64_t step);

  mass::Mass* mass_;
  const Flow* flow_;
  Tank* tank_;
  Clock::time_point began_;
  std::int64_t first_ = 0;      ///< step of this run
  std::int64_t lastLook_ = -1;  ///< the step; -1 before the first
  bool hasWarned_ = false;
};

}  // namespace cavity

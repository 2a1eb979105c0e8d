#pragma once

#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/kernel.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace mass::detail {

/// The order of things: refreshes ghosts that a rule will read, runs the rule on all devices, makes
/// the next state the current one, and so on for any number of steps without coming back to the
/// caller.
class Dispatcher {
 public:
  explicit Dispatcher(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}

  /// Runs a rule `steps` times. A rule that writes nothing runs once, whatever `steps` says.
  /// Adds to `times`, if there are, what the devices have worked.
  /// @throws what the rule threw (checked builds); double-buffered state is then that before the
  /// failing step, and what moves in place is lost. DeviceError when a GPU fails; then the state is
  /// lost.
  void run(PlaceFields& fields, const Kernel& kernel, std::int64_t steps, std::uint64_t seed,
           std::uint32_t population, DeviceTimes* times = nullptr) const;
  /// Brings what rules have moved in place to where all others find it.
  void restoreLayout(PlaceFields& fields) const;
  /// Brings all ghosts up to date that are not.
  void refreshGhosts(PlaceFields& fields) const;

 private:
  std::unique_ptr<Executor> executor_;
};

}  // namespace mass::detail

#pragma once

#include <mass/dispatch/deferred_changes.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/dispatch/kernel.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {

/// Runs the rules of places: refreshes stale halos, runs all steps of a rule on all devices through
/// an Executor, and swaps front and back buffers.
class MASS_EXPORT Dispatcher {
 public:
  /// @param executor runs rules on the devices of the fields
  explicit Dispatcher(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}

  /// Applies the rules of a turn one after the other, `turns` times. A single rule that writes
  /// nothing runs at most once.
  /// @param turns number of turns; none if not positive
  /// @param seed seed of random numbers
  /// @param population part of the key of every random number
  /// @param times receives the compute times of the devices; may be null
  /// @throws std::exception if the rule throws one (checked builds). Double-buffered components
  ///   then have the state before the failing step; the state of in-place components is lost.
  /// @throws DeviceError if a GPU fails; the state is lost then.
  /// @throws OverflowError if sent elements did not fit into their Multisets; the state is lost.
  void run(PlaceFields& fields, Turn turn, std::int64_t turns, std::uint64_t seed,
           std::uint32_t population, DeviceTimes* times = nullptr) const;
  /// Allocates the back buffers that a changing rule without Scatter needs.
  /// @throws DeviceError if memory is exhausted
  void reserve(PlaceFields& fields, const Kernel& rule) const;
  /// Records changes by rules from now on, instead of making them the state; null: no longer.
  /// A changing rule is then double-buffered, alone in its turn, and makes one step.
  /// @param changes must outlive the rules
  void defer(DeferredChanges* changes) { deferred_ = changes; }
  /// Returns the recorded changes; null if rules make theirs the state.
  DeferredChanges* deferred() const { return deferred_; }
  /// Restores the natural layout and refreshes all stale halos.
  void refreshGhosts(PlaceFields& fields) const;
  /// Returns an executor of agents on the same devices.
  std::unique_ptr<AgentExecutor> makeAgentExecutor(const DeviceConfig& devices) const;
  /// Returns reports on the exchanges between ranks, by rule.
  std::vector<ExchangeReport> exchangeReports() const { return executor_->exchangeReports(); }

 private:
  bool runsInTurn(const PlaceFields& fields, Turn turn, bool areMeasured) const;
  std::int64_t runPart(PlaceFields& fields, Turn turn, StepBatch batch) const;
  std::int64_t runOnBytes(PlaceFields& bits, Turn turn, const StepBatch& batch) const;

  std::unique_ptr<Executor> executor_;
  DeferredChanges* deferred_ = nullptr;
};

}  // namespace mass::detail

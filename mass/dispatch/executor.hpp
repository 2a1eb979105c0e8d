#pragma once

#include <mass/dispatch/device_times.hpp>
#include <mass/dispatch/exchange_report.hpp>
#include <mass/dispatch/kernel.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/partition/ghost_plan.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

namespace mass::detail {

class AgentExecutor;

/// Rules that are applied one after the other, again and again; often a single one.
using Turn = std::span<const Kernel>;

/// Consecutive steps of a turn, which an Executor runs in one call. A step applies one rule.
struct StepBatch {
  std::int64_t steps = 1;      ///< whole turns
  std::int64_t firstStep = 0;  ///< offset in the run that this is a part of; even
  bool exchanges = false;      ///< the rule reads or sends to neighbours, and there are ghost rows
  bool refreshes = false;      ///< halos of what it writes are refreshed before later steps
  std::vector<int> stale{};    ///< components with halos to refresh before the first step
  std::vector<int> doubleBuffered{};  ///< components that use a front and a back buffer
  std::uint64_t seed = 0;             ///< seed of random numbers
  std::uint32_t population = 0;       ///< part of the key of every random number
  DeviceTimes* times = nullptr;       ///< receives compute times; may be null
};

/// Result of a StepBatch.
struct BatchResult {
  std::int64_t steps = 0;      ///< completed steps
  std::vector<int> swapped{};  ///< components whose back buffers are to become front buffers
  bool ghostsFresh = false;    ///< the halos of the written components are fresh
  bool paddingFresh = true;    ///< their padding is fresh
  /// Fresh ghost rows of other components, if more than before, and of these if `ghostsFresh`.
  std::int64_t freshRows = 0;
  std::uint64_t overflowedWords = 0;  ///< elements that did not fit into a first word
  std::uint64_t lost = 0;             ///< elements that did not fit into their Multiset
  std::exception_ptr failure{};       ///< null if all steps were completed
};

/// Returns BatchResult::swapped after a number of swaps of all double-buffered components.
inline std::vector<int> swappedAfter(std::int64_t swaps, const StepBatch& batch) {
  return swaps % 2 == 1 ? batch.doubleBuffered : std::vector<int>{};
}

/// Returns the numbers of the front buffers by component.
std::vector<int> frontsOf(const PlaceFields& fields);
/// Returns the components whose numbers of front buffers differ.
std::vector<int> differences(const std::vector<int>& before, const std::vector<int>& after);

/// Runs the steps of rules on all devices. One class implements it for CPUs, one for GPUs.
class Executor {
 public:
  virtual ~Executor() = default;
  /// True if run() takes these rules, which are several.
  /// @param areMeasured true if the compute times of devices are measured
  virtual bool runsInTurn(const PlaceFields& fields, Turn turn, bool areMeasured) const = 0;
  /// True if rules in turn may make several steps in one pass, so that all that they write needs a
  /// back buffer.
  virtual bool runsTurnsInPasses(const PlaceFields& fields, Turn turn,
                                 const StepBatch& batch) const = 0;
  /// True if run() takes these rules for places of Storage::bits.
  virtual bool runsOnBits(const PlaceFields& fields, Turn turn, const StepBatch& batch) const = 0;
  /// Runs the first turns of `batch`, or all. The caller swaps front and back buffers afterwards.
  /// @param turn a single rule, or rules for which runsInTurn() is true
  virtual BatchResult run(const PlaceFields& fields, Turn turn, const StepBatch& batch) = 0;
  /// Refreshes the halos of `components`.
  virtual void refresh(const PlaceFields& fields, const std::vector<int>& components) = 0;
  /// Restores the natural layout of streamed components.
  /// @pre fields.isSwapped(), by steps of `kernel`
  virtual void restoreLayout(const PlaceFields& fields, const AaKernel& kernel) = 0;
  /// Returns an executor of agents on the same devices.
  virtual std::unique_ptr<AgentExecutor> makeAgentExecutor(const DeviceConfig& devices) const = 0;
  /// Returns reports on the exchanges between ranks, by rule.
  virtual std::vector<ExchangeReport> exchangeReports() const { return {}; }
};

/// Buffers of a rule in two alternating steps, [0] and [1].
struct LaunchBuffers {
  std::vector<int> fronts[2];  ///< by component: number of the buffer that is read
  std::vector<bool> swaps;     ///< by component: true if the rule writes the other buffer

  /// Returns the buffers of a single rule.
  static LaunchBuffers of(const PlaceFields& fields, const StepBatch& batch);
};

/// Buffers of rules in turn, each a pass of its own. Only rules that read neighbours write to other
/// buffers than they read.
class TurnBuffers {
 public:
  /// The first turn begins with these front buffers. @param doubleBuffered components with two
  TurnBuffers(Turn turn, std::vector<int> fronts, const std::vector<int>& doubleBuffered);

  /// Returns the buffers of a rule in even and odd turns.
  LaunchBuffers of(std::size_t rule) const;
  /// Returns the front buffers by component before a step of two turns, 0 <= step <= 2 * rules.
  const std::vector<int>& frontsBefore(std::size_t step) const { return fronts_[step]; }

 private:
  std::vector<std::vector<bool>> swaps_;  // by rule and component
  std::vector<std::vector<int>> fronts_;  // by step and component
};

/// Launches of one device for even ([0]) and odd ([1]) steps. They differ in the front buffer only.
struct LaunchPair {
  std::vector<const void*> in[2];  ///< by component: buffer that is read
  std::vector<void*> out[2];       ///< by component: buffer that is written
  Launch launch[2];
  /// Destination rows outside the band: `depth` rows before it, then `depth` rows after it.
  std::vector<RemoteRow> remoteRows[2];
  std::vector<std::vector<void*>> remoteOut[2];  ///< by remote row: the buffers of its owner

  LaunchPair(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch, int device,
             const LaunchBuffers& buffers);
  /// Prepares the launches of a single rule.
  LaunchPair(const PlaceFields& fields, const Kernel& kernel, const StepBatch& batch, int device)
      : LaunchPair(fields, kernel, batch, device, LaunchBuffers::of(fields, batch)) {}
  /// Returns the launch of step `step` of the batch, each of which swaps the buffers.
  Launch at(std::int64_t step) const { return at(step, step); }
  /// Returns the launch of step `step` of the batch after some swaps of the buffers.
  Launch at(std::int64_t step, std::int64_t swaps) const;

 private:
  void addRemoteRows(const PlaceFields& fields, int device, int parity);
};

/// Returns a launch of a changing rule for some columns of some lines of each row, which are lines
/// 0, 1, ... of it. Rules of the launch must not read other places or agents, which count from the
/// device's first line.
/// @param lines numbers of the lines on the device; below 0 and from Layout::lines on, ghost lines
/// @param columns likewise
Launch onPart(Launch launch, RowRange lines, RowRange columns);

/// Returns a launch of a changing rule on a GPU for the lines and columns of a box, with the
/// numbers that its places have in the world. Restrictions as of onPart(); attributes must not be
/// interleaved if columns are cut. @param box numbers of places continue those of the device
Launch onBox(Launch launch, const PlaceBox& box);

/// Returns the components that the rules write, ascending.
std::vector<int> writtenBy(Turn turn);

/// Returns the number of ghost rows that a turn reads: the sum of those of its rules.
std::int64_t reachOf(const PlaceFields& fields, Turn turn);

/// Returns the numbers of the ghost rows of a band, relative to its first row: `depth` rows before
/// it, then `depth` rows after it.
std::vector<std::int64_t> ghostRows(const Layout& layout);

/// Returns `components` with their front buffers at even (`parity` 0) or odd (1) steps.
std::vector<GhostField> ghostFields(const PlaceFields& fields, const std::vector<int>& components,
                                    int parity);

}  // namespace mass::detail

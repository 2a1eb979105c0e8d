#pragma once

#include <mass/launch/scheduled_rates.hpp>
#include <mass/partition/grid_neighbors.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mass::detail {

class DeviceConfig;
class ScheduleStates;
class TimeWarp;
struct ScheduleCounts;

/// Work of RateEngine::run() on this rank.
struct RateWork {
  std::vector<std::int64_t> hops;  ///< by kind of particle
  RateCounts places;
  std::int64_t candidates = 0, executions = 0, undone = 0, stragglers = 0, cancelled = 0;
  std::int64_t exchanged = 0, rounds = 0;

  /// Returns the number of events that have happened.
  std::int64_t events() const;
};

/// Executes events at rates as scheduled events by Time Warp, with the results of windows: the same
/// candidates in the same order. See ScheduledRates.
class RateEngine {
 public:
  /// All ranks call it together. @param neighbors must outlive this
  RateEngine(const PlaceFields& fields, const GridNeighbors& neighbors, std::string name,
             std::size_t memory);
  ~RateEngine();
  RateEngine(const RateEngine&) = delete;
  RateEngine& operator=(const RateEngine&) = delete;

  /// Executes windows. All ranks call it together.
  /// @param kernel functions of the class of the places
  /// @param call with the arguments, the numbers of the first and last windows of the call, the
  /// hop rates of the world, and seed, length and ticks of its view; the rest is set here
  /// @param isEndWanted unless empty, ends the run after the next window; asked each 0.05 s, which
  /// ranks do not agree on, so only in one process
  /// @return number of the first window that was not executed
  /// @throws UsageError if an event is invalid; the state of the places is that before the call
  /// then, and the engine cannot be used after it
  std::uint64_t run(PlaceFields& fields, const RateKernel& kernel, ScheduledRates call,
                    const std::function<bool()>& isEndWanted);
  /// Returns the work of the last run.
  const RateWork& work() const { return work_; }
  std::size_t bytes() const;

 private:
  void runUntil(const RateKernel& kernel, ScheduledRates& call, std::uint64_t end);
  std::uint64_t beginEpoch(const RateKernel& kernel, ScheduledRates& call, std::uint64_t window);
  void addWork(const ScheduleCounts& before);

  ScheduleWorld world_;
  const DeviceConfig* devices_;
  std::size_t memory_;
  std::vector<std::int32_t> neighbors_;    // by place and direction
  std::vector<std::int64_t> firstPlaces_;  // by rank, and the number of places
  std::unique_ptr<ScheduleStates> states_;
  std::unique_ptr<TimeWarp> engine_;  // its time is that since window `first_`
  std::uint64_t first_ = 0, next_ = 0;
  RateWork work_;
};

}  // namespace mass::detail

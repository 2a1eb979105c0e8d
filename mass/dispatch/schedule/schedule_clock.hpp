#pragma once

#include <mass/dispatch/events/event_clock.hpp>
#include <mass/dispatch/events/event_report.hpp>
#include <mass/dispatch/schedule/schedule_record.hpp>
#include <mass/graph/graph.hpp>
#include <mass/launch/schedule.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

class ScheduleEngine;
class ScheduleStates;
class TimeParts;

/// Scheduled events of some places: the time, and the events that have not happened.
class MASS_EXPORT ScheduleClock {
 public:
  /// @param fields must outlive this @param mask places that exist, or null; must outlive this
  /// @param population number of the places, for random numbers
  /// @param kernel any of the class of the places
  /// All ranks call it together.
  /// @throws UsageError if the engine or the devices cannot run scheduled events
  ScheduleClock(const PlaceFields& fields, const PlaceMask* mask, std::string name,
                std::uint64_t seed, std::uint32_t population, const EventSettings& settings,
                const ScheduleKernel& kernel);
  ~ScheduleClock();
  ScheduleClock(const ScheduleClock&) = delete;
  ScheduleClock& operator=(const ScheduleClock&) = delete;

  /// Returns the time in s since the start.
  double now() const { return now_; }
  /// Returns the number of events that have not happened. All ranks call it together.
  std::int64_t pending() const;
  /// Returns an event of the program, to be completed by its arguments and given to add().
  /// @param delay s from now @param place number of a place
  /// @throws UsageError if the delay is negative or not finite, or there is no such place
  ScheduledEvent& prepare(double delay, std::int64_t place, std::uint32_t rule);
  /// Adds the event that prepare() returned. @return its handle
  EventHandle add();
  /// Cancels an event if it has not happened. All ranks call it together.
  /// @throws UsageError if a rule has failed
  void cancel(const EventHandle& event);
  /// Sets the least delay of events for other places. @param seconds 0: any
  /// @throws UsageError if it is negative, not finite, or too small for the engine
  void setLookahead(double seconds);
  double lookahead() const { return world_.lookahead; }
  /// Executes the events of a stretch of time. @param arguments address of the tuple of the
  /// arguments of runEvents
  /// @throws UsageError if the time is negative or not finite, the engine needs a lookahead, or its
  /// memory is too small; Error of a rule: the state of the
  /// places is that before the call then, and no further events can run
  void run(PlaceFields& fields, const ScheduleKernel& kernel, const void* arguments,
           double seconds);
  /// Lets later calls of run() end before their time, at some time between two events, once
  /// isWanted() is true on a rank; asked about each 0.05 s. The next call begins there.
  /// @param isWanted may be empty: never
  void endIf(std::function<bool()> isWanted) {
    interruptIf(std::move(isWanted));
    continues_ = false;
    callEnd_.reset();
  }
  /// Ends them so, but asks about each 0.4 s of processor time, and the next call of run() executes
  /// the rest of the one that was ended, for any time that it is given.
  void interruptIf(std::function<bool()> isWanted) {
    isEndWanted_ = std::move(isWanted);
    continues_ = true;
  }
  /// True if the next call of run() will execute the rest of the last one.
  bool isInterrupted() const { return callEnd_.has_value(); }
  /// Returns the work since the start of the run, of all ranks, which call it together; without a
  /// name.
  EventReport report() const;

  /// Returns the state. All ranks call it together. @throws UsageError if a rule has failed
  ScheduleRecord record() const;
  /// Sets the state of a clock that has not been used.
  /// @param record state of another run, with the events on all ranks
  /// @throws CheckpointError if its events cannot be those of the places
  void restore(const ScheduleRecord& record);
  /// Returns a hash of the time, the pending events without their arguments, and the counts of
  /// places; 0 if nothing was scheduled. All ranks call it together.
  std::uint64_t hash() const;

 private:
  template <class F>
  void forEachOwn(F&& f) const;
  double runUntil(double end, const ScheduleKernel& kernel, const void* arguments);
  void requireWhole() const;
  void requireLookahead() const;
  void updateLinks(const PlaceFields& fields);
  void requireValid(const ScheduleRecord& record) const;

  ScheduleWorld world_;
  std::shared_ptr<const Network> network_;  // of `graph_`
  std::optional<Graph> graph_;              // its links in the order of nodes
  const DeviceConfig* devices_;
  EventSettings settings_;
  ScheduleKernel kernel_;  // without rules
  ScheduledEvents event_;  // of prepare()
  std::uint32_t scheduled_ = 0;
  double now_ = 0;
  std::function<bool()> isEndWanted_;
  bool continues_ = false;         // see interruptIf()
  std::optional<double> callEnd_;  // end of the call that was interrupted, above `now_`
  std::unique_ptr<TimeParts> parts_;
  bool hasFailed_ = false;
  std::uint64_t formerHash_ = 0;            // hash of the events before restore()
  std::vector<std::int64_t> firstPlaces_;   // by rank, and the number of places
  std::unique_ptr<ScheduleStates> states_;  // places of this rank
  std::unique_ptr<ScheduleEngine> engine_;
};

}  // namespace mass::detail

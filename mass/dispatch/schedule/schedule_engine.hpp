#pragma once

#include <mass/dispatch/events/event_saving.hpp>
#include <mass/launch/schedule.hpp>
#include <mass/support/hash.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace mass::detail {

class DeviceConfig;

/// States of consecutive places during a run: the counts of a place, then its C++ object.
class ScheduleStates {
 public:
  /// @param first number of the first place
  /// @param placeBytes size of an object, with the alignment of std::max_align_t
  ScheduleStates(std::int64_t first, std::int64_t places, std::size_t placeBytes)
      : first_(static_cast<std::uint32_t>(first)),
        places_(places),
        stride_(objectAt + (placeBytes + unit - 1) / unit * unit),
        memory_(static_cast<std::size_t>(places) * stride_) {}

  /// Returns the bytes of a place.
  std::size_t stride() const { return stride_; }
  /// Returns the number of the first place.
  std::int64_t first() const { return first_; }
  /// Returns the number of places.
  std::int64_t places() const { return places_; }
  /// Returns the address of the states.
  std::byte* data() { return memory_.data(); }
  /// Returns the address of the counts and the object of a place.
  std::byte* of(std::uint32_t place) { return memory_.data() + (place - first_) * stride_; }
  PlaceCounts& counts(std::uint32_t place) { return *reinterpret_cast<PlaceCounts*>(of(place)); }
  std::byte* object(std::uint32_t place) { return of(place) + objectAt; }
  /// Returns the objects. @param gather see PlaceObjects
  PlaceObjects objects(std::function<void(void*, std::size_t)> gather) {
    return {memory_.data() + objectAt, stride_, first_, places_, std::move(gather)};
  }
  std::size_t bytes() const { return memory_.size(); }

 private:
  static constexpr std::size_t unit = 16, objectAt = sizeof(PlaceCounts);

  std::uint32_t first_;
  std::int64_t places_;
  std::size_t stride_;
  std::vector<std::byte> memory_;
};

/// Parameters of a call of runEvents.
struct ScheduleRun {
  const ScheduleWorld* world = nullptr;
  const ScheduleKernel* kernel = nullptr;
  const void* arguments = nullptr;  ///< address of the tuple of the arguments of runEvents
  ScheduleStates* states = nullptr;
  const DeviceConfig* devices = nullptr;
  double begin = 0;       ///< s since the start of the run, at the end of the last call
  double end = 0;         ///< s since the start of the run; events before it happen
  std::size_t bytes = 0;  ///< bound of the events and saved states of TimeWarp on a rank; 0: none
  EventSaving saving = EventSaving::measured;
};

/// Counts of scheduled events.
struct ScheduleCounts {
  std::int64_t committed = 0;    ///< events that have happened
  std::int64_t executed = 0;     ///< executions of events
  std::int64_t undone = 0;       ///< executions that were rolled back
  std::int64_t stragglers = 0;   ///< roll-backs by events that arrived too late
  std::int64_t cancelled = 0;    ///< roll-backs by events that were cancelled after execution
  std::int64_t sent = 0;         ///< events sent to other threads
  std::int64_t messages = 0;     ///< messages that cancelled events of other threads
  std::int64_t rounds = 0;       ///< computations of the global virtual time
  std::uint64_t hash = 0;        ///< sum of the hashes of the events that have happened
  std::vector<std::int64_t> of;  ///< events that have happened, by rule

  /// Counts an event that has happened.
  void commit(const ScheduledEvent& event) { commit(event.rule, hashOf(event)); }
  /// Counts an event by its rule and its hash.
  void commit(std::uint32_t rule, std::uint64_t hashOfEvent) {
    ++committed;
    ++of[rule];
    hash += hashOfEvent;
  }
  /// Adds the counts of other work.
  void add(const ScheduleCounts& more);
  /// Returns a hash of the time, place, origin, number, depth and rule of an event.
  static std::uint64_t hashOf(const ScheduledEvent& event) {
    const auto pair = [](std::uint32_t high, std::uint32_t low) {
      return std::uint64_t{high} << 32 | low;
    };
    const std::uint64_t cause = mix(pair(event.origin, event.number));
    return mix(mix(std::bit_cast<std::uint64_t>(event.time) ^ cause) +
               pair(event.place, std::uint32_t{event.depth} << 8 | event.rule));
  }
};

/// Algorithm that executes scheduled events.
class ScheduleEngine {
 public:
  ScheduleEngine() = default;
  ScheduleEngine(const ScheduleEngine&) = delete;
  ScheduleEngine& operator=(const ScheduleEngine&) = delete;
  virtual ~ScheduleEngine() = default;

  /// Adds an event, with its arguments behind it. All ranks call it with the same event.
  virtual void insert(const ScheduledEvent& event) = 0;
  /// Cancels a pending event. All ranks call it with the same one.
  virtual void cancel(const EventHandle& event) = 0;
  /// Executes the events before `run.end`. All ranks call it together. @throws Error the first one
  /// of a rule, in the order of events; the engine cannot be used after it
  virtual void run(const ScheduleRun& run) = 0;
  /// True if run() may give blocks of places to other threads of a rank. The same on all ranks.
  virtual bool movesBlocks() const { return false; }
  /// Returns the counts of this rank since the start.
  virtual ScheduleCounts counts() const = 0;
  /// Calls f(event) for the events of this rank that have not happened and are not cancelled, in
  /// any order.
  virtual void forEachPending(const std::function<void(const ScheduledEvent&)>& f) const = 0;
  /// Returns the bytes that this rank has allocated.
  virtual std::size_t bytes() const = 0;
};

/// Throws the UsageError of an event too deep in a chain of events at one time.
[[noreturn]] void failDepth(const ScheduleRun& run, const ScheduledEvent& event);
/// Throws the UsageError of an event after too many others without a delay at its place and time.
[[noreturn]] void failAtOnce(const ScheduleRun& run, const ScheduledEvent& event);

/// Executes an event: calls its rule.
/// @param added receives the events that it schedules and cancels
/// @throws Error thrown by the rule; UsageError if the event is too deep in a chain of events at
/// one time, or there are too many without a delay at its place and time
inline void execute(const ScheduleRun& run, const ScheduledEvent& event, ScheduledEvents& added) {
  PlaceCounts& counts = run.states->counts(event.place);
  if (event.depth > 0 && event.depth != ScheduledEvent::byOrigin) {
    if (event.depth > ScheduledEvent::mostDepth) failDepth(run, event);
    if (counts.countAtOnce(event.time) > ScheduledEvent::mostAtOnce) failAtOnce(run, event);
  }
  ScheduleCall call{run.world, &event, &counts, &added};
  run.kernel->rules[event.rule](run.states->object(event.place),
                                reinterpret_cast<const std::byte*>(&event + 1), call,
                                run.arguments);
  ++counts.executed;
}

}  // namespace mass::detail

#pragma once

#include <mass/graph/graph.hpp>
#include <mass/partition/border.hpp>
#include <mass/partition/place_mask.hpp>
#include <mass/support/export.hpp>
#include <mass/support/hash.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

// Scheduled events, as rules and engines see them.

namespace mass {

/// Handle of a scheduled event, by which it can be cancelled: Schedule::cancel, Places::cancel. A
/// plain value: it may be an attribute of a place, or a value of another event. The default is no
/// event. Users copy and compare handles; the library reads the members.
struct EventHandle {
  double time = -1;          ///< s since the start of the run; below 0: no event
  std::uint32_t place = 0;   ///< number of the place at which the event happens
  std::uint32_t origin = 0;  ///< number of the place that scheduled it
  std::uint32_t number = 0;  ///< number among the events that `origin` has scheduled
  std::uint32_t depth = 0;   ///< length of the chain of events at its time

  friend bool operator==(const EventHandle&, const EventHandle&) = default;
};

}  // namespace mass

namespace mass::detail {

/// Event that a rule has scheduled. Its arguments follow it in memory.
struct ScheduledEvent {
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no place, or no event of a pool
  static constexpr std::uint32_t mostDepth = 1'000'000;     ///< largest `depth`
  static constexpr std::uint32_t mostAtOnce = 1'000'000;  ///< at a place and time, without a delay
  static constexpr std::uint32_t mostRules = 1 << 8;
  /// Depth of events that are ordered by time, origin, number and rule.
  static constexpr std::uint32_t byOrigin = (1 << 21) - 1;

  double time = 0;           ///< s since the start of the run
  std::uint32_t place = 0;   ///< number of the place at which it happens
  std::uint32_t origin = 0;  ///< number of the place that scheduled it; `none`: the program
  std::uint32_t number = 0;  ///< number among the events that `origin` has scheduled
  /// Length of the chain of events at the same time, each scheduled by the one before.
  std::uint32_t depth : 21 = 0;
  std::uint32_t rule : 8 = 0;   ///< number in the Events of the class
  std::uint32_t state : 3 = 0;  ///< for the engine
  std::uint32_t first = none;   ///< for the engine: first event that this one has scheduled
  std::uint32_t next = none;    ///< for the engine: next event scheduled by the same one
};
static_assert(sizeof(ScheduledEvent) == 32);

/// True if event `a` happens before event `b`: by time, depth, place, origin and number. Or, if the
/// depths are ScheduledEvent::byOrigin, by time, origin, number and rule.
inline bool isBefore(const ScheduledEvent& a, const ScheduledEvent& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.depth != b.depth) return a.depth < b.depth;
  if (a.depth == ScheduledEvent::byOrigin) {
    if (a.origin != b.origin) return a.origin < b.origin;
    return a.number != b.number ? a.number < b.number : a.rule < b.rule;
  }
  if (a.place != b.place) return a.place < b.place;
  if (a.origin != b.origin) return a.origin < b.origin;
  return a.number < b.number;
}

/// Returns the handle of an event.
inline EventHandle handleOf(const ScheduledEvent& event) {
  return {event.time, event.place, event.origin, event.number, event.depth};
}
/// True if the event of a handle happens before event `b`, or is `b`; and for no event.
/// @pre both are events of the same place
inline bool hasHappened(const EventHandle& a, const ScheduledEvent& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.depth != b.depth) return a.depth < b.depth;
  if (a.origin != b.origin) return a.origin < b.origin;
  return a.number <= b.number;
}

/// Counts of a place: keys of its random numbers and of its events.
struct PlaceCounts {
  std::uint64_t executed = 0;   ///< events that have happened at the place
  std::uint32_t scheduled = 0;  ///< events that its rules have scheduled
  std::uint32_t atOnce = 0;     ///< events without a delay at one time; see countAtOnce()

  /// Counts an event without a delay. @param time s since the start of the run
  /// @return number of those at the place and this time
  std::uint32_t countAtOnce(double time) {
    constexpr std::uint32_t bits = 21, mask = (1U << bits) - 1;
    // A few bits of a hash tell times apart. Two that follow each other have the same ones once in
    // 2048 times, and are then counted together.
    const auto moment = static_cast<std::uint32_t>(mix(std::bit_cast<std::uint64_t>(time)) >> 53);
    atOnce = atOnce >> bits == moment ? atOnce + 1 : moment << bits | 1U;
    return atOnce & mask;
  }
};

/// World in which events are scheduled.
struct ScheduleWorld {
  std::string name;  ///< name of the places
  int dimensions = 1;
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< by axis; 1 for a missing axis
  std::array<Border, 3> borders{};
  const PlaceMask* mask = nullptr;  ///< places that exist; null: all
  const Graph* graph = nullptr;     ///< links of nodes; null: a grid
  int reach = 1;                    ///< largest distance of a neighbour along an axis
  std::int64_t places = 0;
  double lookahead = 0;  ///< s: least delay of events for other places than that of their rule
  std::uint64_t seed = 0;
  std::uint32_t population = 0;  ///< RandomKey::population

  /// Returns the row-major index of a place in the box.
  std::int64_t indexOf(std::int64_t place) const {
    return mask == nullptr ? place : mask->indices[static_cast<std::size_t>(place)];
  }
  /// Returns the number of the place at an offset from another one; -1 if there is none.
  std::int64_t neighborOf(std::int64_t place, const int* offset) const {
    std::int64_t rest = indexOf(place), index = 0, stride = 1;
    for (auto axis = static_cast<std::size_t>(dimensions); axis-- > 0;) {
      const std::int64_t length = shape[axis];
      const std::int64_t at = sourceOf(rest % length + offset[axis], length, borders[axis]);
      if (at < 0) return -1;
      index += at * stride;
      stride *= length;
      rest /= length;
    }
    return mask == nullptr ? index : mask->find(index);
  }
  /// Returns the coordinates of a place as text: "3, 4".
  MASS_EXPORT std::string textOf(std::int64_t place) const;
};

/// Events that a rule schedules, and those that it cancels, in the memory of a worker.
class ScheduledEvents {
 public:
  /// @param bytes size of an event with its arguments
  explicit ScheduledEvents(std::size_t bytes) : bytes_(bytes), memory_(8 * bytes) {}

  void clear() {
    used_ = 0;
    cancelled_.clear();
  }
  /// Returns memory for one more event, which is initialised but for its arguments.
  ScheduledEvent& add() {
    if (used_ + bytes_ > memory_.size()) memory_.resize(2 * memory_.size());
    auto* const event = new (memory_.data() + used_) ScheduledEvent;
    used_ += bytes_;
    return *event;
  }
  /// Removes the last event.
  void removeLast() { used_ -= bytes_; }
  std::size_t size() const { return used_ / bytes_; }
  /// Returns the handles of the events that are cancelled.
  std::vector<EventHandle>& cancelled() { return cancelled_; }
  ScheduledEvent& operator[](std::size_t number) {
    return *reinterpret_cast<ScheduledEvent*>(memory_.data() + number * bytes_);
  }

 private:
  std::size_t bytes_;
  std::size_t used_ = 0;
  std::vector<std::byte> memory_;
  std::vector<EventHandle> cancelled_;
};

/// Execution of an event.
struct ScheduleCall {
  static constexpr std::uint32_t mostStreams = 1 << 8;  ///< bound of `streams`

  const ScheduleWorld* world = nullptr;
  const ScheduledEvent* event = nullptr;
  PlaceCounts* counts = nullptr;  ///< counts of the place
  ScheduledEvents* added = nullptr;
  std::uint32_t streams = 0;  ///< random generators that the rule has taken

  /// Adds an event at `place`. @param seconds from now, at least 0 and finite
  ScheduledEvent& add(double seconds, std::int64_t place, std::uint32_t rule) {
    ScheduledEvent& later = added->add();
    later.time = event->time + seconds;
    later.place = static_cast<std::uint32_t>(place);
    later.origin = event->place;
    later.number = counts->scheduled++;
    later.depth = later.time > event->time ? 0 : (event->depth + 1) & 0x1fffffU;
    later.rule = rule & 0xffU;
    return later;
  }
};

/// Calls a rule. @param place the C++ object @param values arguments of the event
/// @param arguments address of the tuple of the arguments of runEvents
using ScheduledRule = void (*)(void* place, const std::byte* values, ScheduleCall& call,
                               const void* arguments);

class PlaceFields;

/// C++ objects of the places of a rank.
struct PlaceObjects {
  std::byte* memory = nullptr;
  std::size_t stride = 0;  ///< bytes from an object to the next one
  std::int64_t first = 0;  ///< number of the first place
  std::int64_t count = 0;
  /// Completes an array of all places, of which each rank has those of its places.
  /// @param bytes size of an element
  std::function<void(void* values, std::size_t bytes)> gather;
};

/// Functions of a class of places with scheduled events, without its C++ type.
struct ScheduleKernel {
  int dimensions = 1;
  int reach = 1;  ///< largest distance of a neighbour along an axis
  std::size_t placeBytes = 0;
  std::size_t eventBytes = 0;           ///< size of an event with the arguments of any rule
  std::vector<ScheduledRule> rules;     ///< empty: without arguments of runEvents, not known
  std::vector<ScheduledRule> inverses;  ///< by rule, which each undoes; null: none
  std::vector<std::string> names;       ///< names of the rules
  std::vector<std::size_t> valueBytes;  ///< size of the arguments of an event, by rule
  /// Copies the states of the places of a rank to C++ objects, and back. All ranks call it
  /// together.
  void (*load)(const PlaceFields& fields, const PlaceObjects& objects) = nullptr;
  void (*store)(PlaceFields& fields, const PlaceObjects& objects) = nullptr;
};

}  // namespace mass::detail

#pragma once

#include <mass/launch/schedule.hpp>
#include <mass/random/philox.hpp>
#include <mass/rules/node.hpp>
#include <mass/rules/scheduled_rules.hpp>
#include <mass/support/export.hpp>
#include <mass/support/shape.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace mass {
namespace detail {

// Targets of scheduled events.
struct ThisPlace {};
struct PlaceByNumber {
  std::int64_t number = 0;
};
struct LinkByNumber {
  int number = 0;
};

/// Throws the UsageError of an invalid request of a rule. @param rule name of the scheduled rule
[[noreturn]] MASS_EXPORT void failDelay(const ScheduleCall& call, std::string_view rule,
                                        double seconds);
[[noreturn]] MASS_EXPORT void failPlace(const ScheduleCall& call, std::string_view rule,
                                        std::int64_t number);
[[noreturn]] MASS_EXPORT void failOffset(const ScheduleCall& call, std::string_view rule,
                                         const int* offset);
[[noreturn]] MASS_EXPORT void failLink(const ScheduleCall& call, std::string_view rule, int link);
[[noreturn]] MASS_EXPORT void failLookahead(const ScheduleCall& call, std::string_view rule,
                                            double seconds, std::int64_t place);
[[noreturn]] MASS_EXPORT void failCount(const ScheduleCall& call, std::string_view rule);
[[noreturn]] MASS_EXPORT void failStreams(const ScheduleCall& call);
[[noreturn]] MASS_EXPORT void failCancel(const ScheduleCall& call, const EventHandle& event);

}  // namespace detail

/// Target of a scheduled event: the place of the rule itself.
inline constexpr detail::ThisPlace thisPlace{};
/// Target of a scheduled event: the place with a number, as that of Places::coordinates.
constexpr detail::PlaceByNumber place(std::int64_t number) {
  return {number};
}
/// Target of a scheduled event: the node at which a link of the rule's node ends.
/// @param number number of the link in the Graph, from 0
constexpr detail::LinkByNumber link(int number) {
  return {number};
}
/// Target of a scheduled event: the place at a distance along each axis, within the reach. Wraps
/// around periodic axes; at a mirrored border, the place that a rule would read there.
template <class... Int>
constexpr Offset<static_cast<int>(sizeof...(Int))> neighbor(Int... offsets) {
  return {{static_cast<int>(offsets)...}};
}

/// Time and place of a scheduled event, and the events that follow from it. Parameter
/// `Schedule<P>&` of rules in the Events of class P (mass::scheduled):
///
///     void arrive(const Vehicle& vehicle, mass::Schedule<Crossing>& schedule) {
///       ++vehicles;
///       schedule.after<&Crossing::leave>(mass::seconds(3.2), mass::thisPlace, vehicle);
///     }
///
/// Events happen in the order of their times. Those at equal times happen in the order of the
/// chains of events at this time that led to them, then of their places, of the places that
/// scheduled them, and of their scheduling there.
template <class P>
class Schedule {
 public:
  static constexpr int dimensions = P::dimensions;  ///< Dimensions of the world.

  /// For kernels: the execution of an event.
  explicit Schedule(detail::ScheduleCall& call) : call_(&call) {}

  /// Returns the time of the event since the start of the run.
  std::chrono::duration<double> now() const {
    return std::chrono::duration<double>(call_->event->time);
  }
  /// Returns the number of this place, as that of Places::coordinates.
  std::int64_t index() const { return call_->event->place; }
  /// Returns the number of all places.
  std::int64_t places() const { return call_->world->places; }
  /// Returns the number of places of the world along each axis.
  Shape<dimensions> shape() const {
    Shape<dimensions> shape{};
    for (int axis = 0; axis < dimensions; ++axis)
      shape[axis] = call_->world->shape[static_cast<std::size_t>(axis)];
    return shape;
  }
  /// Returns the position of this place in the world.
  Coordinates<dimensions> coordinates() const {
    return coordinatesOf<dimensions>(call_->world->indexOf(index()), shape());
  }
  /// Returns a generator of random numbers for this place and event. Each call within a rule
  /// returns a new, independent generator. @throws UsageError at more than 256 calls in a rule
  Random random() const {
    constexpr std::uint32_t call = 0xff;  // no rule of callAll has it
    if (call_->streams == detail::ScheduleCall::mostStreams) detail::failStreams(*call_);
    return Random(detail::RandomKey{.seed = call_->world->seed,
                                    .index = call_->event->place,
                                    .step = call_->counts->executed,
                                    .call = call,
                                    .population = call_->world->population,
                                    .stream = call_->streams++});
  }

  /// Returns the number of links of this node.
  int links() const requires(detail::isNode<P>) {
    return static_cast<int>(call_->world->graph->degree(index()));
  }
  /// Returns the weight of a link of this node; 1 if the Graph has no weights.
  /// @param link number of the link, 0 <= link < links()
  double weight(int link) const requires(detail::isNode<P>) {
    const Graph& graph = *call_->world->graph;
    return graph.isWeighted() ? graph.weightsOf(index())[static_cast<std::size_t>(link)] : 1.0;
  }
  /// True if there is a place at an offset within the reach: not beyond a fixed border, and not
  /// where no place was created.
  bool exists(const Offset<dimensions>& offset) const {
    return call_->world->neighborOf(index(), offset.values) >= 0;
  }

  /// Schedules an event.
  /// @tparam Rule rule in the Events of class P that will be called
  /// @param delay time from now, at least 0. After 10^6 events in a chain without a delay the run
  /// ends by an error
  /// @param target place of the event: mass::thisPlace, mass::neighbor(...), mass::link(k) or
  /// mass::place(number)
  /// @param values arguments of the rule before its Schedule<P>&
  /// @return the handle of the event, for cancel()
  /// @throws UsageError if the delay is negative or not finite, or below Places::lookahead for
  /// another place, or there is no such place
  template <auto Rule, class Target, class... Args>
  EventHandle after(std::chrono::duration<double> delay, const Target& target,
                    const Args&... values) {
    constexpr std::uint32_t rule = detail::scheduledNumber<P, Rule>();
    detail::ScheduledEvent& event = add<Rule>(delay.count(), numberOf<Rule>(target), rule);
    detail::ScheduledTraits<Rule>::Values::pack(reinterpret_cast<std::byte*>(&event + 1),
                                                values...);
    return detail::handleOf(event);
  }

  /// Cancels an event: it does not happen. Nothing changes for no event, and for one that has
  /// happened or was cancelled. An event of this place is cancelled at once if there is no delay.
  /// Otherwise the cancellation is an event at the place of `event`, which happens after the delay;
  /// without a delay, after those at the same time that no others at this time have led to.
  /// @param delay time from now, at least 0, and at least Places::lookahead for another place
  /// @throws UsageError if the delay is none of an event, or `event` is of another place and the
  /// Events of class P do not have mass::cancellation
  void cancel(const EventHandle& event, std::chrono::duration<double> delay = {}) {
    if (!(event.time >= 0)) return;
    if (event.place == call_->event->place && delay.count() == 0) {
      if (!detail::hasHappened(event, *call_->event)) call_->added->cancelled().push_back(event);
    } else if constexpr (detail::hasCancellation<P>) {
      constexpr std::uint32_t rule = detail::scheduledNumber<P, cancellation>();
      const std::int64_t target = numberOf<cancellation>(place(event.place));
      detail::ScheduledEvent& later = add<cancellation>(delay.count(), target, rule);
      std::memcpy(static_cast<void*>(&later + 1), &event, sizeof(event));
    } else {
      detail::failCancel(*call_, event);
    }
  }

 private:
  /// Adds an event without its values. @param place number of a place
  template <auto Rule>
  detail::ScheduledEvent& add(double seconds, std::int64_t place, std::uint32_t rule) {
    if (!(seconds >= 0 && std::isfinite(call_->event->time + seconds)))
      detail::failDelay(*call_, detail::scheduledName<Rule>(), seconds);
    if (seconds < call_->world->lookahead && place != index())
      detail::failLookahead(*call_, detail::scheduledName<Rule>(), seconds, place);
    if (call_->counts->scheduled == detail::ScheduledEvent::none)
      detail::failCount(*call_, detail::scheduledName<Rule>());
    return call_->add(seconds, place, rule);
  }
  template <auto Rule>
  std::int64_t numberOf(detail::ThisPlace /*target*/) const {
    return index();
  }
  template <auto Rule>
  std::int64_t numberOf(detail::PlaceByNumber target) const {
    if (target.number < 0 || target.number >= places())
      detail::failPlace(*call_, detail::scheduledName<Rule>(), target.number);
    return target.number;
  }
  template <auto Rule>
  std::int64_t numberOf(detail::LinkByNumber target) const {
    static_assert(detail::isNode<P>, "mass::link is for nodes of a network");
    if (target.number < 0 || target.number >= links())
      detail::failLink(*call_, detail::memberName<Rule>(), target.number);
    return call_->world->graph->linksOf(index())[static_cast<std::size_t>(target.number)];
  }
  template <auto Rule>
  std::int64_t numberOf(const Offset<dimensions>& target) const {
    static_assert(!detail::isNode<P>, "events of nodes go along links: mass::link(k)");
    bool isWithin = true;
    for (int axis = 0; axis < dimensions; ++axis)
      isWithin = isWithin && std::abs(target[axis]) <= call_->world->reach;
    const std::int64_t place =
        isWithin ? call_->world->neighborOf(index(), target.values) : std::int64_t{-1};
    if (place < 0) detail::failOffset(*call_, detail::memberName<Rule>(), target.values);
    return place;
  }

  detail::ScheduleCall* call_;
};

}  // namespace mass

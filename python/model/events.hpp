#pragma once

// Templates that describe the events of classes of places.

#include <python/model/arguments.hpp>
#include <python/model/model.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace mass::python {

/// First of some tuples that has elements; an empty one if there is none.
template <class... Tuples>
struct FirstWithElements {
  using Type = std::tuple<>;
};
template <class First, class... Others>
struct FirstWithElements<First, Others...> {
  using Type = std::conditional_t<(std::tuple_size_v<First> > 0), First,
                                  typename FirstWithElements<Others...>::Type>;
};

/// Functions of the events of P.
template <class P, class Events, class Immediates>
struct FunctionsOfEvents;
template <class P, class... Event, class... Immediate>
struct FunctionsOfEvents<P, std::tuple<Event...>, std::tuple<Immediate...>> {
  template <auto Function>
  using ArgumentsOf = typename detail::Traits<Function>::Arguments;
  /// Arguments of runEvents, which each function takes, or none of them.
  using Arguments = typename FirstWithElements<ArgumentsOf<Event::rate>...,
                                               ArgumentsOf<Immediate::condition>...>::Type;
  /// True if only changes take arguments, which may be numbers that runEvents draws.
  static constexpr bool areOfChanges =
      std::tuple_size_v<Arguments> == 0 &&
      (std::size_t{0} + ... + std::tuple_size_v<ArgumentsOf<Event::change>>)+(
          std::size_t{0} + ... + std::tuple_size_v<ArgumentsOf<Immediate::change>>) > 0;

  static void run(const std::shared_ptr<detail::PlacesState>& state, double duration,
                  const Value* values) {
    withArguments<Arguments>(values, state->engine, [&](const auto&... arguments) {
      Places<P>(state).runEvents(seconds(duration), arguments...);
    });
  }
};

/// True if Python can give the arguments of events: values, no arrays or agents.
template <class Arguments>
inline constexpr bool areValues = false;
template <class... T>
inline constexpr bool areValues<std::tuple<T...>> = (true && ... && isValue<T>());

/// Description of the events of class P.
template <class P>
struct EventsOf {
  using Channels = detail::Channels<P>;
  using Functions =
      FunctionsOfEvents<P, typename Channels::EventList, typename Channels::ImmediateList>;

  static detail::EventClock& clock(const std::shared_ptr<detail::PlacesState>& state) {
    Places<P>(state).eventCounts();
    return *state->events;
  }
  static constexpr EventFunctions make() {
    EventFunctions events{&detail::namesOfHops<P>, parametersOf<typename Functions::Arguments>, {}};
    if constexpr (areValues<typename Functions::Arguments> && !Functions::areOfChanges)
      events.run = &Functions::run;
    events.clock = &clock;
    return events;
  }
  static constexpr EventFunctions functions = make();
};

/// Types of the parameters of a scheduled rule of P behind its Schedule.
template <class P, class... T>
struct BehindSchedule {
  using Types = std::tuple<>;
};
template <class P, class First, class... Rest>
struct BehindSchedule<P, First, Rest...> : BehindSchedule<P, Rest...> {};
template <class P, class... Rest>
struct BehindSchedule<P, Schedule<P>&, Rest...> {
  using Types = std::tuple<std::remove_cvref_t<Rest>...>;
};
template <class P, class F>
struct BehindScheduleOf;
template <class P, class... T>
struct BehindScheduleOf<P, void (P::*)(T...)> : BehindSchedule<P, T...> {};
template <class P, class... T>
struct BehindScheduleOf<P, void (P::*)(T...) noexcept> : BehindSchedule<P, T...> {};

/// Description of an item of the Events of class P: of a scheduled rule.
template <class P, class Item>
struct ScheduledItem {  // mass::cancellation
  using Arguments = std::tuple<>;
  static constexpr ScheduledRuleInfo make() { return {"cancel"}; }
};
template <class P, auto Rule, auto Inverse>
struct ScheduledItem<P, detail::Scheduled<Rule, Inverse>> {
  using Arguments = typename BehindScheduleOf<P, decltype(Rule)>::Types;
  using Values = typename detail::ScheduledTraits<Rule>::Types;

  static EventHandle schedule(const std::shared_ptr<detail::PlacesState>& state, double delay,
                              std::int64_t place, const Value* values) {
    return withArguments<Values>(values, state->engine, [&](const auto&... each) {
      return Places<P>(state).template schedule<Rule>(seconds(delay), place, each...);
    });
  }
  static constexpr ScheduledRuleInfo make() {
    ScheduledRuleInfo rule{detail::memberName<Rule>(), parametersOf<Values>};
    if constexpr (areValues<Values>) rule.schedule = &schedule;
    return rule;
  }
};

/// Description of the scheduled events of class P.
template <class P, class Events>
struct ScheduledEventsOf;
template <class P, auto... Items>
struct ScheduledEventsOf<P, Events<Items...>> {
  template <auto Item>
  using Of = ScheduledItem<P, std::remove_cvref_t<decltype(Item)>>;
  using Arguments = typename FirstWithElements<typename Of<Items>::Arguments...>::Type;
  static constexpr std::array<ScheduledRuleInfo, sizeof...(Items)> rules{Of<Items>::make()...};

  static void run(const std::shared_ptr<detail::PlacesState>& state, double duration,
                  const Value* values) {
    withArguments<Arguments>(values, state->engine, [&](const auto&... arguments) {
      Places<P>(state).runEvents(seconds(duration), arguments...);
    });
  }
  static detail::ScheduleClock& clock(const std::shared_ptr<detail::PlacesState>& state) {
    Places<P>(state).pendingEvents();
    return *state->schedule;
  }
  static constexpr EventFunctions make() {
    EventFunctions events{[] { return std::vector<std::string>(); }, parametersOf<Arguments>,
                          rules};
    if constexpr (areValues<Arguments>) events.run = &run;
    events.schedule = &clock;
    return events;
  }
  static constexpr EventFunctions functions = make();
};

/// Returns the description of the events of class P; null if it has none.
template <class P>
constexpr const EventFunctions* eventsOf() {
  if constexpr (detail::Scheduling<P>)
    return &ScheduledEventsOf<P, typename P::Events>::functions;
  else if constexpr (requires { typename P::Events; })
    return &EventsOf<P>::functions;
  else
    return nullptr;
}

}  // namespace mass::python

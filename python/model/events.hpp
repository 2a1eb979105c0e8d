#pragma once

// Templates that describe the events of classes of places.

#include <python/model/arguments.hpp>
#include <python/model/model.hpp>

#include <mass/mass.hpp>

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>

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
    EventFunctions events{&detail::namesOfHops<P>, parametersOf<typename Functions::Arguments>};
    if constexpr (areValues<typename Functions::Arguments> && !Functions::areOfChanges)
      events.run = &Functions::run;
    events.clock = &clock;
    return events;
  }
  static constexpr EventFunctions functions = make();
};

/// Returns the description of the events of class P; null if it has none.
template <class P>
constexpr const EventFunctions* eventsOf() {
  if constexpr (requires { typename P::Events; })
    return &EventsOf<P>::functions;
  else
    return nullptr;
}

}  // namespace mass::python

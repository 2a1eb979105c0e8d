#pragma once

// Templates of Places for the clock of events.

namespace mass {

template <class P>
detail::EventClock& Places<P>::eventClock() const {
  static_assert(
      requires { typename P::Events; },
      "runEvents needs the events of the class: using Events = mass::Events<...>");
  auto& clock = population_->events;
  if (clock == nullptr) {
    detail::requireRowCuts(*population_, "events");
    const auto& mask = population_->mask;
    clock = std::make_unique<detail::EventClock>(
        fields(), mask ? &*mask : nullptr, population_->engine->events, detail::namesOfHops<P>(),
        detail::namesOfEvents<P>(), &detail::particlesIn<P>);
  }
  return *clock;
}

template <class P>
template <auto Count, int Index, class Rate>
void Places<P>::hopRate(const Rate& rate) const {
  constexpr int hop = detail::hopOf<P, Count, Index>();
  if constexpr (std::is_convertible_v<const Rate&, double>) {
    eventClock().setHopRate(hop, static_cast<double>(rate));
  } else {
    const auto& neighbors = eventClock().neighbors();
    std::vector<double> rates;
    rates.reserve(static_cast<std::size_t>(2 * dimensions * size()));
    for (std::int64_t place = 0; place < size(); ++place) {
      for (int k = 0; k < 2 * dimensions; ++k) {
        const std::int64_t next = neighbors.of(place, k);
        rates.push_back(
            next < 0 ? 0.0 : static_cast<double>(rate(coordinates(place), coordinates(next))));
      }
    }
    eventClock().setHopRates(hop, std::move(rates));
  }
}

template <class P>
template <class... Args>
void Places<P>::runEvents(std::chrono::duration<double> time, const Args&... args) const {
  using Arguments = std::tuple<Args...>;
  detail::requireAlone(*population_->engine, "runEvents");
  const Arguments arguments(args...);
  if constexpr (detail::Scheduling<P>) {
    static const detail::ScheduleKernel kernel = detail::scheduleKernel<P, Arguments>();
    scheduleClock().run(fields(), kernel, &arguments, time.count());
  } else {
    static const detail::EventKernel kernel = [] {
      detail::EventKernel functions = detail::eventKernel<P, Arguments>();
      functions.rates = detail::rateKernel<P, Arguments>();
      return functions;
    }();
    eventClock().run(fields(), kernel, &arguments, time.count(), population_->engine->seed, name(),
                     population_->timesOrNull());
  }
}

template <class P>
std::int64_t Places<P>::eventWindows(std::chrono::duration<double> time) const {
  return eventClock().windowsIn(fields(), time.count(), name());
}

template <class P>
EventCounts Places<P>::eventCounts() const {
  if constexpr (detail::Scheduling<P>) {
    return scheduleClock().report().counts;
  } else {
    EventCounts total;
    for (const EventCounts& counts : eventClock().counts()) total += counts;
    return total;
  }
}

}  // namespace mass

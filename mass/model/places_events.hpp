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
    clock = std::make_unique<detail::EventClock>(fields(), population_->engine->events,
                                                 detail::Channels<P>::hops);
  }
  return *clock;
}

template <class P>
template <auto Count, class Rate>
void Places<P>::hopRate(const Rate& rate) const {
  constexpr int hop = detail::hopOf<P, Count>();
  if constexpr (std::is_convertible_v<const Rate&, double>) {
    eventClock().setHopRate(hop, static_cast<double>(rate));
  } else {
    eventClock().setHopRates(
        hop, detail::hopRatesBy<dimensions>(shape(), fields().domain().borders, rate));
  }
}

template <class P>
template <class... Args>
void Places<P>::runEvents(std::chrono::duration<double> time, const Args&... args) const {
  using Arguments = std::tuple<Args...>;
  static const detail::EventKernel kernel = detail::eventKernel<P, Arguments>();
  const Arguments arguments(args...);
  eventClock().run(fields(), kernel, &arguments, time.count(), population_->engine->seed, name());
}

template <class P>
EventCounts Places<P>::eventCounts() const {
  return eventClock().counts();
}

}  // namespace mass

#pragma once

// Templates of Places for scheduled events.

namespace mass {

template <class P>
detail::ScheduleClock& Places<P>::scheduleClock() const {
  static_assert(detail::Scheduling<P>,
                "schedule needs the events of the class: using Events = "
                "mass::Events<mass::scheduled<&P::rule>>");
  auto& clock = population_->schedule;
  if (clock == nullptr) clock = detail::makeSchedule(*population_);
  return *clock;
}

template <class P>
template <auto Rule, class... Args>
EventHandle Places<P>::schedule(std::chrono::duration<double> delay, std::int64_t place,
                                const Args&... values) const {
  detail::ScheduledEvent& event =
      scheduleClock().prepare(delay.count(), place, detail::scheduledNumber<P, Rule>());
  detail::ScheduledTraits<Rule>::Values::pack(reinterpret_cast<std::byte*>(&event + 1), values...);
  return scheduleClock().add();
}

template <class P>
void Places<P>::cancel(const EventHandle& event) const {
  scheduleClock().cancel(event);
}

template <class P>
void Places<P>::lookahead(std::chrono::duration<double> time) const {
  scheduleClock().setLookahead(time.count());
}

template <class P>
template <auto Rule, class... Args>
void Places<P>::scheduleAll(std::chrono::duration<double> delay, const Args&... values) const {
  for (std::int64_t place = 0; place < size(); ++place) schedule<Rule>(delay, place, values...);
}

template <class P>
std::int64_t Places<P>::pendingEvents() const {
  return scheduleClock().pending();
}

}  // namespace mass

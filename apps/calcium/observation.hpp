#pragma once

#include <apps/calcium/dendrite_run.hpp>
#include <apps/calcium/parameters.hpp>

#include <mass/mass.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace calcium {

/// Declares the length of a step and of the run, and the column `time` in ms.
inline void declareTime(mass::Simulation& run, const Clock& clock) {
  run.timeStep(clock.step);
  run.duration(clock.duration);
  run.observe("time",
              [&run, ms = clock.step * 1e3] { return static_cast<double>(run.step()) * ms; });
}

/// Measures the rate of events.
struct EventRate {
  double seconds = 0;  ///< time in advance()

  /// Calls a function and adds its time.
  template <class F>
  void measure(const F& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  /// Returns a line of the summary.
  std::string text(const mass::EventCounts& counts) const {
    const auto events = static_cast<double>(counts.events);
    return fmt::format(
        "  events      {:.4g} million, {:.3g} million/s, {:.3g} executions of a site in a window\n",
        events * 1e-6, seconds > 0 ? events * 1e-6 / seconds : 0,
        counts.placeWindows > 0
            ? static_cast<double>(counts.executions) / static_cast<double>(counts.placeWindows)
            : 0);
  }
};

/// Returns the line of the summary for the events of a run; empty for finite differences.
template <class P>
std::string eventText(const mass::Places<P>& places, const EventRate& rate) {
  if constexpr (requires { typename P::Events; }) {
    return rate.text(places.eventCounts());
  } else {
    return {};
  }
}

/// Adds the columns of the mean concentrations and of the share of open receptors.
template <class P>
void observeMeans(mass::Simulation& run, const std::shared_ptr<const DendriteRun<P>>& dendrite) {
  run.observe("Ca", [=] { return dendrite->template mean<&P::calciumIn>(); });
  run.observe("ER", [=] { return dendrite->template mean<&P::storedIn>(); });
  run.observe("IP3", [=] { return dendrite->template mean<&P::ip3In>(); });
  run.observe("open", [=] { return dendrite->template mean<&P::open>(); });
}

/// Declares the data files. @param spacing edge of a site in um
template <class P>
void declareData(mass::Simulation& run, const DendriteRun<P>& dendrite, double spacing) {
  if constexpr (requires { &P::s000; }) {
    run.data<&P::calcium, &P::stored, &P::ip3, &P::s000>(dendrite.places(), spacing);
  } else {
    run.data<&P::calcium, &P::stored, &P::ip3>(dendrite.places(), spacing);
  }
}

}  // namespace calcium

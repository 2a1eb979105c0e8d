#pragma once

#include <apps/calcium/dendrite_run.hpp>
#include <apps/calcium/parameters.hpp>

#include <mass/mass.hpp>

#include <memory>

namespace calcium {

/// Declares the length of a step and of the run, and the column `time` in ms.
inline void declareTime(mass::Simulation& run, const Clock& clock) {
  run.timeStep(clock.step);
  run.duration(clock.duration);
  run.observe("time",
              [&run, ms = clock.step * 1e3] { return static_cast<double>(run.step()) * ms; });
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

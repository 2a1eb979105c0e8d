#pragma once

#include <apps/calcium/front.hpp>
#include <apps/calcium/parameters.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <vector>

namespace calcium {

/// Dendrite in one of the forms of the model: Dendrite, ThresholdDendrite or DendriteField.
template <class P>
class DendriteRun {
 public:
  /// Creates the dendrite in its initial state.
  DendriteRun(mass::Mass& mass, const WaveParameters& parameters);

  const mass::Places<P>& places() const { return places_; }
  /// Advances by a number of steps, and injects IP3 before the step at which it is due.
  /// @param done number of steps before
  void advance(std::int64_t done, mass::Steps steps) const;
  /// Returns the concentrations of calcium in the cytosol in uM, rounded to 10^-6 uM.
  std::vector<double> calcium() const;
  /// Returns a mean over the sites of a function of P that takes the kinetics.
  template <auto Function>
  double mean() const {
    return places_.template reduce<Function>(mass::sum, parameters_.kinetics) /
           static_cast<double>(places_.size());
  }

 private:
  mass::Places<P> places_;
  WaveParameters parameters_;
};

}  // namespace calcium

#pragma once

#include <apps/calcium/neuron_parameters.hpp>
#include <apps/calcium/parameters.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace calcium {

/// Dendrite or neuron in one of the forms of the model.
/// @tparam P Dendrite<1>, ThresholdDendrite<1> or DendriteField; Dendrite<3> or
/// ThresholdDendrite<3> for a neuron
template <class P>
class DendriteRun {
 public:
  using Parameters = std::conditional_t<P::dimensions == 1, WaveParameters, NeuronParameters>;

  /// Creates the sites in their initial state.
  DendriteRun(mass::Mass& mass, const Parameters& parameters);

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
  Parameters parameters_;
};

}  // namespace calcium

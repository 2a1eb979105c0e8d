#include <apps/calcium/dendrite_run.hpp>

#include <apps/calcium/dendrite.hpp>
#include <apps/calcium/dendrite_field.hpp>
#include <apps/calcium/threshold_dendrite.hpp>

#include <cmath>
#include <type_traits>

namespace calcium {
namespace {

template <class P>
mass::Places<P> createSites(mass::Mass& mass, const WaveParameters& parameters) {
  auto options = mass::borders<P>(mass::Border::mirrored);  // no flux through the ends
  options.name = "dendrite";
  return mass.createPlaces<P>({parameters.sites}, options);
}

template <class P>
mass::Places<P> createSites(mass::Mass& mass, const NeuronParameters& parameters) {
  auto options = mass::borders<P>(mass::Border::fixed);
  options.name = "neuron";
  return mass.createPlaces<P>(parameters.cubes.shape, parameters.cubes.indices, options);
}

}  // namespace

template <class P>
DendriteRun<P>::DendriteRun(mass::Mass& mass, const Parameters& parameters)
    : places_(createSites<P>(mass, parameters)), parameters_(parameters) {
  places_.template initialise<&P::isStimulated>(
      [&](const auto& site) { return parameters.isStimulated(site); });
  places_.template callAll<&P::start>(parameters.kinetics, parameters.initial);
  if constexpr (!std::is_same_v<P, DendriteField>) {
    const double ofCalcium = parameters.clock.hopRate(parameters.calciumDiffusion);
    places_.template hopRate<&P::calcium>(ofCalcium);
    places_.template hopRate<&P::stored>(ofCalcium);
    places_.template hopRate<&P::ip3>(parameters.clock.hopRate(parameters.ip3Diffusion));
  }
}

template <class P>
void DendriteRun<P>::advance(std::int64_t done, mass::Steps steps) const {
  for (std::int64_t step = done; step < done + steps.count; ++step) {
    if (step == parameters_.stimulusStep)
      places_.template callAll<&P::stimulate>(parameters_.kinetics, parameters_.stimulus);
    if constexpr (std::is_same_v<P, DendriteField>) {
      places_.template callAll<&P::advance>(mass::steps(parameters_.clock.timeSteps()),
                                            parameters_.kinetics, parameters_.fieldStep());
    } else {
      places_.runEvents(mass::seconds(parameters_.clock.step), parameters_.kinetics);
    }
  }
}

template <class P>
std::vector<double> DendriteRun<P>::calcium() const {
  std::vector<double> values = places_.template map<&P::calciumIn>(parameters_.kinetics);
  for (double& value : values) value = std::round(value * 1e6) * 1e-6;
  return values;
}

template class DendriteRun<Dendrite<1>>;
template class DendriteRun<ThresholdDendrite<1>>;
template class DendriteRun<DendriteField>;
template class DendriteRun<Dendrite<3>>;
template class DendriteRun<ThresholdDendrite<3>>;

}  // namespace calcium

#include <apps/calcium/dendrite_run.hpp>

#include <apps/calcium/dendrite.hpp>
#include <apps/calcium/dendrite_field.hpp>
#include <apps/calcium/threshold_dendrite.hpp>

#include <cmath>
#include <type_traits>

namespace calcium {
namespace {

template <class P>
mass::Places<P> createDendrite(mass::Mass& mass, const WaveParameters& parameters) {
  auto options = mass::borders<P>(mass::Border::mirrored);  // no flux through the ends
  options.name = "dendrite";
  return mass.createPlaces<P>({parameters.sites}, options);
}

}  // namespace

template <class P>
DendriteRun<P>::DendriteRun(mass::Mass& mass, const WaveParameters& parameters)
    : places_(createDendrite<P>(mass, parameters)), parameters_(parameters) {
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

template class DendriteRun<Dendrite>;
template class DendriteRun<ThresholdDendrite>;
template class DendriteRun<DendriteField>;

}  // namespace calcium

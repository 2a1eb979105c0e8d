#include <apps/calcium/neuron_setup.hpp>

#include <apps/calcium/dendrite.hpp>
#include <apps/calcium/dendrite_run.hpp>
#include <apps/calcium/neuron_parameters.hpp>
#include <apps/calcium/observation.hpp>
#include <apps/calcium/projection.hpp>
#include <apps/calcium/threshold_dendrite.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace calcium {
namespace {

constexpr double heightOfWaves = 2;  ///< uM

/// Returns row-major values with the rows in reverse order.
template <class T>
std::vector<T> flipped(const std::vector<T>& values, std::int64_t columns) {
  std::vector<T> result;
  for (auto end = values.end(); end != values.begin(); end -= columns)
    result.insert(result.end(), end - columns, end);
  return result;
}

/// Returns a picture of the calcium in the cytosol, seen along z: means over the sites behind one
/// another. x points to the right, y upwards. @param most value of the last colour in uM
template <class P>
mass::Picture pictureOf(const DendriteRun<P>& neuron, const mass::Morphology::Cubes& cubes,
                        double most) {
  mass::Picture picture = projected(cubes.shape, cubes.indices, neuron.calcium(), most, "uM");
  picture.values = flipped(picture.values, picture.columns);
  picture.absent = flipped(picture.absent, picture.columns);
  return picture;
}

template <class P>
void setUpForm(mass::Mass& mass, mass::Simulation& run, const NeuronParameters& parameters) {
  const auto neuron = std::make_shared<const DendriteRun<P>>(mass, parameters);
  run.advance([=, &run](mass::Steps steps) { neuron->advance(run.step(), steps); });
  declareTime(run, parameters.clock);
  observeMeans(run, neuron);
  const auto most = mass.settings().get<double>("output.most");
  run.picture([=, cubes = parameters.cubes] {
    return pictureOf(*neuron, cubes, most > 0 ? most : heightOfWaves);
  });
  run.slices(parameters.cubes.shape, [=, cubes = parameters.cubes](int axis, std::int64_t at) {
    return sliced(cubes.shape, cubes.indices, neuron->calcium(), axis, at,
                  most > 0 ? most : heightOfWaves, "uM");
  });
  declareData(run, *neuron, parameters.clock.spacing);
}

}  // namespace

void setUpNeuron(mass::Mass& mass, mass::Simulation& run) {
  const NeuronParameters parameters(mass.settings());
  run.describe(parameters.text());
  if (parameters.form == Form::threshold)
    return setUpForm<ThresholdDendrite<3>>(mass, run, parameters);
  setUpForm<Dendrite<3>>(mass, run, parameters);
}

}  // namespace calcium

#include <apps/calcium/neuron_parameters.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

namespace calcium {
namespace {

using Point = mass::Morphology::Point;

mass::Morphology readNeuron(const mass::Settings& settings) {
  refuse(settings, {"buffer.", "length", "front."},
         "the model 'neuron' does not use it: leave it out");
  if (settings.get<bool>("finite_differences"))
    settings.reject("finite_differences", "the model 'neuron' has events only: set it to false");
  const std::filesystem::path file = settings.path("swc.path");
  if (file.empty()) settings.reject("swc.path", "name the SWC file of the neuron");
  if (!std::filesystem::exists(file))
    settings.reject("swc.path", fmt::format("there is no file '{}'", file.string()));
  return mass::Morphology(file);
}

std::vector<std::uint8_t> typesOf(const mass::Settings& settings) {
  std::vector<std::uint8_t> types;
  for (const double number : settings.get<std::vector<double>>("swc.types")) {
    const auto type = mass::Morphology::typeOf(number);
    if (!type) settings.reject("swc.types", fmt::format("{} is no whole number", number));
    types.push_back(*type);
  }
  return types;
}

/// Returns the point of a key; empty if the list is.
std::optional<Point> pointOf(const mass::Settings& settings, const char* key) {
  const auto numbers = settings.get<std::vector<double>>(key);
  if (numbers.empty()) return std::nullopt;
  if (numbers.size() != 3)
    settings.reject(key, fmt::format("a point has three numbers, x, y and z in um, or none for "
                                     "the soma; these are {}",
                                     numbers.size()));
  return Point{numbers[0], numbers[1], numbers[2]};
}

mass::Morphology::Grid gridOf(const mass::Settings& settings, double spacing) {
  mass::Morphology::Grid grid;
  grid.edge = spacing;
  grid.scale = settings.get<double>("swc.scale");
  grid.types = typesOf(settings);
  grid.rule = mass::Morphology::ruleOf(settings.get<std::string>("swc.rule")).value();
  const auto radius = settings.get<double>("swc.radius");
  if (radius > 0) {
    grid.within = {pointOf(settings, "swc.center"), radius};
  } else if (settings.given("swc.center")) {
    settings.reject("swc.center", "the whole neuron is taken, as swc.radius is 0: leave it out");
  }
  return grid;
}

/// Returns the centre of the soma in um.
Point somaOf(const mass::Settings& settings, const mass::Morphology& neuron) {
  auto center = neuron.somaCenter();
  if (!center)
    settings.reject("stimulus.center", "the neuron has no soma, nodes of type 1: give x, y and z");
  for (double& x : *center) x *= settings.get<double>("swc.scale");
  return *center;
}

std::string textOf(const Point& point) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", point[0], point[1], point[2]);
}

}  // namespace

NeuronParameters::NeuronParameters(const mass::Settings& settings)
    : NeuronParameters(settings, readNeuron(settings)) {}

NeuronParameters::NeuronParameters(const mass::Settings& settings, const mass::Morphology& neuron)
    : DendriteParameters(settings),
      cubes(neuron.cubes(gridOf(settings, clock.spacing))),
      stimulusRadius(0.5 * settings.get<double>("stimulus.width")) {
  const auto center = pointOf(settings, "stimulus.center");
  stimulusCenter = center ? *center : somaOf(settings, neuron);
  requireStimulated(settings);
}

double NeuronParameters::distance(const mass::Coordinates<3>& site) const {
  const auto along = [&](int axis) {
    return cubes.origin[static_cast<std::size_t>(axis)] +
           (static_cast<double>(site[2 - axis]) + 0.5) * cubes.edge -
           stimulusCenter[static_cast<std::size_t>(axis)];
  };
  return std::hypot(along(0), along(1), along(2));
}

bool NeuronParameters::isStimulated(const mass::Coordinates<3>& site) const {
  return distance(site) < stimulusRadius;
}

void NeuronParameters::requireStimulated(const mass::Settings& settings) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::int64_t index : cubes.indices)
    nearest = std::min(nearest, distance(mass::coordinatesOf<3>(index, cubes.shape)));
  if (nearest < stimulusRadius) return;
  settings.reject(settings.given("stimulus.center") ? "stimulus.center" : "stimulus.width",
                  fmt::format("no middle of a site is in the sphere of {:.6g} um about {}: the "
                              "nearest is {:.4g} um from there",
                              2 * stimulusRadius, textOf(stimulusCenter), nearest));
}

std::string NeuronParameters::text() const {
  const double volume = static_cast<double>(cubes.indices.size()) * std::pow(cubes.edge, 3);
  const auto stimulated = std::ranges::count_if(cubes.indices, [&](std::int64_t index) {
    return isStimulated(mass::coordinatesOf<3>(index, cubes.shape));
  });
  std::string text = fmt::format(
      "  neuron      {} sites of {:.6g} um, {:.4g} um^3, in a box of {} x {} x {}\n",
      cubes.indices.size(), cubes.edge, volume, cubes.shape[2], cubes.shape[1], cubes.shape[0]);
  for (const std::string& note : cubes.notes) text += fmt::format("  note        {}\n", note);
  return text + fmt::format("  stimulus    {} sites, within {:.6g} um of {}\n", stimulated,
                            stimulusRadius, textOf(stimulusCenter));
}

}  // namespace calcium

#include <apps/heat2d/setup.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace heat2d {

Parameters::Parameters(const mass::Settings& settings)
    : rows(settings.get<std::int64_t>("rows")),
      columns(settings.get<std::int64_t>("columns")),
      diffusivity(settings.get<double>("diffusivity")),
      spacing(settings.get<double>("spacing")),
      timeStep(settings.get<double>("time_step")),
      insulated(settings.get<std::string>("edges") == "insulated"),
      edgeTemperature(settings.get<double>("edge_temperature")),
      sourceTemperature(settings.get<double>("source_temperature")),
      heatTime(settings.get<std::int64_t>("heat_time")),
      isMode(settings.get<std::string>("start") == "mode") {
  // r is rounded: it may be a little above 1/4 for settings that make it 1/4 in decimals.
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  if (!(r() <= 0.25 * (1 + rounding))) {
    settings.reject(
        "time_step",
        fmt::format("r = diffusivity time_step / spacing^2 = {} is above 1/4, and the method "
                    "is unstable: the largest stable time_step is {}",
                    r(), spacing * spacing / (4 * diffusivity)));
  }
  if (isMode && !insulated && edgeTemperature != 0) {
    settings.reject(
        "edge_temperature",
        "the sine mode is a solution for edges at 0 only: set it to 0, or edges=insulated");
  }
}

double Parameters::decay(std::int64_t steps) const {
  double k = 0;
  for (const std::int64_t places : {rows, columns}) {
    const double length = static_cast<double>(insulated ? places : places + 1) * spacing;
    k += diffusivity * std::pow(std::numbers::pi / length, 2);
  }
  return std::exp(-k * timeStep * static_cast<double>(steps));
}

std::pair<double, double> Parameters::temperatureRange() const {
  if (isMode) return {insulated ? -1 : 0, 1};
  return std::minmax({0.0, sourceTemperature, insulated ? 0.0 : edgeTemperature});
}

namespace {

template <class Real>
void setUpWith(mass::Mass& mass, mass::Simulation& run, const Parameters& parameters) {
  using Place = Heat<Real>;
  Place edge;
  edge.temperature = mass.settings().get<Real>("edge_temperature");
  auto options =
      mass::borders(parameters.insulated ? mass::Border::mirrored : mass::Border::fixed, edge);
  options.name = "heat2d";
  auto world = mass.createPlaces<Place>({parameters.rows, parameters.columns}, options);
  if (parameters.isMode) {
    world.template initialise<&Place::temperature>([&](const mass::Coordinates<2>& at) {
      return static_cast<Real>(parameters.mode().at(at, world.shape()));
    });
  }

  const auto r = static_cast<Real>(parameters.r());
  const Source<Real> source{parameters.columns / 3, 2 * parameters.columns / 3,
                            mass.settings().get<Real>("source_temperature")};
  const std::int64_t heated = parameters.isMode ? 0 : parameters.heatTime;
  run.advance([=](mass::Steps steps) {
    const auto done = static_cast<std::int64_t>(world.step());
    const std::int64_t hot = std::clamp<std::int64_t>(heated - done, 0, steps.count);
    world.template callAll<&Place::diffuseHeated>(mass::steps(hot), r, source);
    world.template callAll<&Place::diffuse>(mass::steps(steps.count - hot), r);
  });

  const auto places = static_cast<double>(world.size());
  run.observe("mean",
              [=] { return world.template reduce<&Place::temperature>(mass::sum) / places; });
  run.observe("lowest", [=] { return world.template reduce<&Place::temperature>(mass::minimum); });
  run.observe("highest", [=] { return world.template reduce<&Place::temperature>(mass::maximum); });
  if (parameters.isMode) {
    run.observe("error", [=] {
      const double share = parameters.decay(static_cast<std::int64_t>(world.step()));
      return world.template reduce<&Place::errorFrom>(mass::maximum, parameters.mode(), share);
    });
  }
  run.timeStep(parameters.timeStep);
  const auto [low, high] = parameters.temperatureRange();
  run.picture<&Place::temperature>(world, static_cast<float>(low), static_cast<float>(high), "heat",
                                   "K");
  run.data<&Place::temperature>(world, parameters.spacing);
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const Parameters parameters(mass.settings());
  const bool isFloat = mass.settings().get<std::string>("precision") == "float";
  (isFloat ? setUpWith<float> : setUpWith<double>)(mass, run, parameters);
}

}  // namespace heat2d

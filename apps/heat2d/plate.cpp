#include <apps/heat2d/plate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

namespace heat2d {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("rows", 100, "places", "height of the plate").atLeast(1);
  schema.add("columns", 100, "places", "width of the plate").atLeast(1);
  schema.add("precision", "double", "", "float: 32 bits, double: 64 bits a temperature")
      .oneOf({"float", "double"});
  schema.add("diffusivity", 1.0, "m^2/s", "of the plate").above(0);
  schema.add("spacing", 2.0, "m", "distance between places").above(0);
  schema.add("time_step", 1.0, "s", "at most spacing^2 / (4 diffusivity)").above(0);
  schema
      .add(
          "start", "plate", "",
          "plate: cold, heated at the top centre; mode: a sine (edges fixed) or cosine (insulated)")
      .oneOf({"plate", "mode"});
  schema.add("edges", "insulated", "", "no heat passes, or a fixed temperature")
      .oneOf({"insulated", "fixed"});
  schema.add("edge_temperature", 0.0, "K", "of fixed edges; a mode needs 0");
  schema.add("source_temperature", 19.0, "K",
             "of the middle third of the top row while it is heated");
  schema.add("heat_time", 2700, "steps", "how long the source is on").atLeast(0);
  return schema;
}

Plate::Plate(const mass::Settings& settings)
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
  // Numbers that make 1/4 exactly may miss it by the rounding of four operations.
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  if (!(r() <= 0.25 * (1 + rounding))) {
    settings.reject(
        "time_step",
        fmt::format("r = diffusivity time_step / spacing^2 = {} is above 1/4, where the "
                    "method is unstable: the largest stable time_step is {}",
                    r(), spacing * spacing / (4 * diffusivity)));
  }
  if (isMode && !insulated && edgeTemperature != 0) {
    settings.reject("edge_temperature", "the sine mode is a solution only between edges at 0");
  }
}

double Plate::decay(std::int64_t steps) const {
  double k = 0;
  for (const std::int64_t places : {rows, columns}) {
    const double length = static_cast<double>(insulated ? places : places + 1) * spacing;
    k += diffusivity * std::pow(std::numbers::pi / length, 2);
  }
  return std::exp(-k * timeStep * static_cast<double>(steps));
}

std::pair<double, double> Plate::span() const {
  if (isMode) return {insulated ? -1 : 0, 1};
  return std::minmax({0.0, sourceTemperature, insulated ? 0.0 : edgeTemperature});
}

template <class Real>
void setUp(mass::Mass& mass, mass::Simulation& run, const Plate& plate) {
  using Place = Heat<Real>;
  Place edge;
  edge.temperature = static_cast<Real>(plate.edgeTemperature);
  auto options =
      mass::borders(plate.insulated ? mass::Border::mirrored : mass::Border::fixed, edge);
  options.name = "heat2d";
  auto world = mass.createPlaces<Place>({plate.rows, plate.columns}, options);
  if (plate.isMode) {
    world.template initialise<&Place::temperature>([&](const mass::Coordinates<2>& at) {
      return static_cast<Real>(plate.mode().at(at, world.shape()));
    });
  }

  const auto r = static_cast<Real>(plate.r());
  const Source<Real> source{plate.columns / 3, 2 * plate.columns / 3,
                            static_cast<Real>(plate.sourceTemperature)};
  const std::int64_t heated = plate.isMode ? 0 : plate.heatTime;
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
  if (plate.isMode) {
    run.observe("error", [=] {
      const double share = plate.decay(static_cast<std::int64_t>(world.step()));
      return world.template reduce<&Place::errorFrom>(mass::maximum, plate.mode(), share);
    });
  }
  run.timeStep(plate.timeStep);
  const auto [low, high] = plate.span();
  run.picture<&Place::temperature>(world, static_cast<float>(low), static_cast<float>(high),
                                   "heat");
  run.data<&Place::temperature>(world, plate.spacing);
}

template void setUp<float>(mass::Mass&, mass::Simulation&, const Plate&);
template void setUp<double>(mass::Mass&, mass::Simulation&, const Plate&);

}  // namespace heat2d

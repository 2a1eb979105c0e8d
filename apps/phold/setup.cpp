#include <apps/phold/setup.hpp>

#include <cstdint>

namespace phold {
namespace {

Parameters parametersOf(const mass::Settings& settings) {
  const Parameters parameters{.remote = settings.get<double>("remote"),
                              .lookahead = settings.get<double>("lookahead"),
                              .mean = settings.get<double>("mean")};
  if (parameters.lookahead > parameters.mean) settings.reject("lookahead", "is above the mean");
  return parameters;
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const Parameters parameters = parametersOf(settings);
  mass::PlacesOptions<Object> options;
  options.name = "objects";
  const auto objects = mass.createPlaces<Object>({settings.get<std::int64_t>("places")}, options);
  objects.lookahead(mass::seconds(parameters.lookahead));
  objects.scheduleAll<&Object::begin>(mass::seconds(0), settings.get<std::int32_t>("population"));

  const auto step = settings.get<double>("events.step");
  run.events(objects, mass::seconds(step), parameters);
  run.observe("time", [=, &run] { return static_cast<double>(run.step()) * step; });
  run.observe("happened",
              [=] { return static_cast<double>(objects.reduce<&Object::events>(mass::sum)); });
  run.observe("most",
              [=] { return static_cast<double>(objects.reduce<&Object::events>(mass::maximum)); });
  run.observe("pending", [=] { return static_cast<double>(objects.pendingEvents()); });
  run.data<&Object::events>(objects);
}

}  // namespace phold

#include <apps/forest_fire/setup.hpp>

#include <cstdint>

namespace forest_fire {

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  auto forest = mass.createPlaces<Site>(
      {settings.get<std::int64_t>("rows"), settings.get<std::int64_t>("columns")},
      {.name = "forest"});
  forest.callAll<&Site::plant>(settings.get<double>("density"));

  run.advance([=, &settings](mass::Steps steps) {
    forest.callAll<&Site::burn>(steps, settings.get<double>("growth"),
                                settings.get<double>("lightning"));
  });
  run.observe("trees", [=] { return forest.reduce<&Site::is>(mass::sum, State::tree); });
  run.observe("burning", [=] { return forest.reduce<&Site::is>(mass::sum, State::burning); });
  run.picture<&Site::state>(forest, {"bare ground", "tree", "fire"},
                            {{38, 30, 24}, {46, 139, 87}, {255, 140, 0}});
  run.data<&Site::state>(forest);
}

}  // namespace forest_fire

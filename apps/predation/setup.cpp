#include <apps/predation/setup.hpp>

#include <memory>

namespace predation {
namespace {

Parameters parametersOf(const mass::Settings& settings) {
  const auto number = [&](const char* key) { return settings.get<float>(key); };
  return {settings.get<int>("regrowth"),
          {number("sheep_gain"), number("sheep_birth")},
          {number("wolf_gain"), number("wolf_birth")}};
}

}  // namespace

World::World(mass::Mass& mass, std::int64_t size, std::int64_t sheep, std::int64_t wolves,
             const Parameters& parameters)
    : meadows_(mass.createPlaces<Meadow>({size, size}, {.name = "meadows"})),
      sheep_(mass.createAgents<Sheep>(meadows_, sheep, "sheep")),
      wolves_(mass.createAgents<Wolf>(meadows_, wolves, "wolves")),
      parameters_(parameters) {
  meadows_.callAll<&Meadow::initialise>(parameters_.regrowth);
  sheep_.callAll<&Sheep::beginLife>(parameters_.sheep);
  wolves_.callAll<&Wolf::beginLife>(parameters_.wolves);
}

StepCounts World::step() const {
  sheep_.callAll<&Sheep::walk>();
  sheep_.manageAll();
  sheep_.callAll<&Sheep::graze>(parameters_.sheep, parameters_.regrowth);
  meadows_.callAll<&Meadow::grow>();
  sheep_.manageAll();
  const mass::Census grazing = sheep_.census();
  wolves_.callAll<&Wolf::walk>();
  wolves_.manageAll();
  wolves_.callAll<&Wolf::hunt>(sheep_, parameters_.wolves);
  wolves_.manageAll();
  const mass::Census hunt = wolves_.census();
  sheep_.manageAll();
  const mass::Census prey = sheep_.census();
  return {grazing.born, grazing.died, prey.died, hunt.born, hunt.died};
}

std::int64_t World::grass() const {
  return meadows_.reduce<&Meadow::hasGrass>(mass::sum);
}

mass::Picture World::picture() const {
  constexpr float grass = 1, sheep = 2, wolf = 3;
  const std::int64_t columns = meadows_.shape()[1];
  mass::Picture picture{{}, meadows_.shape()[0], columns};
  picture.categories = {"bare ground", "grass", "sheep", "wolf"};
  picture.colors = {{70, 50, 35}, {0, 110, 70}, {240, 228, 180}, {213, 60, 0}};
  for (const bool hasGrass : meadows_.map<&Meadow::hasGrass>()) {
    picture.values.push_back(hasGrass ? grass : 0);
  }
  const auto draw = [&](const auto& animals, float value) {
    for (const auto& at : animals.coordinates()) {
      picture.values[static_cast<std::size_t>(at[0] * columns + at[1])] = value;
    }
  };
  draw(sheep_, sheep);
  draw(wolves_, wolf);
  return picture;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto world = std::make_shared<World>(
      mass, settings.get<std::int64_t>("size"), settings.get<std::int64_t>("sheep"),
      settings.get<std::int64_t>("wolves"), parametersOf(settings));
  run.onChange([=, &settings] { world->set(parametersOf(settings)); });

  // Counts of the last step only: then a restarted run writes the same table.
  const auto last = std::make_shared<StepCounts>();
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) *last = world->step();
  });
  run.observe("sheep", [=] { return world->sheep().size(); });
  run.observe("wolves", [=] { return world->wolves().size(); });
  run.observe("grass", [=] { return world->grass(); });
  run.observe("lambs", [=] { return last->lambs; });
  run.observe("starved_sheep", [=] { return last->starvedSheep; });
  run.observe("eaten_sheep", [=] { return last->eatenSheep; });
  run.observe("cubs", [=] { return last->cubs; });
  run.observe("starved_wolves", [=] { return last->starvedWolves; });
  run.picture([=] { return world->picture(); });
  run.points(world->sheep(), {240, 228, 180});
  run.points(world->wolves(), {213, 60, 0});
  run.data<&Meadow::bareFor>(world->meadows());
  run.data<&Sheep::energy>(world->sheep());
  run.data<&Wolf::energy>(world->wolves());
  run.agentTable<&Sheep::energy>(world->sheep());
  run.agentTable<&Wolf::energy>(world->wolves());
}

}  // namespace predation

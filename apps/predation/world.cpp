#include <apps/predation/world.hpp>

#include <memory>
#include <string>

namespace predation {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("size", 100, "places", "height and width of the world").between(1, 1 << 20);
  schema.add("sheep", 400, "", "sheep at the start").atLeast(0);
  schema.add("wolves", 200, "", "wolves at the start").atLeast(0);
  schema.add("regrowth", 30, "steps", "until grass that was eaten is back").between(1, 1 << 30);
  schema.add("sheep_gain", 4.0, "", "energy that grass gives a sheep; a step costs 1").atLeast(0);
  schema.add("wolf_gain", 20.0, "", "energy that a sheep gives a wolf").atLeast(0);
  schema.add("sheep_birth", 0.04, "1/step", "probability that a sheep has a lamb").between(0, 1);
  schema.add("wolf_birth", 0.05, "1/step", "probability that a wolf has a cub").between(0, 1);
  return schema;
}

World::World(mass::Mass& mass, std::int64_t size, std::int64_t sheep, std::int64_t wolves,
             const Rules& rules)
    : meadows_(mass.createPlaces<Meadow>({size, size}, {.name = "meadows"})),
      sheep_(mass.createAgents<Sheep>(meadows_, sheep, "sheep")),
      wolves_(mass.createAgents<Wolf>(meadows_, wolves, "wolves")),
      rules_(rules) {
  meadows_.callAll<&Meadow::begin>(rules_.regrowth);
  sheep_.callAll<&Sheep::beginLife>(rules_.sheep);
  wolves_.callAll<&Wolf::beginLife>(rules_.wolves);
}

Events World::step() const {
  sheep_.callAll<&Sheep::walk>();
  sheep_.manageAll();
  sheep_.callAll<&Sheep::graze>(sheep_, rules_.sheep);
  meadows_.callAll<&Meadow::grow>(sheep_, rules_.regrowth);
  sheep_.manageAll();
  const mass::Census grazing = sheep_.census();
  wolves_.callAll<&Wolf::walk>();
  wolves_.manageAll();
  wolves_.callAll<&Wolf::hunt>(wolves_, sheep_, rules_.wolves);
  sheep_.callAll<&Sheep::meet>(mass::writes<>, sheep_, wolves_);
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
  constexpr float grass = 0.3F, sheep = 0.75F, wolf = 1;
  const std::int64_t columns = meadows_.shape()[1];
  mass::Picture picture{{}, meadows_.shape()[0], columns, 0, wolf};
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
  const auto number = [&](const char* key) {
    return static_cast<float>(settings.get<double>(key));
  };
  const World world(mass, settings.get<std::int64_t>("size"), settings.get<std::int64_t>("sheep"),
                    settings.get<std::int64_t>("wolves"),
                    {settings.get<int>("regrowth"),
                     {number("sheep_gain"), number("sheep_birth")},
                     {number("wolf_gain"), number("wolf_birth")}});

  // Of the last step, so that a run that goes on from a checkpoint writes the same table.
  const auto last = std::make_shared<Events>();
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) *last = world.step();
  });
  run.observe("sheep", [=] { return world.sheep().size(); });
  run.observe("wolves", [=] { return world.wolves().size(); });
  run.observe("grass", [=] { return world.grass(); });
  run.observe("lambs", [=] { return last->lambs; });
  run.observe("starved_sheep", [=] { return last->starved; });
  run.observe("eaten_sheep", [=] { return last->eaten; });
  run.observe("cubs", [=] { return last->cubs; });
  run.observe("starved_wolves", [=] { return last->died; });
  run.picture([=] { return world.picture(); });
  run.data<&Meadow::bareFor>(world.meadows());
  run.data<&Sheep::energy>(world.sheep());
  run.data<&Wolf::energy>(world.wolves());
  run.agentTable<&Sheep::energy>(world.sheep());
  run.agentTable<&Wolf::energy>(world.wolves());
}

}  // namespace predation

#include <apps/schelling/setup.hpp>

#include <cmath>
#include <memory>
#include <vector>

namespace schelling {

World::World(mass::Mass& mass, std::int64_t size, double occupied, double wanted)
    : lots_(mass.createPlaces<Lot>({size, size}, {.name = "lots"})),
      households_(mass.createAgents<Household>(
          lots_,
          static_cast<std::int64_t>(std::llround(static_cast<double>(size * size) * occupied)),
          "households")),
      wanted_(static_cast<float>(wanted)) {
  households_.callAll<&Household::beginLife>();
}

std::int64_t World::step() const {
  households_.callAll<&Household::choose>(mass::writes<&Household::leaves>, households_, wanted_);
  households_.manageAll();
  mass::Census census = households_.census();
  std::int64_t moved = census.moved;
  while (census.blocked > 0 && census.moved > 0) {
    households_.callAll<&Household::chooseAgain>(mass::writes<>);
    households_.manageAll();
    census = households_.census();
    moved += census.moved;
  }
  return moved;
}

std::int64_t World::discontented() const {
  const auto content = static_cast<std::int64_t>(
      households_.reduce<&Household::isContent>(mass::sum, households_, wanted_));
  return households_.size() - content;
}

double World::likeness() const {
  if (households_.size() == 0) return 1;
  return households_.reduce<&Household::likeness>(mass::sum, households_) /
         static_cast<double>(households_.size());
}

mass::Picture World::picture() const {
  constexpr float blue = 1, red = 2;
  const std::int64_t rows = lots_.shape()[0], columns = lots_.shape()[1];
  mass::Picture picture{std::vector<float>(static_cast<std::size_t>(rows * columns)), rows, columns,
                        0, 1};
  picture.categories = {"free lot", "blue", "red"};
  picture.colors = {{235, 235, 235}, {0, 114, 178}, {213, 94, 0}};
  const auto isRed = households_.download<&Household::isRed>();
  std::size_t index = 0;
  for (const auto& at : households_.coordinates()) {
    picture.values[static_cast<std::size_t>(at[0] * columns + at[1])] = isRed[index++] ? red : blue;
  }
  return picture;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto world =
      std::make_shared<World>(mass, settings.get<std::int64_t>("size"),
                              settings.get<double>("occupied"), settings.get<double>("wanted"));
  run.onChange([=, &settings] { world->setWanted(settings.get<double>("wanted")); });

  const auto moved = std::make_shared<std::int64_t>(0);  // moves in the last step
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) *moved = world->step();
  });
  run.observe("moved", [=] { return *moved; });
  run.observe("discontented", [=] { return world->discontented(); });
  run.observe("likeness", [=] { return world->likeness(); });
  run.picture([=] { return world->picture(); });
  run.data<&Household::isRed>(world->households());
  run.agentTable<&Household::isRed>(world->households());
}

}  // namespace schelling

// The program that docs/writing-agents.md shows.

#include <mass/mass.hpp>

#include <fmt/format.h>

#include <cstdint>

class Sheep;

/// Place with grass, which grows back and is eaten by the sheep on it.
class Meadow : public mass::Place<2> {
 public:
  int grass = 3;
  using Attributes = mass::Attributes<&Meadow::grass>;

  MASS_FN void grow() { grass += grass < 5 ? 1 : 0; }
  MASS_FN void grazed(const mass::Residents<Sheep>& here) {
    if (!here.empty()) grass = 0;
  }
};

class Sheep : public mass::Agent<Meadow> {
 public:
  static constexpr std::int64_t capacity = 1;  // sheep that a meadow holds
  static constexpr int offspring = 1;          // lambs at once
  int energy = 4;
  using Attributes = mass::Attributes<&Sheep::energy>;

  MASS_FN void live(const mass::Neighborhood<Meadow>& near, const mass::Neighbors<Sheep>& others,
                    mass::Intent<Sheep>& intent) {
    energy += near(0, 0).grass - 1;
    if (energy < 0) return intent.kill();
    if (energy > 8) {
      Sheep lamb;
      lamb.energy = energy / 2;
      energy -= lamb.energy;
      intent.spawn(lamb);  // here, if the mother moves away
    }
    auto random = intent.random();
    const mass::Offset<2> offset{random.pick(3) - 1, random.pick(3) - 1};
    if (others(offset).empty()) intent.move(offset);
  }
};

int main() {
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set("devices=2");
  mass::Mass mass{settings};
  auto meadows = mass.createPlaces<Meadow>({40, 60});
  auto sheep = mass.createAgents<Sheep>(meadows, 200);
  for (int step = 0; step < 100; ++step) {
    sheep.callAll<&Sheep::live>(sheep);  // a rule that reads agents takes them
    meadows.callAll<&Meadow::grazed>(sheep);
    sheep.manageAll();
    meadows.callAll<&Meadow::grow>();
  }
  fmt::print("{} sheep\n", sheep.size());
}

// Ants that find food by scent (Wilensky's model "Ants" of NetLogo, 1997, with its rules and
// numbers): those with food drop a chemical on their way to the nest, and others follow it.
#include <mass/mass.hpp>

using Point = mass::Point<2>;

class Ground : public mass::Place<2> {
 public:
  float chemical = 0, nest = 0;     // scents: of food, and of the nest, which never changes
  std::uint8_t food = 0, pile = 0;  // pile: 1, 2 or 3 where food lies at the start
  using Attributes =
      mass::Attributes<&Ground::chemical, &Ground::nest, &Ground::food, &Ground::pile>;

  MASS_FN void lay(const mass::Here<2>& here, mass::Space<2> space) {
    const Point piles[] = {{35.5F, 56.5F}, {56.5F, 14.5F}, {7.5F, 7.5F}};
    const auto distance = [&](Point to) {
      return (space.center(here.coordinates()) - to).length();
    };
    nest = 200 - distance({35.5F, 35.5F});
    for (int k = 0; k < 3; ++k)
      if (distance(piles[k]) < 5) pile = static_cast<std::uint8_t>(k + 1);
    if (pile > 0) food = here.random().bernoulli(0.5) ? 1 : 2;
  }
  MASS_FN bool isNest() const { return nest > 195; }
  MASS_FN void spread(const mass::Neighborhood<Ground>& near) {
    chemical = 0.9F * (0.5F * chemical + near.sum<&Ground::chemical>(mass::moore<2>) / 16);
  }
  MASS_FN int first() const { return pile == 1 ? food : 0; }
  MASS_FN int second() const { return pile == 2 ? food : 0; }
  MASS_FN int third() const { return pile == 3 ? food : 0; }
};

class Ant : public mass::Agent<Ground> {
 public:
  Point position, heading;
  bool hasFood = false;
  using Attributes = mass::Attributes<&Ant::position, &Ant::heading, &Ant::hasFood>;

  MASS_FN void live(const mass::Neighborhood<Ground>& near,
                    const mass::Resource<&Ground::food>& food,
                    const mass::Resource<&Ground::chemical>& chemical, mass::Intent<Ant>& intent,
                    mass::Space<2> space) {
    auto random = intent.random();
    if (intent.step() < 2) {
      position = space.center(intent.coordinates());
      heading = Point::direction(random);
    }
    if (intent.id() * 2 >= intent.step()) return;  // they leave one after the other
    const Ground here = near(0, 0);
    if (hasFood ? here.isNest() : food.take(1)) {
      hasFood = !hasFood;
      heading = -heading;
    } else if (hasFood) {
      chemical.add(60);
      turnTo<&Ground::nest>(near, space);
    } else if (here.chemical >= 0.05F && here.chemical < 2) {
      turnTo<&Ground::chemical>(near, space);
    }
    heading = heading.turned((random.uniform<float>() - random.uniform<float>()) / 9)
                  .unit();  // by 40 degrees
    position += heading;
    intent.moveTo(space, position, heading);
  }

 private:
  /// Turns by 45 degrees to the side where a scent is stronger than ahead.
  template <auto Scent>
  MASS_FN void turnTo(const mass::Neighborhood<Ground>& near, const mass::Space<2>& space) {
    const auto scent = [&](float turn) {
      return near.at(space, position + heading.turned(turn)).*Scent;
    };
    const float ahead = scent(0), left = scent(-0.125F), right = scent(0.125F);
    if (left > ahead || right > ahead) heading = heading.turned(right > left ? 0.125F : -0.125F);
  }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto ground =
      mass.createPlaces<Ground>({71, 71}, mass::borders<Ground>(mass::Border::mirrored));
  const auto space = mass::spaceOf(ground, 1);
  ground.callAll<&Ground::lay>(space);
  const std::vector<mass::Coordinates<2>> nest(mass.settings().get<std::size_t>("ants"), {35, 35});
  const auto ants = mass.createAgents<Ant>(ground, nest);
  run.step([=] {
    ants.callAll<&Ant::live>(space);
    ants.manageAll();
    ground.callAll<&Ground::spread>(mass::writes<&Ground::chemical>);
  });
  run.observe<&Ground::first, &Ground::second, &Ground::third>(ground, mass::sum);
  run.picture<&Ground::chemical>(ground, 0, 20, "viridis");
  run.layer<&Ant::hasFood>(ants, {"ants", "ants with food"}, {{255, 255, 255}, {230, 60, 40}});
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 1500);
  schema.add("ants", 125, "", "number of ants").atLeast(0);
  return mass::runProgram(argc, argv, {"ants", "Ants find food by scent.", schema, setUp});
}

// Ants that find food by scent (Wilensky's model "Ants" of NetLogo, 1997, with its rules and
// numbers): those with food drop a chemical on their way to the nest, and others follow it.
#include <mass/mass.hpp>

using Point = mass::Point<2>;

class Ground : public mass::Place<2> {
 public:
  float chemical = 0, nest = 0;  // scents: on the way to food, and of the nest, which stays
  std::uint8_t food = 0, pile = 0;
  using Attributes =
      mass::Attributes<&Ground::chemical, &Ground::nest, &Ground::food, &Ground::pile>;

  MASS_FN void lay(const mass::Here<2>& here, mass::Space<2> space) {
    const Point at = space.center(here.coordinates());
    const Point piles[] = {{35.5F, 56.5F}, {56.5F, 14.5F}, {7.5F, 7.5F}};
    nest = 200 - (at - Point{35.5F, 35.5F}).length();
    for (int k = 0; k < 3; ++k)
      if ((at - piles[k]).length() < 5) pile = static_cast<std::uint8_t>(k + 1);
    if (pile > 0) food = here.random().bernoulli(0.5) ? 1 : 2;
  }
  MASS_FN void spread(const mass::Neighborhood<Ground>& near) {
    chemical = 0.9F * (0.5F * chemical + near.sum<&Ground::chemical>(mass::moore<2>) / 16);
  }
  /// Returns the number of the pile of which there is food here; 0: of none.
  MASS_FN int left() const { return food > 0 ? pile : 0; }
};

class Ant : public mass::Agent<Ground> {
 public:
  Point position{35.5F, 35.5F}, heading;  // at the nest
  bool hasFood = false;
  using Attributes = mass::Attributes<&Ant::position, &Ant::heading, &Ant::hasFood>;

  MASS_FN void live(const mass::Neighborhood<Ground>& near,
                    const mass::Resource<&Ground::food>& food,
                    const mass::Resource<&Ground::chemical>& chemical, mass::Intent<Ant>& intent,
                    mass::Space<2> space) {
    auto random = intent.random();
    if (intent.step() == 0) heading = Point::direction(random);
    if (intent.id() * 2 >= intent.step()) return;  // they leave one after the other
    const Ground here = near(0, 0);
    if (hasFood ? here.nest > 195 : food.take(1)) {
      hasFood = !hasFood;
      heading = -heading;
    } else if (hasFood) {
      chemical.add(60);
      turnTo<&Ground::nest>(near, space);
    } else if (here.chemical >= 0.05F && here.chemical < 2) {
      turnTo<&Ground::chemical>(near, space);
    }
    const float turn = random.uniform<float>() - random.uniform<float>();
    heading = heading.turned(turn / 9).unit();  // by up to 40 degrees
    position += heading;
    intent.moveTo(space, position, heading);
  }

 private:
  /// Turns by 45 degrees to the side where a scent is stronger than ahead.
  template <auto Scent>
  MASS_FN void turnTo(const mass::Neighborhood<Ground>& near, const mass::Space<2>& space) {
    const auto at = [&](float turn) { return near.at(space, position + heading.turned(turn)); };
    const float ahead = at(0).*Scent, left = at(-0.125F).*Scent, right = at(0.125F).*Scent;
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
  run.observe<&Ground::left>(ground, {"empty", "first", "second", "third"});
  run.picture<&Ground::chemical>(ground, 0, 20, "viridis");
  run.layer<&Ant::hasFood>(ants, {"ants", "ants with food"}, {{255, 255, 255}, {230, 60, 40}});
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 1500);
  schema.add("ants", 125, "", "number of ants").atLeast(0);
  return mass::runProgram(argc, argv, {"ants", "Ants find food by scent.", schema, setUp});
}

// Flocks in three dimensions (Czirok, Vicsek & Vicsek, Physica A 264, 299, 1999): birds fly in the
// mean direction of those nearer than 1, their own included, to which a random vector is added.
#include <cmath>
#include <mass/mass.hpp>

struct Bin : mass::Place<3> {
  using Attributes = mass::Attributes<>;
};

class Bird : public mass::Agent<Bin> {
 public:
  mass::Point<3> position, heading;
  using Attributes = mass::Attributes<&Bird::position, &Bird::heading>;

  MASS_FN void begin(mass::Intent<Bird>& intent, mass::Space<3> space) {
    auto random = intent.random();
    position = space.draw(intent.coordinates(), random);
    heading = mass::Point<3>::direction(random);
  }
  MASS_FN void fly(const mass::Neighbors<Bird>& others, mass::Intent<Bird>& intent,
                   mass::Space<3> space, float noise) {
    auto random = intent.random();
    mass::Point<3> sum = heading;
    others.within<&Bird::position>(
        space, position, 1, [&](const Bird& other, const mass::Way<3>&) { sum += other.heading; });
    heading = (sum.unit() + noise * mass::Point<3>::direction(random)).unit();
    position += 0.1F * heading;
    intent.moveTo(space, position);
  }
  MASS_FN double along(int axis) const { return heading[axis]; }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto size = settings.get<std::int64_t>("size");
  const auto bins = mass.createPlaces<Bin>({size, size, size});
  const auto space = mass::spaceOf(bins, 1);
  const auto birds = mass.createAgents<Bird>(bins, settings.get<std::int64_t>("birds"));
  birds.callAll<&Bird::begin>(space);
  auto& noise = run.state<double>("noise", settings.get<double>("start"));
  run.step([=, &noise, &settings] {
    birds.callAll<&Bird::fly>(birds, space, static_cast<float>(noise));
    birds.manageAll();
    noise += settings.get<double>("growth");
  });
  run.observe("order", [=] {  // length of the mean heading
    const auto mean = [&](int axis) { return birds.reduce<&Bird::along>(mass::mean, axis); };
    return std::hypot(mean(0), mean(1), mean(2));
  });
  run.data<&Bird::heading>(birds, mass::positions<&Bird::position>);
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 2000);
  schema.add("size", 10, "", "edge of the world").atLeast(3);
  schema.add("birds", 2000, "", "number of birds").atLeast(1);
  schema.add("start", 0.0, "", "length of the random vector at the start").atLeast(0);
  schema.add("growth", 0.001, "1/step", "growth of that length").between(0, 1).live();
  return mass::runProgram(argc, argv, {"flock3d", "Birds that align.", schema, setUp});
}

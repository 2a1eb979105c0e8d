// Flocks in three dimensions (Czirok, Vicsek & Vicsek, Physica A 264, 299, 1999): birds fly in the
// mean direction of those nearer than 1, their own included, to which a random vector is added.
#include <mass/mass.hpp>

#include <cmath>

using Point = mass::Point<3>;

class Bin : public mass::Place<3> {
 public:
  using Attributes = mass::Attributes<>;
};

class Bird : public mass::Agent<Bin> {
 public:
  Point position, heading;
  using Attributes = mass::Attributes<&Bird::position, &Bird::heading>;

  MASS_FN void begin(mass::Intent<Bird>& intent, mass::Space<3> space) {
    auto random = intent.random();
    position = space.draw(intent.coordinates(), random);
    heading = Point::direction(random);
  }
  /// Makes a step. @param noise length of the random vector
  MASS_FN void fly(const mass::Neighbors<Bird>& others, mass::Intent<Bird>& intent,
                   mass::Space<3> space, double speed, double noise) {
    auto random = intent.random();
    Point sum = heading;
    others.within<&Bird::position>(
        space, position, 1, [&](const Bird& other, const mass::Way<3>&) { sum += other.heading; });
    heading = (sum.unit() + static_cast<float>(noise) * Point::direction(random)).unit();
    position += static_cast<float>(speed) * heading;
    intent.moveTo(space, position);
  }
  MASS_FN double x() const { return heading[0]; }
  MASS_FN double y() const { return heading[1]; }
  MASS_FN double z() const { return heading[2]; }
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
    birds.callAll<&Bird::fly>(birds, space, settings.get<double>("speed"), noise);
    birds.manageAll();
    noise += settings.get<double>("growth");
  });
  run.observe("order", [=] {  // length of the mean heading
    return std::hypot(birds.reduce<&Bird::x>(mass::mean), birds.reduce<&Bird::y>(mass::mean),
                      birds.reduce<&Bird::z>(mass::mean));
  });
  run.data<&Bird::heading>(birds, mass::positions<&Bird::position>);
}

int main(int argc, char** argv) {
  auto schema = mass::Schema::library().setDefault("steps", 2000);
  schema.add("size", 10, "", "edge of the world").atLeast(3);
  schema.add("birds", 2000, "", "number of birds").atLeast(1);
  schema.add("speed", 0.1, "1/step", "distance flown in a step").between(0, 1);
  schema.add("start", 0.0, "", "length of the random vector at the start").atLeast(0);
  schema.add("growth", 0.001, "1/step", "growth of that length").between(0, 1).live();
  return mass::runProgram(argc, argv, {"flock3d", "Birds that align.", schema, setUp});
}

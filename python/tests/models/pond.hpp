// A pond with plants on a coarser grid, fish that eat from it, and pikes that eat fish.
#include <mass/mass.hpp>

class Fish;

class Water : public mass::Place<2> {
 public:
  std::int64_t food = 0;
  using Attributes = mass::Attributes<&Water::food>;

  MASS_FN void spawn(const mass::Births<Fish, 2>& births);
};

class Plant : public mass::Place<2> {
 public:
  std::int64_t height = 0;
  using Attributes = mass::Attributes<&Plant::height>;

  MASS_FN void grow(const mass::FinerField<Water>& water) {
    for (const Water place : water) height += place.food;
  }
  MASS_FN void shelter(const mass::FinerResidents<Fish>& fish);
};

class Light : public mass::Place<2> {
 public:
  std::int64_t shade = 0;
  using Attributes = mass::Attributes<&Light::shade>;

  MASS_FN void dim(const mass::Field<Water>& water, const mass::CoarserField<Plant>& plant) {
    shade = 10 * water().food + plant().height;
  }
};

class Fish : public mass::Agent<Water> {
 public:
  std::int64_t weight = 0;
  using Attributes = mass::Attributes<&Fish::weight>;

  MASS_FN void eat(const mass::Resource<&Water::food>& food) { weight += food.takeUpTo(2); }
  MASS_FN void nibble(const mass::CoarserResource<&Plant::height>& height,
                      const mass::FieldResource<&Light::shade>& shade) {
    weight += height.takeUpTo(1);
    shade.add(100);
  }
};

MASS_FN void Plant::shelter(const mass::FinerResidents<Fish>& fish) {
  for (const Fish each : fish) height += each.weight;
}

MASS_FN void Water::spawn(const mass::Births<Fish, 2>& births) {
  Fish fish;
  fish.weight = food;
  for (int k = 0; k < 2 && food > 3; ++k) births.add(fish);
}

class Pike : public mass::Agent<Water> {
 public:
  std::int64_t weight = 0;
  using Attributes = mass::Attributes<&Pike::weight>;

  MASS_FN void hunt(const mass::Prey<Fish>& fish) {
    Fish eaten;
    if (fish.take(eaten)) weight += eaten.weight;
  }
  MASS_FN void look(const mass::ById<Fish>& fish, std::int64_t id) {
    weight = fish[static_cast<std::uint64_t>(id)].weight;
  }
  MASS_FN void feed(const mass::Give<&Fish::weight>& give, std::int64_t id) {
    give(static_cast<std::uint64_t>(id), weight);
  }
};

/// Snail that creeps over plants, at a position in them.
class Snail : public mass::Agent<Plant> {
 public:
  mass::Point<2> position;
  std::int64_t size = 1;
  using Attributes = mass::Attributes<&Snail::position, &Snail::size>;
  MASS_FN std::int64_t twice() const { return 2 * size; }
};

/// Keeper of the pond, who lives nowhere in it.
class Keeper : public mass::Agent<mass::NoSpace> {
 public:
  std::int64_t heaviest = 0;
  using Attributes = mass::Attributes<&Keeper::heaviest>;

  MASS_FN void weigh(const mass::ById<Fish>& fish, std::int64_t id) {
    const std::int64_t weight = fish[static_cast<std::uint64_t>(id)].weight;
    if (weight > heaviest) heaviest = weight;
  }
};

// A pond with plants on a coarser grid, fish that eat from it, and pikes that eat fish.
#include <mass/mass.hpp>

class Water : public mass::Place<2> {
 public:
  std::int64_t food = 0;
  using Attributes = mass::Attributes<&Water::food>;
};

class Plant : public mass::Place<2> {
 public:
  std::int64_t height = 0;
  using Attributes = mass::Attributes<&Plant::height>;

  MASS_FN void grow(const mass::FinerField<Water>& water) {
    for (const Water place : water) height += place.food;
  }
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
};

class Pike : public mass::Agent<Water> {
 public:
  std::int64_t weight = 0;
  using Attributes = mass::Attributes<&Pike::weight>;

  MASS_FN void hunt(const mass::Prey<Fish>& fish) {
    Fish eaten;
    if (fish.take(eaten)) weight += eaten.weight;
  }
};

#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace predation {

/// Energy and reproduction of a species.
struct Species {
  float gain = 0;   ///< energy gained by a meal; a step costs 1
  float birth = 0;  ///< probability of a child in a step
};

/// Parameters of the model. The defaults are those of NetLogo's model.
struct Parameters {
  int regrowth = 30;  ///< steps until eaten grass has grown again
  Species sheep{4, 0.04F};
  Species wolves{20, 0.05F};
};

/// Place with grass or bare ground.
class Meadow : public mass::Place<2> {
 public:
  std::int32_t bareFor = 0;  ///< calls of grow() until there is grass; 0 = grass
  using Attributes = mass::Attributes<&Meadow::bareFor>;

  MASS_FN bool hasGrass() const { return bareFor == 0; }
  /// Sets the initial state: grass with probability 1/2, else bare for 0 to `regrowth` - 1 steps,
  /// drawn at random.
  MASS_FN void initialise(const mass::Here<2>& here, int regrowth) {
    auto random = here.random();
    bareFor = random.bernoulli(0.5) ? 0 : static_cast<int>(random.uniform() * regrowth);
  }
  MASS_FN void grow() { bareFor -= hasGrass() ? 0 : 1; }
};

/// Returns the offset of the neighbour in one of 8 directions. Consecutive directions are 45
/// degrees apart.
MASS_FN inline mass::Offset<2> ahead(int direction) {
  const auto along = [](int steps) { return steps % 4 == 0 ? 0 : steps % 8 < 4 ? 1 : -1; };
  return {along(direction), along(direction + 2)};
}

/// Sets the initial state of an animal: a random direction, and an energy below that of two meals.
template <class A>
MASS_FN void initialiseAnimal(A& animal, mass::Random random, float gain) {
  animal.energy = 2 * gain * random.template uniform<float>();
  animal.direction = static_cast<std::int32_t>(random.below(8));
}

/// Moves to the place ahead, which costs 1 of the energy. Turns first by 45 degrees to the left
/// with probability 1/10, to the right with 1/10.
template <class A>
MASS_FN void roam(A& animal, mass::Intent<A>& intent) {
  const auto draw = intent.random().below(10);
  animal.direction = (animal.direction + (draw == 0 ? 7 : draw == 1 ? 1 : 0)) % 8;
  intent.move(ahead(animal.direction));
  animal.energy -= 1;
}

/// Dies if the energy is below 0. Else has a child with probability `birth`: it gets half of the
/// energy, and is born on the place ahead of it, in a random direction.
template <class A>
MASS_FN void dieOrBreed(A& animal, mass::Intent<A>& intent, float birth) {
  if (animal.energy < 0) return intent.kill();
  auto random = intent.random();
  if (!random.bernoulli(birth)) return;
  animal.energy /= 2;
  A child = animal;
  child.direction = static_cast<std::int32_t>(random.below(8));
  intent.spawn(child, ahead(child.direction));
}

/// Agent that eats grass.
class Sheep : public mass::Agent<Meadow> {
 public:
  static constexpr int offspring = 1;
  float energy = 0;
  std::int32_t direction = 0;  ///< direction of movement, 0 to 7; see ahead()
  using Attributes = mass::Attributes<&Sheep::energy, &Sheep::direction>;

  MASS_FN void beginLife(const mass::Here<2>& here, Species species) {
    initialiseAnimal(*this, here.random(), species.gain);
  }
  MASS_FN void walk(mass::Intent<Sheep>& intent) { roam(*this, intent); }
  /// Eats the grass if there is any; then dies or breeds.
  MASS_FN void graze(const mass::Resource<&Meadow::bareFor>& bareFor, mass::Intent<Sheep>& intent,
                     Species species, int regrowth) {
    if (bareFor.left() == 0) {
      bareFor.set(regrowth + 1);  // grow() follows in the same step
      energy += species.gain;
    }
    dieOrBreed(*this, intent, species.birth);
  }
};

/// Agent that eats sheep.
class Wolf : public mass::Agent<Meadow> {
 public:
  static constexpr int offspring = 1;
  float energy = 0;
  std::int32_t direction = 0;  ///< direction of movement, 0 to 7; see ahead()
  using Attributes = mass::Attributes<&Wolf::energy, &Wolf::direction>;

  MASS_FN void beginLife(const mass::Here<2>& here, Species species) {
    initialiseAnimal(*this, here.random(), species.gain);
  }
  MASS_FN void walk(mass::Intent<Wolf>& intent) { roam(*this, intent); }
  /// Eats a sheep of the meadow, if one is left; then dies or breeds.
  MASS_FN void hunt(const mass::Prey<Sheep>& sheep, mass::Intent<Wolf>& intent, Species species) {
    if (sheep.take()) energy += species.gain;
    dieOrBreed(*this, intent, species.birth);
  }
};

}  // namespace predation

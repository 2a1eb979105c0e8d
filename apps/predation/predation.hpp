#pragma once

#include <mass/mass.hpp>

#include <algorithm>
#include <cstdint>

namespace predation {

class Sheep;
class Wolf;

/// What animals of a kind live on and how they multiply.
struct Kind {
  float gain = 0;   ///< energy of a meal; a step costs 1
  float birth = 0;  ///< probability of a child in a step
};

/// How a world goes on; the values are those of NetLogo's model.
struct Rules {
  int regrowth = 30;  ///< steps until grass that was eaten is back
  Kind sheep{4, 0.04F};
  Kind wolves{20, 0.05F};
};

/// A piece of ground on which grass grows.
class Meadow : public mass::Place<2> {
 public:
  std::int32_t bareFor = 0;  ///< steps until there is grass
  using Attributes = mass::Attributes<&Meadow::bareFor>;

  MASS_FN bool hasGrass() const { return bareFor == 0; }
  /// Half of the meadows have grass, the others will have it sooner or later.
  MASS_FN void begin(const mass::Here<2>& here, int regrowth) {
    auto random = here.random();
    bareFor = random.bernoulli(0.5) ? 0 : static_cast<int>(random.uniform() * regrowth);
  }
  /// Grass is eaten by those who stand on it, and grows elsewhere.
  MASS_FN void grow(const mass::Residents<Sheep>& here, int regrowth) {
    if (!hasGrass()) {
      --bareFor;
    } else if (!here.empty()) {
      bareFor = regrowth;
    }
  }
};

/// Whether an animal is among the first `some`, in the order of identities, of those on its place:
/// the eldest.
template <class A>
MASS_FN bool isAmongEldest(const mass::Residents<A>& here, std::uint64_t id, std::int64_t some) {
  for (std::int64_t i = 0; i < some && i < here.size(); ++i) {
    if (here.id(i) == id) return true;
  }
  return false;
}

/// The neighbour that lies in one of 8 directions, which follow each other round the place.
MASS_FN inline mass::Offset<2> ahead(int direction) {
  const auto along = [](int steps) { return steps % 4 == 0 ? 0 : steps % 8 < 4 ? 1 : -1; };
  return {along(direction), along(direction + 2)};
}

/// Sets how an animal starts: in any direction, with the energy of up to two meals.
template <class A>
MASS_FN void begin(A& animal, mass::Random random, float gain) {
  animal.energy = 2 * gain * random.template uniform<float>();
  animal.direction = static_cast<std::int32_t>(random.below(8));
}

/// Goes to the place ahead, which costs 1; turns a little at two steps of ten.
template <class A>
MASS_FN void roam(A& animal, mass::Intent<A>& intent) {
  const auto draw = intent.random().below(10);
  animal.direction = (animal.direction + (draw == 0 ? 7 : draw == 1 ? 1 : 0)) % 8;
  intent.move(ahead(animal.direction));
  animal.energy -= 1;
}

/// Dies without energy; or may have a child, to which half of it goes, and which goes its own way.
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

class Sheep : public mass::Agent<Meadow> {
 public:
  static constexpr int offspring = 1;
  float energy = 0;
  std::int32_t direction = 0;  ///< in which it goes, one of 8
  using Attributes = mass::Attributes<&Sheep::energy, &Sheep::direction>;

  MASS_FN void beginLife(const mass::Here<2>& here, Kind kind) {
    begin(*this, here.random(), kind.gain);
  }
  MASS_FN void walk(mass::Intent<Sheep>& intent) { roam(*this, intent); }
  /// Of several on a meadow the eldest gets the grass.
  MASS_FN void graze(const mass::Neighborhood<Meadow>& near, const mass::Residents<Sheep>& here,
                     mass::Intent<Sheep>& intent, Kind kind) {
    if (near(0, 0).hasGrass() && isAmongEldest(here, intent.id(), 1)) energy += kind.gain;
    dieOrBreed(*this, intent, kind.birth);
  }
  /// Wolves eat one sheep each, the eldest ones.
  MASS_FN void meet(const mass::Residents<Sheep>& here, const mass::Residents<Wolf>& wolves,
                    mass::Intent<Sheep>& intent) {
    if (isAmongEldest(here, intent.id(), wolves.size())) intent.kill();
  }
};

class Wolf : public mass::Agent<Meadow> {
 public:
  static constexpr int offspring = 1;
  float energy = 0;
  std::int32_t direction = 0;  ///< in which it goes, one of 8
  using Attributes = mass::Attributes<&Wolf::energy, &Wolf::direction>;

  MASS_FN void beginLife(const mass::Here<2>& here, Kind kind) {
    begin(*this, here.random(), kind.gain);
  }
  MASS_FN void walk(mass::Intent<Wolf>& intent) { roam(*this, intent); }
  /// Where there are fewer sheep than wolves, the eldest eat. As many wolves eat as Sheep::meet
  /// kills sheep.
  MASS_FN void hunt(const mass::Residents<Wolf>& here, const mass::Residents<Sheep>& sheep,
                    mass::Intent<Wolf>& intent, Kind kind) {
    if (isAmongEldest(here, intent.id(), sheep.size())) energy += kind.gain;
    dieOrBreed(*this, intent, kind.birth);
  }
};

}  // namespace predation

#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>

namespace boids {

/// A square of space, no narrower than boids see.
class Bin : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

/// What boids do about each other.
struct Rules {
  float radius = 5;          ///< within which they see each other
  float separation = 1;      ///< within which they push each other away
  float steer = 0.03F;       ///< towards the middle of those in sight
  float collision = 0.015F;  ///< away from those that are too near
  float match = 0.05F;       ///< the velocity of those in sight
  float change = 1;          ///< how much of the velocity that they want they take on at once
};

/// What a boid sees of others, added up.
struct Sight {
  std::int32_t boids = 0;
  float way[2] = {0, 0};       ///< to them
  float velocity[2] = {0, 0};  ///< of them
  float push[2] = {0, 0};      ///< away from those too near

  MASS_FN Sight& operator+=(const Sight& other) {
    boids += other.boids;
    for (int axis = 0; axis < 2; ++axis) {
      way[axis] += other.way[axis];
      velocity[axis] += other.velocity[axis];
      push[axis] += other.push[axis];
    }
    return *this;
  }
};

/// A bird, by the rules of Reynolds (1987) in the form in which FLAME GPU 2 is compared with other
/// frameworks (its example boids2D).
class Boid : public mass::Agent<Bin> {
 public:
  static constexpr float slowest = 0.5F, fastest = 1;

  float position[2] = {0, 0};
  float velocity[2] = {fastest, 0};  ///< a step
  std::int32_t nearby = 0;           ///< others in sight at the last step
  using Attributes = mass::Attributes<&Boid::position, &Boid::velocity, &Boid::nearby>;

  MASS_FN void fly(const mass::NeighborSums<Boid>& others, mass::Intent<Boid>& intent,
                   mass::Space<2> space, Rules rules) {
    turn(others, space, rules);
    clampSpeed();
    for (int axis = 0; axis < 2; ++axis) position[axis] += velocity[axis];
    space.wrap(position);
    intent.moveTo(space.binOf(position));
  }

  /// Of the direction in which it flies, the part along an axis.
  MASS_FN float heading(int axis) const { return velocity[axis] / speed(); }
  MASS_FN float speed() const {
    return std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
  }

 private:
  /// Takes the velocity that others in sight make it want; keeps its own where there are none.
  MASS_FN void turn(const mass::NeighborSums<Boid>& others, const mass::Space<2>& space,
                    const Rules& rules) {
    const float closeness = 1 / rules.separation;
    const auto add = [&](Sight& sum, const Boid& other, const mass::Way<2>& way) {
      // Of one at the same position no number, which fmax takes for 0: it pushes nowhere.
      const float distance = way.squared * way.inverseLength();
      const float near = std::fmax(1 - distance * closeness, 0.0F);
      ++sum.boids;
      for (int axis = 0; axis < 2; ++axis) {
        sum.way[axis] += way[axis];
        sum.velocity[axis] += other.velocity[axis];
        sum.push[axis] -= way[axis] * (near * near);
      }
    };
    const auto seen = others.within<&Boid::position, Sight>(space, position, rules.radius, add);
    nearby = seen.boids;
    const auto count = static_cast<float>(nearby);
    for (int axis = 0; axis < 2 && nearby > 0; ++axis) {
      const float wanted = rules.collision * seen.push[axis] +
                           rules.steer * (seen.way[axis] / count) +
                           rules.match * (seen.velocity[axis] / count);
      velocity[axis] += rules.change * (wanted - velocity[axis]);
    }
  }
  /// Where nothing draws it anywhere, it flies along the first axis.
  MASS_FN void clampSpeed() {
    const float now = speed();
    if (now == 0) velocity[0] = slowest;
    if (now == 0 || (slowest <= now && now <= fastest)) return;
    const float wanted = now < slowest ? slowest : fastest;
    for (float& along : velocity) along = along / now * wanted;
  }
};

}  // namespace boids

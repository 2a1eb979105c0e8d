#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>

namespace boids {

/// Bin of the square world. Its edge is not shorter than the radius within which boids see others.
class Bin : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

/// Parameters of the steering rules. The defaults are those of FLAME GPU 2's example boids2D.
struct Parameters {
  float radius = 5;          ///< sight radius: a boid sees all boids nearer than this
  float separation = 1;      ///< distance below which a boid is repelled; at most `radius`
  float steer = 0.03F;       ///< cohesion, 1/step: weight of the mean offset to boids in sight
  float collision = 0.015F;  ///< separation, 1/step: weight of the repulsion
  float match = 0.05F;       ///< alignment: weight of the mean velocity of boids in sight
  float change = 1;          ///< share of the wanted change of velocity made in a step, 0 to 1
  using Keys = mass::Keys<&Parameters::radius, &Parameters::separation, &Parameters::steer,
                          &Parameters::collision, &Parameters::match, &Parameters::change>;
};

/// Sums over the boids in sight of one boid.
struct FlockmateSums {
  std::int32_t count = 0;
  float offset[2] = {0, 0};     ///< from the boid to the others
  float velocity[2] = {0, 0};   ///< sum of velocities
  float repulsion[2] = {0, 0};  ///< from the others that are nearer than the separation

  MASS_FN FlockmateSums& operator+=(const FlockmateSums& other) {
    count += other.count;
    for (int axis = 0; axis < 2; ++axis) {
      offset[axis] += other.offset[axis];
      velocity[axis] += other.velocity[axis];
      repulsion[axis] += other.repulsion[axis];
    }
    return *this;
  }
};

/// Boid of Reynolds (Computer Graphics 21(4), 1987) in the two-dimensional form of FLAME GPU 2's
/// example boids2D.
class Boid : public mass::Agent<Bin> {
 public:
  static constexpr float slowest = 0.5F, fastest = 1;

  float position[2] = {0, 0};
  float velocity[2] = {fastest, 0};  ///< units of length a step
  std::int32_t nearby = 0;           ///< number of boids in sight in the last step
  using Attributes = mass::Attributes<&Boid::position, &Boid::velocity, &Boid::nearby>;

  /// Makes one step: steers by the boids in sight, brings the speed into [slowest, fastest], and
  /// moves by the velocity.
  MASS_FN void fly(const mass::NeighborSums<Boid>& others, mass::Intent<Boid>& intent,
                   mass::Space<2> space, Parameters parameters) {
    steer(others, space, parameters);
    clampSpeed();
    for (int axis = 0; axis < 2; ++axis) position[axis] += velocity[axis];
    intent.moveTo(space, position);
  }

  /// Component along `axis` of the heading, the unit vector of the velocity.
  MASS_FN float heading(int axis) const { return velocity[axis] / speed(); }
  MASS_FN float speed() const {
    return std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
  }

 private:
  /// Changes the velocity by cohesion, alignment and separation; keeps it if no boid is in sight.
  MASS_FN void steer(const mass::NeighborSums<Boid>& others, const mass::Space<2>& space,
                     const Parameters& parameters) {
    const float closeness = 1 / parameters.separation;
    const auto add = [&](FlockmateSums& sums, const Boid& other, const mass::Way<2>& way) {
      // At the same position the distance is NaN, and fmax(NaN, 0) is 0: no repulsion.
      const float distance = way.squared * way.inverseLength();
      const float near = std::fmax(1 - distance * closeness, 0.0F);
      ++sums.count;
      for (int axis = 0; axis < 2; ++axis) {
        sums.offset[axis] += way[axis];
        sums.velocity[axis] += other.velocity[axis];
        sums.repulsion[axis] -= way[axis] * (near * near);
      }
    };
    const auto seen =
        others.within<&Boid::position, FlockmateSums>(space, position, parameters.radius, add);
    nearby = seen.count;
    const auto count = static_cast<float>(nearby);
    for (int axis = 0; axis < 2 && nearby > 0; ++axis) {
      const float wanted = parameters.collision * seen.repulsion[axis] +
                           parameters.steer * (seen.offset[axis] / count) +
                           parameters.match * (seen.velocity[axis] / count);
      velocity[axis] += parameters.change * (wanted - velocity[axis]);
    }
  }
  /// Brings the speed into [slowest, fastest]. A boid at rest flies along the first axis.
  MASS_FN void clampSpeed() {
    const float now = speed();
    if (now == 0) velocity[0] = slowest;
    if (now == 0 || (slowest <= now && now <= fastest)) return;
    const float wanted = now < slowest ? slowest : fastest;
    for (float& along : velocity) along = along / now * wanted;
  }
};

}  // namespace boids

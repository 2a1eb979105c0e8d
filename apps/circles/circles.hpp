#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>

namespace circles {

/// Cubic bin of space whose edge is the radius of interaction: all particles within the radius of a
/// particle are in its bin or in the 26 bins around it.
class Bin : public mass::Place<3> {
 public:
  using Attributes = mass::Attributes<>;
};

/// Particle of the circles model, by which FLAME GPU 2 is measured (Richmond et al., Software:
/// Practice and Experience 53, 2023). Particles nearer than half the radius repel each other, those
/// further away attract each other.
class Circle : public mass::Agent<Bin> {
 public:
  float position[3] = {0, 0, 0};
  float speed = 0;          ///< distance moved in the last step
  std::int32_t nearby = 0;  ///< number of particles within the radius in the last step
  using Attributes = mass::Attributes<&Circle::position, &Circle::speed, &Circle::nearby>;

  /// Moves by the mean of repulsion sin(-2 pi d / radius) e over all others within the radius, d
  /// being the distance of another particle and e the unit vector to it. Ignores particles at the
  /// same position, which have no direction.
  MASS_FN void move(const mass::Neighbors<Circle>& others, mass::Intent<Circle>& intent,
                    mass::Space<3> space, float radius, float repulsion) {
    const float turn = -2 / radius;
    float sum[3] = {0, 0, 0};
    nearby = 0;
    others.within<&Circle::position>(
        space, position, radius, [&](const Circle&, const mass::Way<3>& way) {
          const float inverse = way.squared > 0 ? way.inverseLength() : 0.0F;
          const float distance = way.squared * inverse;
          const float pull = mass::sinPi(turn * distance) * repulsion * inverse;
          for (int axis = 0; axis < 3; ++axis) sum[axis] += pull * way[axis];
          nearby += way.squared > 0 ? 1 : 0;
        });
    float squares = 0;
    for (int axis = 0; axis < 3 && nearby > 0; ++axis) {
      const float step = sum[axis] / static_cast<float>(nearby);
      position[axis] += step;
      squares += step * step;
    }
    speed = std::sqrt(squares);
    intent.moveTo(space.binOf(position));
  }
};

}  // namespace circles

#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace circles {

/// A cube of space whose edge is the radius of interaction: who interacts is in the same bin or in
/// one beside it.
class Bin : public mass::Place<3> {
 public:
  using Attributes = mass::Attributes<>;
};

/// A particle that keeps its distance: it is pushed away by those nearer than half the radius, and
/// drawn by those further away. The circles model by which FLAME GPU is measured (Richmond et al.,
/// "FLAME GPU 2", Software: Practice and Experience 53, 2023).
class Circle : public mass::Agent<Bin> {
 public:
  float position[3] = {0, 0, 0};
  float speed = 0;          ///< how far it moved in the last step
  std::int32_t nearby = 0;  ///< particles within the radius, then
  using Attributes = mass::Attributes<&Circle::position, &Circle::speed, &Circle::nearby>;

  /// Moves by the mean over all others within the radius R at distance d, of unit vectors to them
  /// times `repulsion` sin(-2 pi d / R).
  MASS_FN void move(const mass::Neighbors<Circle>& others, mass::Intent<Circle>& intent,
                    mass::Space<3> space, float radius, float repulsion) {
    const float turn = -2 / radius;
    float sum[3] = {0, 0, 0};
    nearby = 0;
    others.within<&Circle::position>(
        space, position, radius, [&](const Circle&, const mass::Way<3>& way) {
          // One at the same position is in no direction.
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

/// The settings of this program besides the library's.
mass::Schema schema();

/// Particles and the space that they are in.
struct World {
  mass::Space<3> space;
  mass::Agents<Circle> circles;

  void step(float radius, float repulsion) const;
};

/// Particles at random positions in a cube, bins of the edge `radius`.
World makeWorld(mass::Mass& mass, std::int64_t count, float width, float radius);

void setUp(mass::Mass& mass, mass::Simulation& run);

}  // namespace circles

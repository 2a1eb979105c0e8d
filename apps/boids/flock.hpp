#pragma once

#include <apps/boids/boids.hpp>

#include <cstdint>

namespace boids {

/// The settings of this program besides the library's.
mass::Schema schema();

/// How wide a world is for that many boids in a unit of area; wide enough for a boid not to see
/// another twice.
double widthFor(std::int64_t boids, double density, double radius);

/// Boids in a square world that goes round.
class Flock {
 public:
  /// At random positions, at speed 1 in random directions. The world is at least two radii wide.
  Flock(mass::Mass& mass, std::int64_t count, float width, const Rules& rules = {});

  void step() const;
  /// How much they fly in one direction: the length of the mean of their headings, 0 to 1.
  double polarisation() const;
  /// How many others a boid sees on average.
  double neighbours() const;
  /// Every boid as a streak that ends where it is.
  mass::Picture picture() const;

  const mass::Agents<Boid>& boids() const { return boids_; }
  const mass::Space<2>& space() const { return space_; }

 private:
  mass::Places<Bin> bins_;
  mass::Space<2> space_;
  mass::Agents<Boid> boids_;
  Rules rules_;
};

/// Sets the model up as the settings say.
void setUp(mass::Mass& mass, mass::Simulation& run);

}  // namespace boids

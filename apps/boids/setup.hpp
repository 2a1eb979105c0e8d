#pragma once

#include <apps/boids/boids.hpp>

#include <cstdint>

namespace boids {

/// Largest width of a world: single precision resolves 1/8 there, and a boid moves by at least 1/2.
constexpr double maxWidth = 1 << 20;

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Returns the width of a square world with `density` boids per unit of area, at least 2 `radius`:
/// in a narrower world a boid would see another one twice.
double widthFor(std::int64_t boids, double density, double radius);

/// Boids in a periodic square world.
class World {
 public:
  /// Places `count` boids at random positions, with speed 1 in random directions.
  /// @pre `width` is at least 2 `parameters.radius`.
  World(mass::Mass& mass, std::int64_t count, float width, const Parameters& parameters = {});

  /// Sets the parameters of the next steps. @pre the radius is the one of the constructor
  void set(const Parameters& parameters) { parameters_ = parameters; }
  void step() const;
  /// Returns the polarisation, the length of the mean of all headings: 0 to 1; 0 without boids.
  double polarisation() const;
  /// Returns the mean number of boids in sight in the last step.
  double neighbours() const;
  /// Draws each boid as a streak whose bright end is its position.
  mass::Picture picture() const;
  /// Returns the positions as shares of the width.
  std::vector<std::array<float, 2>> shares() const;

  const mass::Agents<Boid>& boids() const { return boids_; }
  const mass::Space<2>& space() const { return space_; }

 private:
  mass::Places<Bin> bins_;
  mass::Space<2> space_;
  mass::Agents<Boid> boids_;
  Parameters parameters_;
};

/// Creates the world of the settings, and declares steps and outputs.
/// @throws mass::SettingsError if settings contradict each other or memory is too small.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace boids

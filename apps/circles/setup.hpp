#pragma once

#include <apps/circles/circles.hpp>

#include <cstdint>

namespace circles {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Particles and the space of their bins.
struct World {
  mass::Space<3> space;
  mass::Agents<Circle> circles;

  /// Moves all particles once.
  /// @param radius interaction radius; at most the edge of a bin
  /// @param repulsion largest distance by which a pair moves a particle in a step
  void step(float radius, float repulsion) const;
};

/// Places `count` particles at random in a cube of edge `width`, in bins of edge `radius`.
World createWorld(mass::Mass& mass, std::int64_t count, float width, float radius);

/// Creates the world of the settings, and declares steps and outputs.
/// @throws mass::SettingsError if settings contradict each other or memory is too small.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace circles

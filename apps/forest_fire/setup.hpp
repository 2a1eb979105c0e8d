#pragma once

#include <apps/forest_fire/forest_fire.hpp>

namespace forest_fire {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Creates the forest of the settings, and declares steps and outputs.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace forest_fire

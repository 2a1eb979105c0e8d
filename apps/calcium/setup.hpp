#pragma once

#include <mass/mass.hpp>

namespace calcium {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Creates the dendrite or the cell of the settings, and declares steps and outputs.
/// @throws mass::SettingsError as Parameters does
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace calcium

#pragma once

#include <mass/mass.hpp>

namespace seismic {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Creates the ground of the settings, and declares steps and outputs.
/// @throws mass::SettingsError and mass::InputError as Parameters and EarthModel do
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace seismic

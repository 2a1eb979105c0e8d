#pragma once

#include <apps/phold/phold.hpp>

namespace phold {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Creates the places of the settings, and declares steps and outputs.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace phold

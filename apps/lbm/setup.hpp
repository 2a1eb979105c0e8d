#pragma once

#include <mass/mass.hpp>

namespace lbm {

/// Returns the program's settings: the library's and its own.
mass::Schema schema();

/// Reads the flow from the settings of `mass`, creates its solver, and registers stepping, checks
/// and outputs with `run`. @throws SettingsError if the settings describe no flow that the grid
/// can resolve.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace lbm

#pragma once

#include <mass/mass.hpp>

/// Reaction-diffusion master equation (RDME) of single particles on a lattice.
/// - model/ reads the settings and converts physical units to numbers of the lattice
/// - geometry/ assigns a site type to each site
/// - lattice/ holds the Place class and its rules: diffusion and reactions
/// - analysis/ evaluates the table of a run
namespace rdme {

/// Returns the settings of this program: those of the library and its own.
mass::Schema schema();

/// Creates the model that the settings describe, prints its report to standard output, and
/// registers its steps, its columns of the table and its data with `run`.
/// @throws mass::SettingsError if the settings describe no valid model
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace rdme

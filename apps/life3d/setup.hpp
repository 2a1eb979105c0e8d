#pragma once

#include <apps/life3d/life3d.hpp>

namespace life3d {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Returns the rule of the settings.
/// @throws mass::SettingsError if its text is malformed
Rule ruleOf(const mass::Settings& settings);

/// Creates the world of the settings, with the cells of the section `cells` or random ones.
/// @throws mass::SettingsError if an item of a list in `cells` is no position in the world
mass::Places<Cell> createWorld(mass::Mass& mass);

/// Returns the picture of the world that the settings choose: the cells of the middle slice, or,
/// for each line of sight along the axis, the height of the first living cell above the far face of
/// the world (0 if there is none).
mass::Picture pictureOf(const mass::Places<Cell>& world, const mass::Settings& settings);

/// Creates the world of the settings, and declares steps and outputs.
/// @throws mass::SettingsError as ruleOf and createWorld do
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace life3d

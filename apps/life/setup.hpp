#pragma once

#include <apps/life/life.hpp>

namespace life {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Creates the world of the settings, with its pattern or random cells.
/// @throws mass::InputError if the pattern is unreadable or larger than the world.
mass::Places<Life> createWorld(mass::Mass& mass);

/// Returns the rule of the settings, else that of the pattern file, else B3/S23.
/// @throws mass::SettingsError if the rule of the settings is malformed.
/// @throws mass::InputError if the pattern file is unreadable.
Rule ruleOf(const mass::Settings& settings);

/// Creates the world of the settings, and declares steps and outputs.
/// @throws mass::SettingsError and mass::InputError as createWorld and ruleOf do.
void setUp(mass::Mass& mass, mass::Simulation& run);

}  // namespace life

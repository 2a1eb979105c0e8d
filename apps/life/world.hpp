#pragma once

#include <apps/life/life.hpp>

namespace life {

/// The settings of this program besides the library's.
mass::Schema schema();

/// The world that the settings ask for, with its pattern or random cells in place.
mass::Places<Life> createWorld(mass::Mass& mass);

/// The rule: that of the settings, else that of the pattern file, else B3/S23.
Rule ruleOf(const mass::Settings& settings);

}  // namespace life

#pragma once

#include <mass/mass.hpp>

namespace rdme {

/// The settings of this program besides the library's.
mass::Schema schema();

/// Creates the model that the settings describe, says what it is on standard output, and tells the
/// run how it goes on and what to write.
void setUp(mass::Mass& mass, mass::Simulation& run);

}  // namespace rdme

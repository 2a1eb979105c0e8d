#pragma once

#include <apps/heat3d/setup.hpp>

namespace heat3d {

/// Creates the block of the settings in its initial state. Instantiated for the lines of
/// variants.cmake.
template <class Real, int order>
mass::Places<Heat<Real, order>> createBlock(mass::Mass& mass, const Parameters& parameters);

/// Creates the block, and declares steps and outputs. Instantiated for the lines of variants.cmake.
template <class Real, int order>
void setUpBlock(mass::Mass& mass, mass::Simulation& run, const Parameters& parameters);

}  // namespace heat3d

#pragma once

#include <apps/life/life.hpp>
#include <apps/life/start.hpp>

#include <vector>

namespace life {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Creates the world of `start`, with its pattern or random cells.
/// @tparam Cell Life, NonTotalistic, one of their forms that are stored as bits, or Generations
/// @throws mass::InputError if the pattern is larger than the world.
template <class Cell>
mass::Places<Cell> createWorld(mass::Mass& mass, const Start& start);

/// Returns the value of each state in pictures: 0 for dead cells, 1 for living ones, and 0.7 for
/// those that have just begun to die, less for each further state.
/// @param states number of states, 3 to 256
std::vector<float> shadesOf(int states);

/// Creates the world of the settings, and declares steps and outputs. The class of its cells
/// follows from the rule and the setting `storage`.
/// @throws mass::SettingsError and mass::InputError as createWorld and startOf do.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace life

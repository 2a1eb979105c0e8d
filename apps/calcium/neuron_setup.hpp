#pragma once

#include <mass/mass.hpp>

namespace calcium {

/// Creates the neuron of the settings, and declares steps and outputs.
/// @throws mass::SettingsError, mass::InputError as NeuronParameters does
void setUpNeuron(mass::Mass& mass, mass::Simulation& run);

}  // namespace calcium

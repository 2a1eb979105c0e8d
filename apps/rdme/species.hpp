#pragma once

#include <apps/rdme/model.hpp>

namespace rdme {

/// Reads the key `species` into species, allowed, diffusion and hop of a model whose site types,
/// spacing and time step are known.
///
/// q = D τ/λ² is the probability of a step along an axis to one side: then the mean square of the
/// way along an axis is 2 q λ² = 2 D τ a step (Roberts, Stone & Luthey-Schulten 2013, J. Comput.
/// Chem. 34:245). Between two site types D is the smaller of the two unless `between` says it.
/// Throws SettingsError, also for q above 1/2: it names the largest time step.
void readSpecies(const mass::ConfigNode& species, Model& model);

}  // namespace rdme

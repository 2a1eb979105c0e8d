#pragma once

#include <apps/rdme/model/model.hpp>

namespace rdme {

/// Reads the key `species` into species, allowed, diffusion and hop of a model.
///
/// q = D τ/λ² is the probability of a step along an axis to one side. The mean square displacement
/// along an axis is then 2 q λ² = 2 D τ a step (Roberts, Stone & Luthey-Schulten, J. Comput. Chem.
/// 34:245, 2013). Between two site types D is the smaller of their two coefficients, unless the key
/// `between` gives it.
/// @pre site types, spacing and time step of `model` are set
/// @throws mass::SettingsError if a value is invalid, or q is above 1/2; the message names the
///     largest time step
void readSpecies(const mass::ConfigNode& species, Model& model);

}  // namespace rdme

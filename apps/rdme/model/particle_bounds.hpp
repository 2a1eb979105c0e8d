#pragma once

#include <apps/rdme/model/model.hpp>

#include <optional>
#include <vector>

namespace rdme {

/// Returns a weight of each species, at least 1, such that no reaction increases the sum of weights
/// over all particles (by more than 1e-3): an upper bound of the particles that one particle of the
/// species becomes, in the mean. A -> 7 B: 7 for A; A + B -> 3 C: 1.5 for each.
/// @return none if reactions can make particles without limit (from nothing, by a catalyst, in a
///     cycle), or a weight would have to grow by more than 1e9
std::optional<std::vector<double>> particleBounds(const Model& model);

}  // namespace rdme

#pragma once

#include <apps/rdme/model/model.hpp>

#include <optional>
#include <vector>

namespace rdme {

/// How many particles one of each species can become, in the mean and at most: numbers, 1 at least,
/// whose sum over all particles no reaction makes larger. A -> 7 B: 7 for A; A + B -> 3 C: 1.5 for
/// either. Nothing where reactions can go on making particles, from nothing, from ones that stay,
/// or round about, or come to more than 1e9.
std::optional<std::vector<double>> particleBounds(const Model& model);

}  // namespace rdme

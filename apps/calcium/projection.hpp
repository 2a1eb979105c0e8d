#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <span>

namespace calcium {

/// Picture of a quantity of the sites of a box, seen along the first axis.
/// @param indices row-major indices of the sites in the box @param values one for each of them
/// @return means over the sites behind one another, row by row along the second axis; 0 and absent
/// where there is no site
mass::Picture projected(const mass::Shape<3>& shape, std::span<const std::int64_t> indices,
                        std::span<const double> values);

}  // namespace calcium

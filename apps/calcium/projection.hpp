#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace calcium {

/// Picture of calcium in the sites of a box, seen along the first axis.
/// @param indices row-major indices of the sites in the box @param values one for each of them
/// @param most value of the last colour @param unit unit of the values
/// @return means over the sites behind one another, row by row along the second axis; 0 and absent
/// where there is no site
mass::Picture projected(const mass::Shape<3>& shape, std::span<const std::int64_t> indices,
                        std::span<const double> values, double most, std::string unit);

/// Picture of calcium in the sites of a plane of the box.
/// @param axis, at axis across which the plane lies, and its position
/// @return values row by row; 0 and absent where there is no site
mass::Picture sliced(const mass::Shape<3>& shape, std::span<const std::int64_t> indices,
                     std::span<const double> values, int axis, std::int64_t at, double most,
                     std::string unit);

}  // namespace calcium

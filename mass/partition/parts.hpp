#pragma once

#include <array>
#include <cstdint>

namespace mass::detail {

/// Numbers of parts along axes 0 and 1, which are those of the devices together.
struct Parts {
  int rows = 1, lines = 1;
  friend bool operator==(const Parts&, const Parts&) = default;
};

/// Returns the number of lines that a device with most neighbours sends in an exchange of places at
/// distance 1: those of its two faces along each axis that is cut.
/// @param lengths rows of the world, and lines of a row
double linesSent(std::array<std::int64_t, 2> lengths, const Parts& parts);

/// Returns the parts with the fewest linesSent(); of equal ones, those with most parts along axis
/// 0. Each part has a row and a line, unless the devices are too many for any such parts: then all
/// are along axis 0.
Parts leastSending(std::array<std::int64_t, 2> lengths, int devices);

}  // namespace mass::detail

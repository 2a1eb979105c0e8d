#pragma once

#include <mass/partition/border.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Numbers of parts along each axis, whose product is the number of devices.
struct Parts {
  int rows = 1, lines = 1, columns = 1;

  /// Returns the number of parts along an axis.
  int along(std::size_t axis) const { return axis == 0 ? rows : axis == 1 ? lines : columns; }
  friend bool operator==(const Parts&, const Parts&) = default;
};

/// Rows of a world, lines of a row, and columns of a line.
using Lengths = std::array<std::int64_t, 3>;

/// Returns the number of places that a device with most neighbours sends in an exchange of places
/// at distance 1: those of its faces along each axis that is cut, two but between two parts of an
/// axis that is not periodic.
double placesSent(const Lengths& lengths, const Parts& parts,
                  const std::array<Border, 3>& borders = {});

/// Returns the parts along axes 0 and 1 with the fewest placesSent(); of equal ones, those with
/// most parts along axis 0. Each part has a row and a line, unless the devices are too many for any
/// such parts: then all are along axis 0.
Parts leastSending(const Lengths& lengths, int devices, const std::array<Border, 3>& borders = {});

/// Returns the parts along all axes with the fewest placesSent(); otherwise as above.
Parts leastSendingOfAll(const Lengths& lengths, int devices,
                        const std::array<Border, 3>& borders = {});

/// Returns leastSending(), or leastSendingOfAll() if the former sends more than 1.25 times as much:
/// faces across lines consist of short runs of places, which are copied more slowly.
Parts partsFor(const Lengths& lengths, int devices, const std::array<Border, 3>& borders = {});

}  // namespace mass::detail

#pragma once

#include <apps/rdme/geometry/solid_shape.hpp>

#include <mass/mass.hpp>

#include <string>
#include <vector>

namespace rdme {

/// Reads a point, given as three lengths along x, y, z.
/// @throws mass::SettingsError if it is not
Point readPoint(const mass::ConfigNode& list);

/// Reads a box, sphere, cylinder or capsule, whose key is that of `body`.
/// @param lattice its middle is the center of bodies without one
/// @param more keys that are accepted besides those of the shape
/// @throws mass::SettingsError if the settings describe no shape
SolidShape readShape(const mass::ConfigNode& body, const Grid& lattice,
                     const std::vector<std::string>& more);

/// Rejects a body that leaves the lattice, or is longer than a periodic axis.
void requireRoom(const mass::ConfigNode& body, const SolidShape& shape, const Grid& lattice);

}  // namespace rdme

#pragma once

#include <apps/rdme/geometry/solid_shape.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rdme {

/// Type of each site, and properties of the types.
struct Geometry {
  std::vector<std::uint8_t> types;  ///< by site, z slowest, x fastest; empty if all have type 1
  std::vector<std::int64_t> siteCounts;  ///< number of sites of each type
  /// Surface area of each type, m²: given by `areas`, or the true area of the shapes whose shells
  /// its sites are; 0 if unknown.
  std::vector<double> areas;
  std::vector<std::string> bodies;  ///< one line for each body and item of obstacles
  std::vector<std::string> warnings;
};

/// Reads the keys `geometry` and `areas` of a model. All sites start as "outside"; each item of
/// `geometry` overwrites the types of its sites. A body that crosses the end of a periodic axis
/// continues at the other end. Warns of bodies that their sites represent badly. Without `geometry`
/// every site has type 1. Random obstacles are drawn with the seed of `settings`.
/// @param siteTypes names by type index; 0 is "outside"
/// @throws mass::SettingsError if an item is invalid, or leaves the lattice
Geometry readGeometry(const mass::Settings& settings, const mass::ConfigNode& model,
                      const Grid& lattice, const std::vector<std::string>& siteTypes);

}  // namespace rdme

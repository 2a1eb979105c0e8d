#pragma once

#include <apps/rdme/shape.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rdme {

/// Which type each site has, and what is known of the types.
struct Geometry {
  std::vector<std::uint8_t> types;    ///< z slowest, x fastest; empty = all of them type 1
  std::vector<std::int64_t> sitesOf;  ///< how many of each type
  /// The true area, m², of each type that shells alone are made of; otherwise 0.
  std::vector<double> areas;
  std::vector<std::string> warnings;
};

/// Reads the keys `geometry` and `areas` of the model: what the sites are made into, one thing
/// after the other, from "outside" everywhere. Without `geometry` every site has type 1. Random
/// obstacles are drawn with the settings' `seed`. Throws SettingsError.
Geometry readGeometry(const mass::Settings& settings, const mass::ConfigNode& model, const Grid& lattice,
                      const std::vector<std::string>& siteTypes);

}  // namespace rdme

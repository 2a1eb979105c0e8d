#pragma once

#include <apps/rdme/geometry/site_neighbors.hpp>
#include <apps/rdme/geometry/solid_shape.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rdme {

/// Body and its sites on a lattice.
struct PlacedBody {
  std::string name;  ///< setting, for messages: "min.yaml:19: 'model.geometry[1].capsule'"
  SolidShape shape{};
  std::array<bool, 3> spans{};  ///< periodic axes that the body covers from end to end
  double spacing = 0;           ///< edge of a site, m
  std::int64_t sites = 0;       ///< number of its sites, shell included
  std::int64_t shellSites = 0;  ///< number of sites of its shell
  int thickness = 0;            ///< layers of the shell; 0 if there is none
  Connectivity connectivity = Connectivity::all;  ///< neighbours by which the shell is found
  std::string insideType{}, shellType{};          ///< names of the site types
};

/// True if one of two volumes or numbers is below four fifths of the other.
bool differByAFifth(double a, double b);

/// Returns a line that has the sites and volume of a body and its shell beside their own volumes.
/// The shell's own volume is that of the layer of the body of the same depth.
std::string describe(const PlacedBody& body);

/// Returns a warning if the sites of a body represent it badly: they differ from its volume by a
/// fifth, it is thinner than a site, its shell takes all sites, or the shell differs by a fifth
/// from its layer. On the average over all directions a shell by 26 neighbours is 1.5 sites deep
/// and one by 6 neighbours 0.83; one along the lattice is 1 site deep.
std::vector<std::string> warningsOf(const PlacedBody& body);

}  // namespace rdme

#pragma once

#include <apps/rdme/geometry/solid_shape.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rdme {

/// Sites of a neuron of an SWC file.
struct PlacedNeuron {
  std::vector<std::int64_t> sites;  ///< row-major indices, ascending
  std::vector<std::string> lines;   ///< report: its place, and all that is left out
};

/// Reads an item `swc` of `geometry`. The smallest box around the sites of the neuron is in the
/// middle of the lattice, to a whole number of sites.
/// @throws mass::SettingsError if a key or the file is invalid, or the lattice is too small
PlacedNeuron readNeuron(const mass::Settings& settings, const mass::ConfigNode& item,
                        const Grid& lattice);

}  // namespace rdme

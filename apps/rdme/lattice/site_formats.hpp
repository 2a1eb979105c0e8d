#pragma once

#include <apps/rdme/lattice/lattice.hpp>

#include <memory>

namespace rdme {

/// Creates a lattice of Site<Bits, Words>. Instantiated for the storage formats of variants.cmake,
/// each in a unit of its own, and defined in lattice_impl.hpp.
/// @tparam Bits bits of a species code: 4 for up to 15 species, 8 for up to 255
/// @tparam Words words of 32 bits in a site, which stores 32 / Bits * Words particles
/// @throws mass::InputError if the initial particles do not fit into their sites
template <int Bits, int Words>
std::unique_ptr<Lattice> createSites(mass::Mass& mass, const Model& model);

}  // namespace rdme

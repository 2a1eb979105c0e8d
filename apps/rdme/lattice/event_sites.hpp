#pragma once

#include <apps/rdme/lattice/lattice.hpp>

#include <memory>

namespace rdme {

/// Creates the sites of a model under the clock of events, with the initial particles in place.
/// Instantiated for the lines of event_variants.cmake.
/// @tparam Species largest number of species
template <int Species>
std::unique_ptr<Lattice> createEventSites(mass::Mass& mass, const Model& model);

}  // namespace rdme

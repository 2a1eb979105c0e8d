#pragma once

#include <apps/rdme/lattice.hpp>

#include <memory>

namespace rdme {

// Forms of sites, each compiled by itself: up to 15 species or up to 255, and 32 particles in a
// site or 256. The first word holds 8 of them, or 4.

std::unique_ptr<Lattice> createSmall(mass::Mass& mass, const Model& model);
std::unique_ptr<Lattice> createDeep(mass::Mass& mass, const Model& model);
std::unique_ptr<Lattice> createWide(mass::Mass& mass, const Model& model);
std::unique_ptr<Lattice> createWideAndDeep(mass::Mass& mass, const Model& model);

}  // namespace rdme

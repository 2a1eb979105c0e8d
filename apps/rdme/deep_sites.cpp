// Another form of small_sites.cpp.

#include <apps/rdme/forms.hpp>
#include <apps/rdme/lattice_of.hpp>

namespace rdme {

std::unique_ptr<Lattice> createDeep(mass::Mass& mass, const Model& model) {
  return std::make_unique<LatticeOf<Site<4, 32>>>(mass, model);
}

}  // namespace rdme

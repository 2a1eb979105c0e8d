#include <apps/rdme/lattice/lattice.hpp>

#include <apps/rdme/lattice/site_formats.hpp>

#include <new>
#include <string>

namespace rdme {
namespace {

/// Creates the sites in the first storage format of variants.cmake that a model fits.
std::unique_ptr<Lattice> createFormat(mass::Mass& mass, const Model& model) {
#define MASS_VARIANT(unit, bits, words)                                                 \
  if (model.species.size() < (1U << (bits)) && model.capacity <= 32 / (bits) * (words)) \
    return createSites<bits, words>(mass, model);
#include <rdme_model/variants.inc>
#undef MASS_VARIANT
  throw mass::InputError(
      "a site stores at most {} particles of at most 255 species; this model has {} species and "
      "requires a capacity of {} particles",
      maxParticlesPerSite, model.species.size(), model.capacity);
}

}  // namespace

std::unique_ptr<Lattice> createLattice(mass::Mass& mass, const Model& model) {
  const std::string where = model.sitesSetting.empty() ? "" : model.sitesSetting + ": ";
  try {
    return createFormat(mass, model);
  } catch (const mass::DeviceError& error) {
    throw mass::DeviceError("{}{}", where, error.what());
  } catch (const std::bad_alloc&) {
    throw mass::DeviceError("{}not enough memory for {} sites and their particles", where,
                            model.siteCount());
  }
}

}  // namespace rdme

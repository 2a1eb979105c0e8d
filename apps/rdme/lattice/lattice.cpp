#include <apps/rdme/lattice/lattice.hpp>

#include <apps/rdme/lattice/event_sites.hpp>
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

/// Creates the sites of the clock of events, with the smallest number of species of
/// event_variants.cmake that a model fits.
std::unique_ptr<Lattice> createEvents(mass::Mass& mass, const Model& model) {
  int most = 0;
#define MASS_VARIANT(unit, limit)                                                   \
  if (model.species.size() <= (limit)) return createEventSites<limit>(mass, model); \
  most = limit;
#include <rdme_model/event_variants.inc>
#undef MASS_VARIANT
  throw mass::InputError("a model with 'clock: events' has at most {} species; this one has {}",
                         most, model.species.size());
}

}  // namespace

std::unique_ptr<Lattice> createLattice(mass::Mass& mass, const Model& model) {
  const std::string where = model.sitesSetting.empty() ? "" : model.sitesSetting + ": ";
  try {
    return model.clock == Clock::events ? createEvents(mass, model) : createFormat(mass, model);
  } catch (const mass::DeviceError& error) {
    throw mass::DeviceError("{}{}", where, error.what());
  } catch (const std::bad_alloc&) {
    throw mass::DeviceError("{}not enough memory for {} sites and their particles", where,
                            model.siteCount());
  }
}

}  // namespace rdme

#include <apps/rdme/lattice/lattice.hpp>

#include <apps/rdme/lattice/site_formats.hpp>

#include <new>
#include <string>

namespace rdme {
namespace {

std::unique_ptr<Lattice> createFormat(mass::Mass& mass, const Model& model) {
  const bool few = model.species.size() < 16, shallow = model.capacity <= compactCapacity;
  if (few) return shallow ? createSites<4, 4>(mass, model) : createSites<4, 32>(mass, model);
  return shallow ? createSites<8, 8>(mass, model) : createSites<8, 64>(mass, model);
}

}  // namespace

std::unique_ptr<Lattice> createLattice(mass::Mass& mass, const Model& model) {
  if (model.species.size() > 255 || model.capacity > maxParticlesPerSite) {
    throw mass::InputError(
        "a site holds at most {} particles of at most 255 species; this model has {} species and "
        "asks for {} particles",
        maxParticlesPerSite, model.species.size(), model.capacity);
  }
  const std::string where = model.sitesSetting.empty() ? "" : model.sitesSetting + ": ";
  try {
    return createFormat(mass, model);
  } catch (const mass::DeviceError& error) {
    throw mass::DeviceError("{}{}", where, error.what());
  } catch (const std::bad_alloc&) {
    throw mass::DeviceError("{}{} sites and their particles do not fit into memory", where,
                            model.siteCount());
  }
}

}  // namespace rdme

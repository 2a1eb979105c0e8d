#include <apps/rdme/model/model.hpp>

#include <apps/rdme/geometry/geometry.hpp>
#include <apps/rdme/model/kinetics.hpp>
#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/plausibility.hpp>
#include <apps/rdme/model/quantity.hpp>
#include <apps/rdme/model/species.hpp>
#include <apps/rdme/setup.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace rdme {
namespace {

/// Returns the axis of item 0, 1, 2 of a list in the settings: settings order x, y, z, the library
/// z, y, x.
std::size_t axisOf(std::size_t item) {
  return 2 - item;
}

std::array<std::int64_t, 3> readSites(const mass::ConfigNode& list) {
  constexpr double maxSites = 0x1p40;  // mass::Random takes indices below this
  if (!list.isList() || list.items().size() != 3)
    list.reject("expected three numbers of sites, along x, y and z, such as [64, 64, 256]");
  std::array<std::int64_t, 3> sites{};
  double product = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const mass::ConfigNode& item = list.items()[i];
    const std::int64_t count = item.integer();
    if (count < 1) item.reject("expected at least one site along each axis");
    sites[axisOf(i)] = count;
    product *= static_cast<double>(count);
  }
  if (product > maxSites) list.reject("a lattice has at most 2^40 sites");
  return sites;
}

bool isPeriodic(const mass::ConfigNode& border) {
  if (border.text() == "periodic") return true;
  if (border.text() != "reflecting") border.reject("expected periodic or reflecting");
  return false;
}

std::array<bool, 3> bordersOf(const mass::ConfigNode* borders) {
  std::array<bool, 3> periodic{};
  if (borders == nullptr) return periodic;
  if (borders->isText()) {
    periodic.fill(isPeriodic(*borders));
    return periodic;
  }
  if (borders->items().size() != 3)
    borders->reject("expected one border, or three: along x, y and z");
  for (std::size_t i = 0; i < 3; ++i) periodic[axisOf(i)] = isPeriodic(borders->items()[i]);
  return periodic;
}

void readLattice(const mass::ConfigNode& lattice, Model& model) {
  lattice.refuseOthers({"sites", "spacing", "timestep", "borders"});
  model.sites = readSites(lattice.at("sites"));
  model.sitesSetting = lattice.at("sites").where();
  model.spacing = readPositive(lattice.at("spacing"), kinds::length);
  // Within these limits, squares and cubes of the spacing neither overflow nor underflow.
  if (model.spacing < 1e-12 || model.spacing > 1)
    lattice.at("spacing").reject("expected the edge of a site, 1e-12 m to 1 m");
  model.timeStep = readPositive(lattice.at("timestep"), kinds::time);
  if (model.timeStep < 1e-18 || model.timeStep > 1e9)
    lattice.at("timestep").reject("expected the length of a step, 1e-18 s to 1e9 s");
  model.periodic = bordersOf(lattice.find("borders"));
}

void readSiteTypes(const mass::ConfigNode* list, Model& model) {
  constexpr std::size_t maxTypes = 255;
  model.siteTypes = {"outside"};
  if (list == nullptr) {
    model.siteTypes.emplace_back("inside");
    return;
  }
  for (const mass::ConfigNode& item : list->itemOrItems()) {
    std::string name = requireName(item, item.text(), "site type");
    if (findName(name, model.siteTypes))
      item.reject(name == "outside" ? "every model has this type, and no particle enters it"
                                    : "this type is listed twice");
    model.siteTypes.push_back(std::move(name));
  }
  if (model.siteTypes.size() == 1) list->reject("expected at least one site type");
  if (model.siteTypes.size() > maxTypes)
    list->reject(fmt::format("{} site types exceed the limit of {}", model.siteTypes.size() - 1,
                             maxTypes - 1));
}

/// Adds a warning if rounding `particles` to an integer changes them by more than 5 %.
/// @param volume volume of the sites that they are placed in, m³
void checkRounding(const mass::ConfigNode& concentration, double particles, double volume,
                   Model& into) {
  constexpr double largestChange = 0.05;
  const double rounded = std::round(particles);
  const double change = (rounded - particles) / particles;
  if (!(particles > 0) || std::abs(change) <= largestChange) return;
  const auto effect = rounded == 0
                          ? std::string("none, so the concentration makes no particle")
                          : fmt::format("{:.0f}, {:.3g} % {}", rounded, std::abs(change) * 100,
                                        change > 0 ? "more" : "less");
  into.warnings.push_back(fmt::format(
      "{} = {}: {:.3g} particles in {:.4g} um3 are rounded to {}: give a 'count', or enlarge the "
      "volume",
      concentration.where(), concentration.text(), particles, volume * 1e18, effect));
}

std::int64_t countOf(const mass::ConfigNode& setting, Model& model, std::int64_t sites) {
  constexpr double limit = 0x1p53;  // a double represents all integers below
  constexpr std::string_view tooMany = "expected fewer than 2^53 particles";
  constexpr std::string_view noSite = "no site has a type that these particles are placed in";
  const mass::ConfigNode* const count = setting.find("count");
  const mass::ConfigNode* const concentration = setting.find("concentration");
  if ((count == nullptr) == (concentration == nullptr))
    setting.reject("give either 'count' or 'concentration'");
  if (count != nullptr) {
    const std::int64_t particles = count->integer();
    if (particles < 0) count->reject("expected at least 0 particles");
    if (static_cast<double>(particles) >= limit) count->reject(tooMany);
    if (sites == 0 && particles > 0) setting.reject(noSite);
    return particles;
  }
  const double perVolume = readNotNegative(*concentration, kinds::concentration);
  const double particles = perVolume * static_cast<double>(sites) * model.siteVolume();
  if (!(particles < limit)) concentration->reject(tooMany);
  if (sites == 0 && perVolume > 0) setting.reject(noSite);
  checkRounding(*concentration, particles, static_cast<double>(sites) * model.siteVolume(), model);
  return std::llround(particles);
}

void readInitial(const mass::ConfigNode& setting, Model& model) {
  setting.refuseOthers({"species", "count", "concentration", "in", "spread"});
  const mass::ConfigNode& name = setting.at("species");
  InitialParticles initial{numberOf(name, name.text(), model.species, "species"), 0, {}};
  initial.where = setting.where();
  const mass::ConfigNode* const in = setting.find("in");
  if (in != nullptr) initial.siteTypes = parseSiteTypes(*in, model.siteTypes);
  std::int64_t sites = 0;
  for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type) {
    auto& types = initial.siteTypes;
    const bool isAllowed = model.isAllowed(initial.species, type);
    if (in == nullptr && isAllowed) types.push_back(type);
    if (std::find(types.begin(), types.end(), type) == types.end()) continue;
    if (!isAllowed)
      in->reject(
          fmt::format("{0} may not be in '{1}': place it elsewhere, or give it a diffusion "
                      "coefficient in '{1}'",
                      name.text(), model.siteTypes[static_cast<std::size_t>(type)]));
    sites += model.siteCounts[static_cast<std::size_t>(type)];
  }
  initial.count = countOf(setting, model, sites);
  if (const mass::ConfigNode* const spread = setting.find("spread")) {
    initial.isEven = spread->text() == "evenly";
    if (!initial.isEven && spread->text() != "randomly")
      spread->reject("expected evenly or randomly");
    if (initial.isEven && sites > 0 && initial.count % sites != 0)
      spread->reject(
          fmt::format("{} particles cannot be spread evenly over {} sites", initial.count, sites));
  }
  model.initial.push_back(std::move(initial));
}

bool readMethod(const mass::ConfigNode* method) {
  if (method == nullptr || method->text() == "gillespie") return false;
  if (method->text() != "at-most-one-event")
    method->reject(
        "expected gillespie (any number of reactions in a site and step) or at-most-one-event (one "
        "in a site and step, as in Lattice Microbes)");
  return true;
}

std::string nameOf(const mass::Settings& settings, const mass::ConfigNode& model) {
  if (const mass::ConfigNode* const name = model.find("name")) return name->text();
  return settings.file().empty() ? "model" : settings.file().stem().string();
}

}  // namespace

Model Model::load(const std::filesystem::path& file) {
  return fromSettings(mass::Settings::load(file, schema()));
}

Model Model::parse(std::string_view yaml, const std::string& name) {
  return fromSettings(mass::Settings::parse(yaml, name, schema()));
}

Model Model::fromSettings(const mass::Settings& settings) {
  const mass::ConfigNode& tree = settings.tree("model");
  tree.refuseOthers({"name", "lattice", "site types", "species", "reactions", "geometry", "areas",
                     "initial", "method", "capacity", "accept"});
  Model model;
  model.name = nameOf(settings, tree);
  readLattice(tree.at("lattice"), model);
  readSiteTypes(tree.find("site types"), model);
  readSpecies(tree.at("species"), model);
  Geometry geometry =
      readGeometry(settings, tree, {model.sites, model.spacing, model.periodic}, model.siteTypes);
  model.types = std::move(geometry.types);
  model.siteCounts = std::move(geometry.siteCounts);
  model.areas = std::move(geometry.areas);
  model.bodies = std::move(geometry.bodies);
  model.warnings = std::move(geometry.warnings);
  model.atMostOneEvent = readMethod(tree.find("method"));

  std::vector<ParsedChannel> channels;
  if (const mass::ConfigNode* const reactions = tree.find("reactions"))
    channels = readReactions(*reactions, model);
  for (const ParsedChannel& read : channels) model.channels.push_back(read.channel);
  if (const mass::ConfigNode* const initial = tree.find("initial"))
    for (const mass::ConfigNode& item : initial->items()) readInitial(item, model);
  checkPropensities(tree, channels, model);
  chooseCapacity(tree, model);
  checkReactionTypes(model);
  checkConnectivity(model);
  return model;
}

}  // namespace rdme

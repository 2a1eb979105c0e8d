#include <apps/rdme/geometry.hpp>
#include <apps/rdme/kinetics.hpp>
#include <apps/rdme/model.hpp>
#include <apps/rdme/names.hpp>
#include <apps/rdme/preflight.hpp>
#include <apps/rdme/quantity.hpp>
#include <apps/rdme/species.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace rdme {
namespace {

/// Settings say x, y, z; the library's axes are z, y, x.
std::size_t axisOf(std::size_t item) {
  return 2 - item;
}

std::array<std::int64_t, 3> sitesOf(const mass::ConfigNode& list) {
  // What numbers of places the library's random numbers know.
  constexpr double mostSites = 0x1p40;
  if (!list.isList() || list.items().size() != 3)
    list.reject("three numbers were expected, of sites along x, y and z, as [64, 64, 256]");
  std::array<std::int64_t, 3> sites{};
  double product = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const mass::ConfigNode& item = list.items()[i];
    const std::int64_t count = item.integer();
    if (count < 1) item.reject("there is at least one site along each axis");
    sites[axisOf(i)] = count;
    product *= static_cast<double>(count);
  }
  if (product > mostSites) list.reject("a lattice has 2^40 sites at most");
  return sites;
}

bool isPeriodic(const mass::ConfigNode& border) {
  if (border.text() == "periodic") return true;
  if (border.text() != "reflecting") border.reject("a border is periodic or reflecting");
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
    borders->reject("one border was expected, or three: along x, y and z");
  for (std::size_t i = 0; i < 3; ++i) periodic[axisOf(i)] = isPeriodic(borders->items()[i]);
  return periodic;
}

void readLattice(const mass::ConfigNode& lattice, Model& model) {
  lattice.refuseOthers({"sites", "spacing", "timestep", "borders"});
  model.sites = sitesOf(lattice.at("sites"));
  model.whereSites = lattice.at("sites").where();
  model.spacing = readPositive(lattice.at("spacing"), kinds::length);
  // Far from what could be meant, and then squares and cubes of it are numbers.
  if (model.spacing < 1e-12 || model.spacing > 1)
    lattice.at("spacing").reject("the edge of a site is 1e-12 m to 1 m");
  model.timeStep = readPositive(lattice.at("timestep"), kinds::time);
  if (model.timeStep < 1e-18 || model.timeStep > 1e9)
    lattice.at("timestep").reject("a step is 1e-18 s to 1e9 s long");
  model.periodic = bordersOf(lattice.find("borders"));
}

void readSiteTypes(const mass::ConfigNode* list, Model& model) {
  constexpr std::size_t most = 255;
  model.siteTypes = {"outside"};
  if (list == nullptr) {
    model.siteTypes.emplace_back("inside");
    return;
  }
  for (const mass::ConfigNode& item : list->itemOrItems()) {
    requireName(item, item.text(), "site type");
    const auto& known = model.siteTypes;
    if (std::find(known.begin(), known.end(), item.text()) != known.end())
      item.reject(item.text() == "outside" ? "this type is there anyway, and nothing is ever in it"
                                           : "this type is named twice");
    model.siteTypes.push_back(item.text());
  }
  if (model.siteTypes.size() == 1) list->reject("name at least one site type");
  if (model.siteTypes.size() > most)
    list->reject(fmt::format("{} site types are more than the {} there can be",
                             model.siteTypes.size() - 1, most - 1));
}

std::int64_t countOf(const mass::ConfigNode& setting, const Model& model, std::int64_t sites) {
  constexpr double most = 0x1p53;
  constexpr std::string_view tooMany = "these are too many particles to count";
  const mass::ConfigNode* const count = setting.find("count");
  const mass::ConfigNode* const concentration = setting.find("concentration");
  if ((count == nullptr) == (concentration == nullptr))
    setting.reject("say either 'count' or 'concentration'");
  if (count != nullptr) {
    const std::int64_t particles = count->integer();
    if (particles < 0) count->reject("there are at least 0 particles");
    if (static_cast<double>(particles) >= most) count->reject(tooMany);
    return particles;
  }
  const double perVolume = readNotNegative(*concentration, kinds::concentration);
  const double particles = perVolume * static_cast<double>(sites) * model.siteVolume();
  if (!(particles < most)) concentration->reject(tooMany);
  return std::llround(particles);
}

void readInitial(const mass::ConfigNode& setting, Model& model) {
  setting.refuseOthers({"species", "count", "concentration", "in", "spread"});
  const mass::ConfigNode& name = setting.at("species");
  Initial initial{numberOf(name, name.text(), model.species, "species"), 0, {}};
  initial.where = setting.where();
  const mass::ConfigNode* const in = setting.find("in");
  if (in != nullptr) initial.siteTypes = siteTypesIn(*in, model.siteTypes);
  std::int64_t sites = 0;
  for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type) {
    auto& types = initial.siteTypes;
    const bool mayBe = model.mayBe(initial.species, type);
    if (in == nullptr && mayBe) types.push_back(type);
    if (std::find(types.begin(), types.end(), type) == types.end()) continue;
    if (!mayBe)
      in->reject(
          fmt::format("{0} may not be in '{1}': put it elsewhere, or give it a diffusion "
                      "coefficient in '{1}'",
                      name.text(), model.siteTypes[static_cast<std::size_t>(type)]));
    sites += model.sitesOf[static_cast<std::size_t>(type)];
  }
  initial.count = countOf(setting, model, sites);
  if (sites == 0 && initial.count > 0)
    setting.reject("no site has a type that these particles are put into");
  if (const mass::ConfigNode* const spread = setting.find("spread")) {
    initial.isEven = spread->text() == "evenly";
    if (!initial.isEven && spread->text() != "randomly") spread->reject("evenly or randomly");
    if (initial.isEven && sites > 0 && initial.count % sites != 0)
      spread->reject(
          fmt::format("{} particles cannot be as many in each of {} sites", initial.count, sites));
  }
  model.initial.push_back(std::move(initial));
}

bool readMethod(const mass::ConfigNode* method) {
  if (method == nullptr || method->text() == "gillespie") return false;
  if (method->text() != "at-most-one-event")
    method->reject(
        "gillespie: as many reactions as happen in a step; at-most-one-event: one for each site "
        "and "
        "step, as Lattice Microbes has it");
  return true;
}

std::string nameOf(const mass::Settings& settings, const mass::ConfigNode& model) {
  if (const mass::ConfigNode* const name = model.find("name")) return name->text();
  return settings.file().empty() ? "model" : settings.file().stem().string();
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.addTree("model", "the reaction-diffusion model, in physical units");
  schema.add("output.profile_of", "", "",
             "a species whose numbers in every layer along z go into the table, and into a picture "
             "over space and time");
  schema.add("output.period_from", 0.0, "s", "when its period begins to be measured").atLeast(0);
  return schema;
}

Model Model::load(const std::filesystem::path& file) {
  return of(mass::Settings::load(file, schema()));
}

Model Model::parse(std::string_view yaml, const std::string& name) {
  return of(mass::Settings::parse(yaml, name, schema()));
}

Model Model::of(const mass::Settings& settings) {
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
  model.sitesOf = std::move(geometry.sitesOf);
  model.areas = std::move(geometry.areas);
  model.warnings = std::move(geometry.warnings);
  model.atMostOneEvent = readMethod(tree.find("method"));

  std::vector<ReadChannel> channels;
  if (const mass::ConfigNode* const reactions = tree.find("reactions"))
    channels = readReactions(*reactions, model);
  for (const ReadChannel& read : channels) model.channels.push_back(read.channel);
  if (const mass::ConfigNode* const initial = tree.find("initial"))
    for (const mass::ConfigNode& item : initial->items()) readInitial(item, model);
  checkPropensities(tree, channels, model);
  chooseCapacity(tree, model);
  checkReactionSites(model);
  checkPieces(model);
  return model;
}

}  // namespace rdme

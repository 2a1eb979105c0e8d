#include <apps/rdme/model/model.hpp>

#include <apps/rdme/geometry/geometry.hpp>
#include <apps/rdme/model/kinetics.hpp>
#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/particles.hpp>
#include <apps/rdme/model/plausibility.hpp>
#include <apps/rdme/model/quantity.hpp>
#include <apps/rdme/model/species.hpp>
#include <apps/rdme/setup.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
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

Clock readClock(const mass::ConfigNode* clock) {
  if (clock == nullptr || clock->text() == "steps") return Clock::steps;
  if (clock->text() != "events")
    clock->reject(
        "expected steps (all particles move in steps of lattice.timestep) or events (each hop and "
        "reaction at its own time)");
  return Clock::events;
}

/// Rejects a key that has no meaning under the clock of events.
void refuseUnderEvents(const mass::ConfigNode* setting, std::string_view reason) {
  if (setting != nullptr)
    setting->reject(fmt::format("'clock: events' has none: {}; leave it out", reason));
}

/// Rejects keys of the clock that a model does not have.
void refuseOtherClock(const mass::Settings& settings, const mass::ConfigNode& tree, Clock clock) {
  if (clock == Clock::events) {
    refuseUnderEvents(tree.at("lattice").find("timestep"),
                      "each hop and reaction happens at its own time, and events.step is the "
                      "length of a step of the run");
    refuseUnderEvents(tree.find("capacity"), "a site has any number of particles");
    refuseUnderEvents(tree.find("method"), "reactions follow the master equation");
    return;
  }
  // Printed settings give all keys, with their defaults.
  const auto refuse = [&](const char* key, bool isDefault) {
    if (!isDefault) settings.reject(key, "only a model with 'clock: events' uses it: leave it out");
  };
  refuse("events.step", settings.get<double>("events.step") == 1);
  refuse("events.window", settings.get<double>("events.window") == 0);
  refuse("events.engine", settings.get<std::string>("events.engine") == "windows");
}

/// Returns the length of a step of the run under the clock of events, s.
double readEventStep(const mass::Settings& settings) {
  const double step = settings.get<double>("events.step") * 1e-3;
  const auto window = settings.get<double>("events.window");
  if (!(window > 0)) return step;
  const double windows = std::max(1.0, std::round(step / window));
  if (std::abs(windows * window - step) > 1e-6 * window)
    settings.reject("events.step",
                    fmt::format("it is no whole number of windows of {:.9g} s (events.window): the "
                                "nearest is {:.9g} ms",
                                window, windows * window * 1e3));
  return step;
}

void readTimeStep(const mass::ConfigNode& step, Model& model) {
  model.timeStep = readPositive(step, kinds::time);
  if (model.timeStep < 1e-18 || model.timeStep > 1e9)
    step.reject("expected the length of a step, 1e-18 s to 1e9 s");
}

void readLattice(const mass::ConfigNode& lattice, Model& model) {
  lattice.refuseOthers({"sites", "spacing", "timestep", "borders"});
  model.sites = readSites(lattice.at("sites"));
  model.sitesSetting = lattice.at("sites").where();
  model.spacing = readPositive(lattice.at("spacing"), kinds::length);
  // Within these limits, squares and cubes of the spacing neither overflow nor underflow.
  if (model.spacing < 1e-12 || model.spacing > 1)
    lattice.at("spacing").reject("expected the edge of a site, 1e-12 m to 1 m");
  if (model.clock == Clock::steps) readTimeStep(lattice.at("timestep"), model);
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
                     "initial", "method", "capacity", "accept", "clock", "stimulus"});
  Model model;
  model.name = nameOf(settings, tree);
  model.clock = readClock(tree.find("clock"));
  refuseOtherClock(settings, tree, model.clock);
  if (model.clock == Clock::events) model.timeStep = readEventStep(settings);
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
  if (const mass::ConfigNode* const stimuli = tree.find("stimulus"))
    readStimuli(settings, *stimuli, model);
  if (model.clock == Clock::steps) {
    checkPropensities(tree, channels, model);
    chooseCapacity(tree, model);
  }
  checkReactionTypes(model);
  checkConnectivity(model);
  return model;
}

}  // namespace rdme

#include <apps/rdme/model/particles.hpp>

#include <apps/rdme/geometry/shape_setting.hpp>
#include <apps/rdme/geometry/voxelize.hpp>
#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/quantity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace rdme {
namespace {

constexpr std::array<std::string_view, 4> shapes{"box", "sphere", "cylinder", "capsule"};

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

/// Rejects particles that the sites cannot hold under any clock.
std::int64_t fitting(std::int64_t particles, std::int64_t sites, const mass::ConfigNode& node) {
  constexpr double most = 0x1p31 - 2;
  if (static_cast<double>(particles) > most * static_cast<double>(sites))
    node.reject(fmt::format(
        "{} particles do not fit into the {} sites: a site has at most 2^31 - 2 of a species",
        particles, sites));
  return particles;
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
    return fitting(particles, sites, *count);
  }
  const double perVolume = readNotNegative(*concentration, kinds::concentration);
  const double particles = perVolume * static_cast<double>(sites) * model.siteVolume();
  if (!(particles < limit)) concentration->reject(tooMany);
  if (sites == 0 && perVolume > 0) setting.reject(noSite);
  checkRounding(*concentration, particles, static_cast<double>(sites) * model.siteVolume(), model);
  return fitting(std::llround(particles), sites, *concentration);
}

/// Returns the row-major indices of the sites of a shape, ascending.
std::vector<std::int64_t> sitesOf(const SolidShape& shape, const Grid& lattice) {
  const VoxelizedShape voxels = voxelize(shape, lattice);
  const auto& [z, y, x] = voxels.ranges;
  const auto wrapped = [&](std::int64_t site, std::size_t axis) {
    return (site % lattice.sites[axis] + lattice.sites[axis]) % lattice.sites[axis];
  };
  std::vector<std::int64_t> sites;
  for (std::int64_t k = 0; k < z.count; ++k)
    for (std::int64_t j = 0; j < y.count; ++j)
      for (std::int64_t i = 0; i < x.count; ++i)
        if (voxels.layers[voxels.at(k, j, i)] != 0)
          sites.push_back((wrapped(z.first + k, 0) * lattice.sites[1] + wrapped(y.first + j, 1)) *
                              lattice.sites[2] +
                          wrapped(x.first + i, 2));
  std::sort(sites.begin(), sites.end());
  return sites;
}

/// Returns the sites of the shape of a stimulus; all sites if it has none.
std::vector<std::int64_t> shapeSites(const mass::ConfigNode& setting, const Model& model) {
  const Grid lattice{model.sites, model.spacing, model.periodic};
  const mass::ConfigNode* body = nullptr;
  for (const std::string_view name : shapes) {
    const mass::ConfigNode* const found = setting.find(name);
    if (found != nullptr && body != nullptr) found->reject("a stimulus has one shape: remove one");
    if (found != nullptr) body = found;
  }
  if (body != nullptr) {
    const SolidShape shape = readShape(*body, lattice, {});
    requireRoom(*body, shape, lattice);
    return sitesOf(shape, lattice);
  }
  std::vector<std::int64_t> all(static_cast<std::size_t>(model.siteCount()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Returns the number of steps before a stimulus.
std::int64_t stepOf(const mass::Settings& settings, const mass::ConfigNode& at,
                    const Model& model) {
  const double time = readNotNegative(at, kinds::time), steps = std::round(time / model.timeStep);
  if (std::abs(steps * model.timeStep - time) > 1e-6 * model.timeStep)
    at.reject(fmt::format("it is no whole number of steps of {:.9g} ms: the nearest is {:.9g} ms",
                          model.timeStep * 1e3, steps * model.timeStep * 1e3));
  const auto end = settings.get<std::int64_t>("steps");
  if (end > 0 && steps >= static_cast<double>(end))
    at.reject(fmt::format("the run ends before, after {} steps, {:.9g} ms", end,
                          static_cast<double>(end) * model.timeStep * 1e3));
  return static_cast<std::int64_t>(std::min(steps, 0x1p53));
}

Stimulus readStimulus(const mass::Settings& settings, const mass::ConfigNode& setting,
                      Model& model) {
  setting.refuseOthers(
      {"at", "species", "count", "concentration", "in", "box", "sphere", "cylinder", "capsule"});
  const mass::ConfigNode& name = setting.at("species");
  Stimulus stimulus{stepOf(settings, setting.at("at"), model),
                    numberOf(name, name.text(), model.species, "species"),
                    0,
                    {}};
  stimulus.where = setting.where();
  std::vector<int> types;
  if (const mass::ConfigNode* const in = setting.find("in"))
    types = parseSiteTypes(*in, model.siteTypes);
  for (const std::int64_t site : shapeSites(setting, model)) {
    const int type = model.types.empty() ? 1 : model.types[static_cast<std::size_t>(site)];
    const bool isChosen =
        types.empty() || std::find(types.begin(), types.end(), type) != types.end();
    if (isChosen && type != 0 && model.isAllowed(stimulus.species, type))
      stimulus.sites.push_back(site);
  }
  if (stimulus.sites.empty())
    setting.reject(fmt::format("it contains no site in which {} may be", name.text()));
  stimulus.count = countOf(setting, model, static_cast<std::int64_t>(stimulus.sites.size()));
  return stimulus;
}

}  // namespace

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

void readStimuli(const mass::Settings& settings, const mass::ConfigNode& list, Model& model) {
  for (const mass::ConfigNode& item : list.items())
    model.stimuli.push_back(readStimulus(settings, item, model));
  std::stable_sort(model.stimuli.begin(), model.stimuli.end(),
                   [](const Stimulus& a, const Stimulus& b) { return a.step < b.step; });
}

}  // namespace rdme

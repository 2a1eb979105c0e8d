#include <apps/rdme/geometry/connected_components.hpp>
#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/particle_bounds.hpp>
#include <apps/rdme/model/plausibility.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace rdme {
namespace {

constexpr double largePropensity = 0.1;
constexpr double maxPairPropensity = 1;
// Limit of events per step and site, particle or pair: more take too long to compute.
constexpr double maxEvents = 1000;
// Expected number of sites above the capacity in a step that is tolerated.
constexpr double rare = 0.1;
constexpr int minCapacity = 4;

/// True if the key `accept` lists `name`.
bool accepts(const mass::ConfigNode& model, std::string_view name) {
  const mass::ConfigNode* const accept = model.find("accept");
  if (accept == nullptr) return false;
  bool isAccepted = false;
  for (const mass::ConfigNode& item : accept->itemOrItems()) {
    if (item.text() != "pair-propensity") item.reject("expected pair-propensity");
    isAccepted = isAccepted || item.text() == name;
  }
  return isAccepted;
}

std::string typeName(const Model& model, int type) {
  return model.siteTypes[static_cast<std::size_t>(type)];
}

std::string namesOf(const Model& model, const std::vector<int>& species) {
  std::string names;
  for (const int number : species)
    names += (names.empty() ? "" : " + ") + model.species[static_cast<std::size_t>(number)];
  return names;
}

/// Sum over the channels of the same reactants in the same site type.
struct PropensitySum {
  double propensity = 0;
  const mass::ConfigNode* setting = nullptr;  ///< rate of the last of these channels, for messages
};

void checkReactants(const std::vector<int>& reactants, int type, const PropensitySum& sum,
                    bool isAccepted, Model& into) {
  if (sum.propensity <= largePropensity) return;
  const bool isPair = reactants.size() == 2;
  const auto subject =
      fmt::format("{}{} in '{}': propensity {:.4g} {} and step", isPair ? "" : "each ",
                  namesOf(into, reactants), typeName(into, type), sum.propensity,
                  isPair ? "a pair" : "a particle");
  const auto longest = [&](double bound) {
    return fmt::format("{:.4g} us", into.timeStep / sum.propensity * bound * 1e6);
  };
  if (!isPair || sum.propensity <= maxPairPropensity) {
    into.warnings.push_back(
        fmt::format("{}; above {} the separation of diffusion and reaction in a step is "
                    "inaccurate: a timestep of {} is accurate",
                    subject, largePropensity, longest(largePropensity)));
    return;
  }
  const auto wrong = fmt::format(
      "{}, above 1: a pair in a site reacts before it can separate, so the rate constant is not "
      "reproduced; the largest timestep is {}, and one of {} is accurate",
      subject, longest(maxPairPropensity), longest(largePropensity));
  if (!isAccepted)
    sum.setting->reject(wrong +
                        "; to run it nonetheless, add 'accept: [pair-propensity]' to the model");
  into.warnings.push_back("ACCEPTED BY THE SETTINGS: " + wrong);
}

/// Rejects reactions with more than maxEvents events in a step per combination of reactants.
void requireFewEvents(const std::vector<int>& reactants, int type, const PropensitySum& sum,
                      const Model& model) {
  if (sum.propensity <= maxEvents) return;
  constexpr std::array<std::string_view, 3> each{"a site", "a particle", "a pair"};
  sum.setting->reject(
      fmt::format("{} in '{}': propensity {:.4g} {} and step, above {}: make the timestep {:.4g} "
                  "us or shorter, "
                  "or the rate lower",
                  reactants.empty() ? "reactions without reactants" : namesOf(model, reactants),
                  typeName(model, type), sum.propensity, each[reactants.size()], maxEvents,
                  model.timeStep / sum.propensity * maxEvents * 1e6));
}

/// Returns for each species whether particles of `species` can become it by reactions; true for
/// `species` itself.
std::vector<bool> reachableSpecies(const Model& model, int species) {
  std::vector<bool> reachable(model.species.size());
  reachable[static_cast<std::size_t>(species)] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (const Channel& channel : model.channels) {
      const auto& from = channel.reactants;
      if (std::none_of(from.begin(), from.end(),
                       [&](int s) { return reachable[static_cast<std::size_t>(s)]; }))
        continue;
      for (const int product : channel.products) {
        grows = grows || !reachable[static_cast<std::size_t>(product)];
        reachable[static_cast<std::size_t>(product)] = true;
      }
    }
  }
  return reachable;
}

/// Returns the number of sites in which a species may be.
std::int64_t sitesFor(const Model& model, int species) {
  std::int64_t sites = 0;
  for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type)
    if (model.isAllowed(species, type)) sites += model.siteCounts[static_cast<std::size_t>(type)];
  return sites;
}

/// Returns the expected number of sites with more particles than `capacity`.
/// @param densities mean number of particles in a site of each type
double overfullSites(const Model& model, const std::vector<double>& densities, int capacity) {
  double sites = 0;
  for (std::size_t type = 1; type < densities.size(); ++type)
    sites += static_cast<double>(model.siteCounts[type]) * poissonTail(densities[type], capacity);
  return sites;
}

std::string typeNames(const Model& model, const std::vector<int>& types) {
  std::vector<std::string> names;
  for (const int type : types) names.push_back(typeName(model, type));
  return joinNames(names);
}

/// Rejects initial particles that do not fit: for the site types of each entry, all entries that
/// are restricted to these types count.
void requireRoom(const mass::ConfigNode& initial, const Model& model) {
  for (std::size_t i = 0; i < model.initial.size(); ++i) {
    const auto& types = model.initial[i].siteTypes;
    const std::set<int> here(types.begin(), types.end());
    std::int64_t sites = 0;
    double particles = 0;  // the sum of counts may overflow an integer
    for (const int type : types) sites += model.siteCounts[static_cast<std::size_t>(type)];
    for (const InitialParticles& other : model.initial) {
      const bool isHere = std::all_of(other.siteTypes.begin(), other.siteTypes.end(),
                                      [&](int type) { return here.count(type) > 0; });
      if (isHere) particles += static_cast<double>(other.count);
    }
    if (particles <= static_cast<double>(sites * model.capacity)) continue;
    initial.items()[i].reject(fmt::format(
        "{:.16g} particles do not fit into the {} sites of {}, which hold {} each: increase the "
        "capacity, or reduce the particles",
        particles, sites, typeNames(model, types), model.capacity));
  }
}

/// Returns the contribution of `initial` to expectedDensities(), for each site type.
std::vector<double> densityContribution(const Model& model, const InitialParticles& initial) {
  const auto reachable = reachableSpecies(model, initial.species);
  // Initially the particles are in the sites of these types only.
  std::int64_t first = 0;
  for (const int type : initial.siteTypes)
    first += model.siteCounts[static_cast<std::size_t>(type)];
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> fewest(model.siteTypes.size(), none);
  for (const int type : initial.siteTypes) fewest[static_cast<std::size_t>(type)] = first;
  for (int species = 0; species < static_cast<int>(reachable.size()); ++species) {
    if (!reachable[static_cast<std::size_t>(species)]) continue;
    const std::int64_t sites = sitesFor(model, species);
    for (std::size_t type = 1; type < fewest.size(); ++type)
      if (model.isAllowed(species, static_cast<int>(type)))
        fewest[type] = std::min(fewest[type], sites);
  }
  std::vector<double> densities;
  for (const std::int64_t sites : fewest) {
    const bool isNowhere = sites <= 0 || sites == none;
    densities.push_back(
        isNowhere ? 0 : static_cast<double>(initial.count) / static_cast<double>(sites));
  }
  return densities;
}

/// Rejects the entry of `initial` that contributes most to the site type with most sites above the
/// largest capacity.
[[noreturn]] void rejectCrowd(const mass::ConfigNode& initial, const Model& model,
                              const std::vector<double>& densities) {
  int type = 1;
  double most = 0;
  for (std::size_t i = 1; i < densities.size(); ++i) {
    const double sites =
        static_cast<double>(model.siteCounts[i]) * poissonTail(densities[i], maxParticlesPerSite);
    if (sites > most) type = static_cast<int>(i);
    most = std::max(most, sites);
  }
  const auto adds = [&](const InitialParticles& a, const InitialParticles& b) {
    const auto at = static_cast<std::size_t>(type);
    return densityContribution(model, a)[at] < densityContribution(model, b)[at];
  };
  const auto crowd = std::max_element(model.initial.begin(), model.initial.end(), adds);
  const mass::ConfigNode& item =
      initial.items()[static_cast<std::size_t>(crowd - model.initial.begin())];
  const mass::ConfigNode* const count = item.find("count");
  (count != nullptr ? *count : item.at("concentration"))
      .reject(fmt::format("sites of '{}' have up to {:.4g} particles in the mean, and some of them "
                          "more than the {} that a site can hold: reduce these particles, or "
                          "add sites",
                          typeName(model, type), densities[static_cast<std::size_t>(type)],
                          maxParticlesPerSite));
}

/// Returns the warning that about `sites` sites exceed the capacity.
std::string crowdWarning(const Model& model, const std::vector<double>& densities, double sites) {
  const int room = storageCapacity(model.capacity);
  auto text = fmt::format(
      "about {:.3g} sites a step have more particles than the capacity, {}, if particles "
      "concentrate and multiply as far as reactions allow: each site stores {}, and those beyond "
      "the first {} take more time",
      sites, model.capacity, room, model.species.size() < 16 ? 8 : 4);
  const double exceeding = overfullSites(model, densities, room);
  if (exceeding <= rare) return text + "; more particles end the run";
  return text + fmt::format("; about {:.3g} sites a step exceed that, which ends the run: {}",
                            exceeding,
                            room < maxParticlesPerSite
                                ? fmt::format("set the capacity to {}", maxParticlesPerSite)
                                : "reduce the particles or the spacing");
}

/// Returns the warning that reactions can make particles without limit.
std::string growthWarning(const Model& model) {
  const int room = storageCapacity(model.capacity);
  return fmt::format(
      "reactions can make particles without limit: the capacity, {}, is chosen for the initial "
      "particles, and each site stores {}; in a full site such reactions do not happen, and "
      "particles that diffuse into it end the run{}",
      model.capacity, room,
      room == maxParticlesPerSite
          ? ""
          : fmt::format("; to store more, set 'capacity: {}'", maxParticlesPerSite));
}

/// Returns the channel with most products; null if no channel has a propensity above 0.
const Channel* largestOf(const Model& model) {
  const Channel* largest = nullptr;
  for (const Channel& channel : model.channels) {
    if (!(channel.propensity > 0)) continue;
    if (largest == nullptr || channel.products.size() > largest->products.size())
      largest = &channel;
  }
  return largest;
}

/// Sets the capacity that the settings give.
void takeCapacity(const mass::ConfigNode& given, const Channel* largest,
                  const std::vector<double>& densities, Model& into) {
  const std::int64_t capacity = given.integer();
  if (capacity < 1 || capacity > maxParticlesPerSite)
    given.reject(fmt::format("a site holds 1 to {} particles", maxParticlesPerSite));
  into.capacity = static_cast<int>(capacity);
  if (largest != nullptr && static_cast<int>(largest->products.size()) > into.capacity)
    given.reject(fmt::format("{} has {} products in one site: give at least this capacity",
                             largest->text, largest->products.size()));
  if (const double sites = overfullSites(into, densities, into.capacity); sites > rare)
    into.warnings.push_back(given.where() + ": " + crowdWarning(into, densities, sites));
}

/// Returns the connected components of the graph of the site types between which a species can
/// step.
std::vector<TypeGraph> typeGraphs(const Model& model, int species) {
  const std::size_t types = model.siteTypes.size();
  const auto canStep = [&](std::size_t a, std::size_t b) {
    const int from = static_cast<int>(a), to = static_cast<int>(b);
    return model.hopProbability(from, to, species) > 0 ||
           model.hopProbability(to, from, species) > 0;
  };
  std::vector<TypeGraph> graphs;
  std::vector<bool> seen(types);
  for (std::size_t start = 1; start < types; ++start) {
    if (seen[start]) continue;
    TypeGraph graph(types);
    std::vector<std::size_t> waiting{start};
    while (!waiting.empty()) {
      const std::size_t type = waiting.back();
      waiting.pop_back();
      seen[type] = true;
      for (std::size_t other = 1; other < types; ++other) {
        if (!canStep(type, other)) continue;
        graph.addEdge(type, other);
        if (!seen[other]) waiting.push_back(other);
      }
    }
    if (graph.hasEdges(start)) graphs.push_back(graph);
  }
  return graphs;
}

std::vector<std::string> namesIn(const Model& model, const TypeGraph& graph) {
  std::vector<std::string> names;
  for (std::size_t type = 0; type < graph.types(); ++type)
    if (graph.hasEdges(type)) names.push_back(fmt::format("'{}'", model.siteTypes[type]));
  return names;
}

}  // namespace

void checkPropensities(const mass::ConfigNode& model, const std::vector<ParsedChannel>& channels,
                       Model& into) {
  const bool isAccepted = accepts(model, "pair-propensity");
  std::map<std::pair<int, std::vector<int>>, PropensitySum> sums;
  for (const auto& [channel, setting] : channels) {
    auto reactants = channel.reactants;
    std::sort(reactants.begin(), reactants.end());
    auto& sum = sums[{channel.siteType, std::move(reactants)}];
    sum.propensity += channel.propensity;
    sum.setting = setting;
  }
  for (const auto& [where, sum] : sums) {
    const auto& [type, reactants] = where;
    if (!reactants.empty()) checkReactants(reactants, type, sum, isAccepted, into);
    requireFewEvents(reactants, type, sum, into);
  }
}

double poissonTail(double mean, int bound) {
  if (mean <= 0) return 0;
  const double next = bound + 1;
  if (next <= mean) return 1;
  const double first = std::exp(-mean + next * std::log(mean) - std::lgamma(next + 1));
  // The terms after the first fall at least as fast as this geometric series.
  return std::min(1.0, first / (1 - mean / (next + 1)));
}

std::vector<double> expectedDensities(const Model& model, const std::vector<double>& bounds) {
  std::vector<double> sums(model.siteTypes.size());
  for (const InitialParticles& initial : model.initial) {
    const auto densities = densityContribution(model, initial);
    const double each = bounds.empty() ? 1 : bounds[static_cast<std::size_t>(initial.species)];
    for (std::size_t type = 0; type < sums.size(); ++type) sums[type] += each * densities[type];
  }
  return sums;
}

void chooseCapacity(const mass::ConfigNode& model, Model& into) {
  const auto bounds = particleBounds(into);
  const auto densities = expectedDensities(into, bounds.value_or(std::vector<double>{}));
  const Channel* const largest = largestOf(into);
  const mass::ConfigNode* const given = model.find("capacity");
  into.capacityGiven = given != nullptr;
  if (given != nullptr) {
    takeCapacity(*given, largest, densities, into);
  } else {
    into.capacity = minCapacity;
    if (largest != nullptr)
      into.capacity = std::max(into.capacity, static_cast<int>(largest->products.size()));
    const auto exceeding = [&] { return overfullSites(into, densities, into.capacity); };
    while (into.capacity < maxParticlesPerSite && exceeding() > rare) ++into.capacity;
    if (const double sites = exceeding(); sites > rare) {
      // Other reactions may consume the products, so only the initial particles are an error.
      const auto atFirst = expectedDensities(into);
      if (overfullSites(into, atFirst, maxParticlesPerSite) > rare)
        rejectCrowd(model.at("initial"), into, atFirst);
      into.warnings.push_back(crowdWarning(into, densities, sites));
    }
    if (!bounds) into.warnings.push_back(growthWarning(into));
  }
  if (const mass::ConfigNode* const initial = model.find("initial")) requireRoom(*initial, into);
}

void checkReactionTypes(Model& into) {
  for (const Channel& channel : into.channels) {
    if (into.siteCounts[static_cast<std::size_t>(channel.siteType)] > 0) continue;
    into.warnings.push_back(fmt::format("{} never happens in '{}': no site has this type",
                                        channel.text, typeName(into, channel.siteType)));
  }
}

void checkConnectivity(Model& into) {
  if (into.types.empty()) return;
  const Grid lattice{into.sites, into.spacing, into.periodic};
  std::map<TypeGraph, std::vector<std::string>> speciesOf;
  for (int species = 0; species < static_cast<int>(into.species.size()); ++species)
    for (const TypeGraph& graph : typeGraphs(into, species))
      speciesOf[graph].push_back(into.species[static_cast<std::size_t>(species)]);
  for (const auto& [graph, names] : speciesOf) {
    const auto count = connectedComponents(into.types, lattice, graph, Connectivity::faces);
    if (count <= 1) continue;
    const auto around = connectedComponents(into.types, lattice, graph, Connectivity::all);
    const auto types = namesIn(into, graph);
    into.warnings.push_back(fmt::format(
        "{} {} {} components connected by faces ({} by faces, edges and corners), and {} can only "
        "move within one of them{}",
        joinNames(types), types.size() == 1 ? "has" : "together have", count, around,
        joinNames(names),
        around < count ? ": increase the thickness of the shell, or set its neighbors to 26" : ""));
  }
}

}  // namespace rdme

#include <apps/rdme/body.hpp>
#include <apps/rdme/names.hpp>
#include <apps/rdme/preflight.hpp>
#include <apps/rdme/yields.hpp>

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
constexpr double mostPropensity = 1;
// Each event takes its time, and with so many a step no result would mean anything.
constexpr double mostEvents = 1000;
// Of sites that pass the capacity, expected in a step.
constexpr double rare = 0.1;
constexpr int leastCapacity = 4;

bool accepts(const mass::ConfigNode& model, std::string_view what) {
  const mass::ConfigNode* const accept = model.find("accept");
  if (accept == nullptr) return false;
  bool isAccepted = false;
  for (const mass::ConfigNode& item : accept->itemOrItems()) {
    if (item.text() != "pair-propensity") item.reject("what can be accepted is pair-propensity");
    isAccepted = isAccepted || item.text() == what;
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

/// The sum over channels of the same reactants in the same site type, and the last of them.
struct Reactants {
  double propensity = 0;
  const mass::ConfigNode* setting = nullptr;
};

void checkReactants(const std::vector<int>& reactants, int type, const Reactants& sum,
                    bool isAccepted, Model& into) {
  if (sum.propensity <= largePropensity) return;
  const bool isPair = reactants.size() == 2;
  const auto what =
      fmt::format("{}{} in '{}': propensity {:.4g} {} and step", isPair ? "" : "each ",
                  namesOf(into, reactants), typeName(into, type), sum.propensity,
                  isPair ? "a pair" : "a particle");
  const auto longest = [&](double bound) {
    return fmt::format("{:.4g} us", into.timeStep / sum.propensity * bound * 1e6);
  };
  if (!isPair || sum.propensity <= mostPropensity) {
    into.warnings.push_back(
        fmt::format("{}; above {} diffusion and reaction of a step are no longer "
                    "well apart, which a timestep of {} would cure",
                    what, largePropensity, longest(largePropensity)));
    return;
  }
  const auto wrong = fmt::format(
      "{}, above 1: a pair that meets reacts before it can part, so the rate constant no longer "
      "has "
      "its meaning; the largest timestep is {}, and one of {} is accurate",
      what, longest(mostPropensity), longest(largePropensity));
  if (!isAccepted)
    sum.setting->reject(wrong + "; 'accept: [pair-propensity]' in the model runs it nonetheless");
  into.warnings.push_back("ACCEPTED BY THE SETTINGS: " + wrong);
}

/// Refuses what happens so often in a step that the step would hardly end.
void requireFewEvents(const std::vector<int>& reactants, int type, const Reactants& sum,
                      const Model& model) {
  if (sum.propensity <= mostEvents) return;
  constexpr std::array<std::string_view, 3> each{"a site", "a particle", "a pair"};
  sum.setting->reject(
      fmt::format("{} in '{}': propensity {:.4g} {} and step, above {}: make the timestep {:.4g} "
                  "us or shorter, "
                  "or the rate lower",
                  reactants.empty() ? "what comes from nothing" : namesOf(model, reactants),
                  typeName(model, type), sum.propensity, each[reactants.size()], mostEvents,
                  model.timeStep / sum.propensity * mostEvents * 1e6));
}

/// Which species a species may become, itself included, as reactions say.
std::vector<bool> fatesOf(const Model& model, int species) {
  std::vector<bool> fates(model.species.size());
  fates[static_cast<std::size_t>(species)] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (const Channel& channel : model.channels) {
      const auto& from = channel.reactants;
      if (std::none_of(from.begin(), from.end(),
                       [&](int s) { return fates[static_cast<std::size_t>(s)]; }))
        continue;
      for (const int product : channel.products) {
        grows = grows || !fates[static_cast<std::size_t>(product)];
        fates[static_cast<std::size_t>(product)] = true;
      }
    }
  }
  return fates;
}

std::int64_t sitesFor(const Model& model, int species) {
  std::int64_t sites = 0;
  for (int type = 1; type < static_cast<int>(model.siteTypes.size()); ++type)
    if (model.mayBe(species, type)) sites += model.sitesOf[static_cast<std::size_t>(type)];
  return sites;
}

/// How many sites are expected to pass a capacity, by the density of each type.
double overfullSites(const Model& model, const std::vector<double>& densities, int capacity) {
  double sites = 0;
  for (std::size_t type = 1; type < densities.size(); ++type)
    sites += static_cast<double>(model.sitesOf[type]) * poissonTail(densities[type], capacity);
  return sites;
}

std::string typesOf(const Model& model, const std::vector<int>& types) {
  std::vector<std::string> names;
  for (const int type : types) names.push_back(typeName(model, type));
  return listed(names);
}

/// All that is put into some types, and nowhere else, must fit into them.
void requireRoom(const mass::ConfigNode& initial, const Model& model) {
  for (std::size_t i = 0; i < model.initial.size(); ++i) {
    const auto& types = model.initial[i].siteTypes;
    const std::set<int> here(types.begin(), types.end());
    std::int64_t sites = 0;
    double particles = 0;  // each count is a number, but not every sum of them
    for (const int type : types) sites += model.sitesOf[static_cast<std::size_t>(type)];
    for (const Initial& other : model.initial) {
      const bool isHere = std::all_of(other.siteTypes.begin(), other.siteTypes.end(),
                                      [&](int type) { return here.count(type) > 0; });
      if (isHere) particles += static_cast<double>(other.count);
    }
    if (particles <= static_cast<double>(sites * model.capacity)) continue;
    initial.items()[i].reject(fmt::format(
        "{:.16g} particles do not fit into the {} sites of {} that hold {} each; make the "
        "capacity larger or the particles fewer",
        particles, sites, typesOf(model, types), model.capacity));
  }
}

/// What particles add to the density of each site type, as densitiesIn() has it.
std::vector<double> densitiesOf(const Model& model, const Initial& initial) {
  const auto fates = fatesOf(model, initial.species);
  // Those that are put into few sites are dense there at first.
  std::int64_t first = 0;
  for (const int type : initial.siteTypes) first += model.sitesOf[static_cast<std::size_t>(type)];
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> fewest(model.siteTypes.size(), none);
  for (const int type : initial.siteTypes) fewest[static_cast<std::size_t>(type)] = first;
  for (int species = 0; species < static_cast<int>(fates.size()); ++species) {
    if (!fates[static_cast<std::size_t>(species)]) continue;
    const std::int64_t sites = sitesFor(model, species);
    for (std::size_t type = 1; type < fewest.size(); ++type)
      if (model.mayBe(species, static_cast<int>(type)))
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

/// Where no capacity is enough: names what adds most to the type with most sites that pass it.
[[noreturn]] void rejectCrowd(const mass::ConfigNode& initial, const Model& model,
                              const std::vector<double>& densities) {
  int type = 1;
  double most = 0;
  for (std::size_t i = 1; i < densities.size(); ++i) {
    const double sites =
        static_cast<double>(model.sitesOf[i]) * poissonTail(densities[i], mostParticles);
    if (sites > most) type = static_cast<int>(i);
    most = std::max(most, sites);
  }
  const auto adds = [&](const Initial& a, const Initial& b) {
    const auto at = static_cast<std::size_t>(type);
    return densitiesOf(model, a)[at] < densitiesOf(model, b)[at];
  };
  const auto crowd = std::max_element(model.initial.begin(), model.initial.end(), adds);
  const mass::ConfigNode& item = initial.items()[static_cast<std::size_t>(crowd - model.initial.begin())];
  const mass::ConfigNode* const count = item.find("count");
  (count != nullptr ? *count : item.at("concentration"))
      .reject(fmt::format("sites of '{}' have up to {:.4g} particles in the mean, and some of them "
                          "more than the {} that a site can hold: make these fewer, or the sites "
                          "more",
                          typeName(model, type), densities[static_cast<std::size_t>(type)],
                          mostParticles));
}

/// What happens where more particles gather than the capacity says, as they do in some sites.
std::string crowdWarning(const Model& model, const std::vector<double>& densities, double sites) {
  const int room = roomFor(model.capacity);
  auto text = fmt::format(
      "about {:.3g} sites a step have more particles than the capacity, {}, if they gather where "
      "they can and react as far as they can: there is room for {} in each, of which those beyond "
      "the first {} take more time",
      sites, model.capacity, room, model.species.size() < 16 ? 8 : 4);
  const double passing = overfullSites(model, densities, room);
  if (passing <= rare) return text + "; more than that end the run";
  return text +
         fmt::format("; about {:.3g} sites a step have more than that, which ends the run: {}",
                     passing,
                     room < mostParticles ? fmt::format("make the capacity {}", mostParticles)
                                          : "make the particles fewer, or the sites smaller");
}

/// What happens where reactions can go on making particles.
std::string growthWarning(const Model& model) {
  const int room = roomFor(model.capacity);
  return fmt::format(
      "reactions can go on making particles, from nothing or from fewer: the capacity, {}, is "
      "chosen for those at the start, and gives a site room for {}; where that is full such "
      "reactions do not happen, and if more come the run ends{}",
      model.capacity, room,
      room == mostParticles
          ? ""
          : fmt::format(": say 'capacity: {}' if they become so many", mostParticles));
}

/// The reaction that leaves most particles, if there is any.
const Channel* largestOf(const Model& model) {
  const Channel* largest = nullptr;
  for (const Channel& channel : model.channels) {
    if (!(channel.propensity > 0)) continue;
    if (largest == nullptr || channel.products.size() > largest->products.size())
      largest = &channel;
  }
  return largest;
}

void takeCapacity(const mass::ConfigNode& given, const Channel* largest,
                  const std::vector<double>& densities, Model& into) {
  const std::int64_t capacity = given.integer();
  if (capacity < 1 || capacity > mostParticles)
    given.reject(fmt::format("a site holds 1 to {} particles", mostParticles));
  into.capacity = static_cast<int>(capacity);
  if (largest != nullptr && static_cast<int>(largest->products.size()) > into.capacity)
    given.reject(fmt::format("{} leaves {} particles in one site: make the capacity that or more",
                             largest->text, largest->products.size()));
  if (const double sites = overfullSites(into, densities, into.capacity); sites > rare)
    into.warnings.push_back(given.where() + ": " + crowdWarning(into, densities, sites));
}

/// Where a species goes, apart for each group of site types that it does not leave.
std::vector<Links> waysOf(const Model& model, int species) {
  const std::size_t types = model.siteTypes.size();
  const auto goes = [&](std::size_t a, std::size_t b) {
    const int from = static_cast<int>(a), to = static_cast<int>(b);
    return model.hopOf(from, to, species) > 0 || model.hopOf(to, from, species) > 0;
  };
  std::vector<Links> ways;
  std::vector<bool> seen(types);
  for (std::size_t start = 1; start < types; ++start) {
    if (seen[start]) continue;
    Links links(types);
    std::vector<std::size_t> waiting{start};
    while (!waiting.empty()) {
      const std::size_t type = waiting.back();
      waiting.pop_back();
      seen[type] = true;
      for (std::size_t other = 1; other < types; ++other) {
        if (!goes(type, other)) continue;
        links.add(type, other);
        if (!seen[other]) waiting.push_back(other);
      }
    }
    if (links.reach(start)) ways.push_back(links);
  }
  return ways;
}

std::vector<std::string> namesIn(const Model& model, const Links& links) {
  std::vector<std::string> names;
  for (std::size_t type = 0; type < links.types(); ++type)
    if (links.reach(type)) names.push_back(fmt::format("'{}'", model.siteTypes[type]));
  return names;
}

}  // namespace

void checkPropensities(const mass::ConfigNode& model, const std::vector<ReadChannel>& channels,
                       Model& into) {
  const bool isAccepted = accepts(model, "pair-propensity");
  std::map<std::pair<int, std::vector<int>>, Reactants> sums;
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
  // What follows falls at least as fast as this geometric series.
  return std::min(1.0, first / (1 - mean / (next + 1)));
}

std::vector<double> densitiesIn(const Model& model, const std::vector<double>& yields) {
  std::vector<double> sums(model.siteTypes.size());
  for (const Initial& initial : model.initial) {
    const auto densities = densitiesOf(model, initial);
    const double each = yields.empty() ? 1 : yields[static_cast<std::size_t>(initial.species)];
    for (std::size_t type = 0; type < sums.size(); ++type) sums[type] += each * densities[type];
  }
  return sums;
}

void chooseCapacity(const mass::ConfigNode& model, Model& into) {
  const auto yields = yieldsOf(into);
  const auto densities = densitiesIn(into, yields.value_or(std::vector<double>{}));
  const Channel* const largest = largestOf(into);
  const mass::ConfigNode* const given = model.find("capacity");
  into.capacityGiven = given != nullptr;
  if (given != nullptr) {
    takeCapacity(*given, largest, densities, into);
  } else {
    into.capacity = leastCapacity;
    if (largest != nullptr)
      into.capacity = std::max(into.capacity, static_cast<int>(largest->products.size()));
    const auto passing = [&] { return overfullSites(into, densities, into.capacity); };
    while (into.capacity < mostParticles && passing() > rare) ++into.capacity;
    if (const double sites = passing(); sites > rare) {
      // What reactions make may be gone again by others; what is there at first is there.
      const auto atFirst = densitiesIn(into);
      if (overfullSites(into, atFirst, mostParticles) > rare)
        rejectCrowd(model.at("initial"), into, atFirst);
      into.warnings.push_back(crowdWarning(into, densities, sites));
    }
    if (!yields) into.warnings.push_back(growthWarning(into));
  }
  if (const mass::ConfigNode* const initial = model.find("initial")) requireRoom(*initial, into);
}

void checkReactionSites(Model& into) {
  for (const Channel& channel : into.channels) {
    if (into.sitesOf[static_cast<std::size_t>(channel.siteType)] > 0) continue;
    into.warnings.push_back(fmt::format("{} never happens in '{}': no site has that type",
                                        channel.text, typeName(into, channel.siteType)));
  }
}

void checkPieces(Model& into) {
  if (into.types.empty()) return;
  const Grid lattice{into.sites, into.spacing, into.periodic};
  std::map<Links, std::vector<std::string>> travellers;
  for (int species = 0; species < static_cast<int>(into.species.size()); ++species)
    for (const Links& links : waysOf(into, species))
      travellers[links].push_back(into.species[static_cast<std::size_t>(species)]);
  for (const auto& [links, names] : travellers) {
    const auto count = pieces(into.types, lattice, links, Neighbors::faces);
    if (count <= 1) continue;
    const auto around = pieces(into.types, lattice, links, Neighbors::all);
    const auto types = namesIn(into, links);
    into.warnings.push_back(fmt::format(
        "{} {} into {} pieces, face to face ({} by edges and corners), and {} can only move within "
        "one{}",
        listed(types), types.size() == 1 ? "falls" : "together fall", count, around, listed(names),
        around < count ? ": make the shell thicker, or by 26 neighbours" : ""));
  }
}

}  // namespace rdme

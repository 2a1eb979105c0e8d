#include <apps/rdme/model/model.hpp>
#include <apps/rdme/model/name_parsing.hpp>

#include <algorithm>
#include <string>

namespace rdme {
namespace {

constexpr double micro = 1e6;

std::string latticeLines(const Model& model) {
  const auto& [z, y, x] = model.sites;
  const auto border = [&](std::size_t axis) {
    return model.periodic[axis] ? "periodic" : "reflecting";
  };
  return fmt::format(
      "  lattice     {} x {} x {} sites along x, y, z of {:.6g} nm: {:.4g} x {:.4g} x {:.4g} um; "
      "borders {}, {}, {}\n",
      x, y, z, model.spacing * 1e9, static_cast<double>(x) * model.spacing * micro,
      static_cast<double>(y) * model.spacing * micro,
      static_cast<double>(z) * model.spacing * micro, border(2), border(1), border(0));
}

std::string clockLines(const Model& model) {
  if (model.clock == Clock::events)
    return fmt::format(
        "  clock       events: each hop and reaction at its own time; a step of the run is {:.6g} "
        "ms\n",
        model.timeStep * 1e3);
  return fmt::format(
      "  step        {:.6g} us; {}\n"
      "  capacity    {} particles in a site, {}\n",
      model.timeStep * micro,
      model.atMostOneEvent ? "at most one reaction in a site and step (as in Lattice Microbes)"
                           : "any number of reactions in a site and step (Gillespie)",
      model.capacity, model.capacityGiven ? "given" : "chosen for the expected density");
}

std::string typeLines(const Model& model) {
  std::string text = "  site types\n";
  for (std::size_t type = 0; type < model.siteTypes.size(); ++type) {
    const auto sites = model.siteCounts[type];
    text += fmt::format("    {:<12} {:>10} sites, {:.6g} um3", model.siteTypes[type], sites,
                        static_cast<double>(sites) * model.siteVolume() * 1e18);
    if (model.areas[type] > 0)
      text += fmt::format(", surface {:.6g} um2", model.areas[type] * 1e12);
    text += '\n';
  }
  return text;
}

std::string geometryLines(const Model& model) {
  std::string text;
  for (const std::string& body : model.bodies)
    text += (text.empty() ? "  geometry\n    " : "    ") + body + '\n';
  return text;
}

/// Returns a line for each species: its diffusion coefficient and q in each site type, and between
/// two types if the coefficient is not the smaller of theirs.
std::string speciesLines(const Model& model) {
  std::string text = model.clock == Clock::events
                         ? "  species (D in um2/s -> rate of a hop to one side in 1/s)\n"
                         : "  species (D in um2/s -> probability q of a step to one side)\n";
  const int types = static_cast<int>(model.siteTypes.size());
  for (int species = 0; species < static_cast<int>(model.species.size()); ++species) {
    const auto diffusion = [&](int from, int to) {
      return model.diffusion[model.transitionIndex(from, to, species)];
    };
    std::vector<std::string> parts;
    for (int from = 1; from < types; ++from) {
      for (int to = 1; to < types; ++to) {
        const double slower = std::min(diffusion(from, from), diffusion(to, to));
        if (from == to ? !model.isAllowed(species, from) : diffusion(from, to) == slower) continue;
        const auto where = from == to ? model.siteTypes[static_cast<std::size_t>(from)]
                                      : model.siteTypes[static_cast<std::size_t>(from)] + " to " +
                                            model.siteTypes[static_cast<std::size_t>(to)];
        parts.push_back(fmt::format("{} {:.4g} -> {:.4g}", where, diffusion(from, to) * 1e12,
                                    model.hopProbability(from, to, species)));
      }
    }
    text += fmt::format("    {:<12} {}\n", model.species[static_cast<std::size_t>(species)],
                        joinNames(parts));
  }
  return text;
}

std::string reactionLines(const Model& model) {
  if (model.channels.empty()) return "  reactions   none\n";
  std::string text =
      fmt::format("  reactions (rate -> propensity {}, of each particle, pair or site)\n",
                  model.clock == Clock::events ? "in 1/s" : "a step");
  for (const Channel& channel : model.channels) {
    constexpr std::array<std::string_view, 3> each{"site", "particle", "pair"};
    text += fmt::format("    {:<32} in {:<12} {:>14} -> {:.6g} a {}\n", channel.text,
                        model.siteTypes[static_cast<std::size_t>(channel.siteType)], channel.rate,
                        channel.propensity, each[channel.reactants.size()]);
  }
  return text;
}

std::string initialLines(const Model& model) {
  if (model.initial.empty()) return "  initial     no particles\n";
  std::string text = "  initial\n";
  for (const InitialParticles& initial : model.initial) {
    std::vector<std::string> types;
    for (const int type : initial.siteTypes)
      types.push_back(model.siteTypes[static_cast<std::size_t>(type)]);
    text += fmt::format("    {:<12} {:>10} in {}{}\n",
                        model.species[static_cast<std::size_t>(initial.species)], initial.count,
                        joinNames(types), initial.isEven ? ", the same number in each site" : "");
  }
  return text;
}

std::string stimulusLines(const Model& model) {
  std::string text;
  for (const Stimulus& stimulus : model.stimuli)
    text += fmt::format("    {:<12} {:>10} in {} sites at {:.6g} ms\n",
                        model.species[static_cast<std::size_t>(stimulus.species)], stimulus.count,
                        stimulus.sites.size(),
                        static_cast<double>(stimulus.step) * model.timeStep * 1e3);
  return text.empty() ? text : "  stimulus\n" + text;
}

}  // namespace

std::string Model::report() const {
  std::string text = fmt::format("{}\n", name);
  text += latticeLines(*this) + clockLines(*this) + typeLines(*this) + geometryLines(*this) +
          speciesLines(*this) + reactionLines(*this) + initialLines(*this) + stimulusLines(*this);
  for (const std::string& warning : warnings) text += fmt::format("  WARNING: {}\n", warning);
  return text;
}

}  // namespace rdme

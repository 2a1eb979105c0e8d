#include <apps/rdme/lattice/rate_tables.hpp>

#include <apps/rdme/model/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdme {
namespace {

/// Returns the reaction group of a channel, relative to the first group of its site type.
int groupOf(const NetworkIndex& index, const Channel& channel) {
  const auto element = [&](std::size_t i) {
    return static_cast<std::uint32_t>(channel.reactants[i]) + 1;
  };
  if (channel.reactants.empty()) return 0;
  if (channel.reactants.size() == 1) return index.firstOrder(element(0));
  return index.secondOrder(std::min(element(0), element(1)), std::max(element(0), element(1)));
}

Outcome outcomeOf(const Channel& channel) {
  Outcome outcome;
  if (channel.products.size() > Outcome::maxProducts) {
    throw mass::InputError("a reaction has at most {} products: {}", Outcome::maxProducts,
                           channel.text);
  }
  for (const int product : channel.products) {
    outcome.products[outcome.count++] = static_cast<std::uint8_t>(product + 1);
  }
  return outcome;
}

}  // namespace

RateTables::RateTables(const Model& model) {
  const std::size_t species = model.species.size(), types = model.siteTypes.size();
  index.species = static_cast<std::int32_t>(species);
  index.siteTypes = static_cast<std::int32_t>(types);
  index.isUniform =
      model.types.empty() && model.periodic[0] && model.periodic[1] && model.periodic[2];
  index.atMostOneEvent = model.atMostOneEvent;
  for (const double hop : model.hop) {
    hops.push_back(static_cast<std::uint32_t>(std::llround(hop * 0x1p32)));
  }
  maxHops.resize(types * species);
  for (std::size_t i = 0; i < hops.size(); ++i) {
    std::uint32_t& most = maxHops[i / (types * species) * species + i % species];
    most = std::max(most, hops[i]);
  }
  groups.resize(static_cast<std::size_t>(index.firstGroup(index.siteTypes)));
  std::vector<const Channel*> channels;
  for (const Channel& channel : model.channels) channels.push_back(&channel);
  const auto numberOf = [&](const Channel& channel) {
    return index.firstGroup(channel.siteType) + groupOf(index, channel);
  };
  std::stable_sort(channels.begin(), channels.end(),
                   [&](const Channel* a, const Channel* b) { return numberOf(*a) < numberOf(*b); });
  for (const Channel* const channel : channels) {
    ReactionGroup& group = groups[static_cast<std::size_t>(numberOf(*channel))];
    if (group.end == 0) group.begin = static_cast<std::int32_t>(outcomes.size());
    Outcome outcome = outcomeOf(*channel);
    outcome.cumulative = group.propensity += channel->propensity;
    outcomes.push_back(outcome);
    group.end = static_cast<std::int32_t>(outcomes.size());
    index.hasSources |= channel->reactants.empty();
  }
  for (const ReactionGroup& group : groups) {
    constexpr double slack = 1 + 1e-4;  // far above the rounding errors of the sums
    bounds.push_back(static_cast<float>(group.propensity * slack));
  }
}

}  // namespace rdme

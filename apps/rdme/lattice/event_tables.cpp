#include <apps/rdme/lattice/event_tables.hpp>

#include <apps/rdme/model/model.hpp>

#include <cstddef>

namespace rdme {
namespace {

EventReaction reactionOf(const Channel& channel) {
  EventReaction reaction;
  reaction.rate = channel.propensity;
  const auto& reactants = channel.reactants;
  if (!reactants.empty()) reaction.first = static_cast<std::int16_t>(reactants[0]);
  if (reactants.size() > 1) {
    reaction.second = static_cast<std::int16_t>(reactants[1]);
    reaction.alike = reactants[0] == reactants[1] ? 1 : 0;
    if (reaction.alike != 0) reaction.rate /= 2;  // a pair in both orders
  }
  for (const int product : channel.products)
    reaction.product[reaction.products++] = static_cast<std::uint8_t>(product);
  return reaction;
}

}  // namespace

EventTables::EventTables(const Model& model) {
  for (int type = 0; type < static_cast<int>(model.siteTypes.size()); ++type) {
    firstOfType.push_back(static_cast<std::int32_t>(reactions.size()));
    sources.push_back(0);
    for (const Channel& channel : model.channels) {
      if (channel.siteType != type) continue;
      reactions.push_back(reactionOf(channel));
      if (channel.reactants.empty()) sources.back() += channel.propensity;
    }
  }
  firstOfType.push_back(static_cast<std::int32_t>(reactions.size()));
}

}  // namespace rdme

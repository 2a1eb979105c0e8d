#include <mass/memory/agent_fields.hpp>

#include <algorithm>
#include <utility>

namespace mass {
namespace {

Bins binsOf(const PlaceFields& places, int device, int reach) {
  const Layout& layout = places.layout(device);
  const Domain& domain = places.domain();
  return {.rows = layout.rows,
          .depth = reach,
          .firstRow = places.partition().range(device).begin,
          .lines = layout.lines,
          .columns = layout.columns,
          .linesWrap = domain.dimensions == 3 && domain.borders[1] == Border::periodic,
          .columnsWrap =
              domain.dimensions > 1 &&
              domain.borders[static_cast<std::size_t>(domain.dimensions - 1)] == Border::periodic};
}

template <class... Arrays>
void growAll(std::int64_t count, std::int64_t kept, Arrays&... arrays) {
  (arrays.grow(count, kept), ...);
}

}  // namespace

AgentBand::AgentBand(Device& device, const AgentTraits& traits, const Bins& theBins)
    : bins(theBins),
      ids(device),
      nextIds(device),
      bin(device),
      nextBin(device),
      first(device),
      targets(device),
      birthplaces(device),
      births(device),
      offspring_(traits.offspring) {
  for (const Component& component : traits.components) {
    elementSizes_.push_back(component.elementSize);
    front.emplace_back(device);
    back.emplace_back(device);
    children.emplace_back(device);
  }
  first.grow(bins.size() + 1, 0);
  std::fill_n(first.data(), bins.size() + 1, 0);
}

void AgentBand::grow(std::int64_t agents) {
  if (agents <= ids.room()) return;
  // By half as much again, so that agents that become more and more are seldom copied.
  const std::int64_t room = std::max(agents, ids.room() + ids.room() / 2);
  const std::int64_t kept = own + ghosts;
  growAll(room, kept, nextIds, bin, nextBin, targets, births);
  birthplaces.grow(room * offspring_, kept * offspring_);
  for (std::size_t k = 0; k < front.size(); ++k) {
    const auto size = static_cast<std::int64_t>(elementSizes_[k]);
    growAll(room * size, kept * size, front[k], back[k]);
    children[k].grow(room * offspring_ * size, kept * offspring_ * size);
  }
  ids.grow(room, kept);  // last: it says how much room there is in all
}

std::size_t AgentBand::bytes() const {
  std::size_t total = ids.bytes() + nextIds.bytes() + bin.bytes() + nextBin.bytes() +
                      first.bytes() + targets.bytes() + births.bytes() + birthplaces.bytes();
  for (const auto* components : {&front, &back, &children}) {
    for (const auto& component : *components) total += component.bytes();
  }
  return total;
}

AgentFields::AgentFields(const PlaceFields& places, AgentTraits traits)
    : places_(&places), traits_(std::move(traits)) {
  // Beyond a border that does not go round there are no agents.
  const Border border =
      places.domain().borders[0] == Border::periodic ? Border::periodic : Border::fixed;
  ghostPlan_ = planGhosts(places.partition(), traits_.reach, border);
  for (int device = 0; device < places.devices().size(); ++device) {
    bands_.emplace_back(places.devices().device(device), traits_,
                        binsOf(places, device, traits_.reach));
  }
}

std::int64_t AgentFields::alive() const {
  std::int64_t total = 0;
  for (const AgentBand& band : bands_) total += band.own;
  return total;
}

std::size_t AgentFields::bytes() const {
  std::size_t total = 0;
  for (const AgentBand& band : bands_) total += band.bytes();
  return total;
}

}  // namespace mass

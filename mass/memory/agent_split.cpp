#include <mass/memory/agent_fields.hpp>
#include <mass/memory/agent_io.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

// How agents come to the devices that their places come to.

namespace mass {
namespace {

/// Rows that a device has and another (or the same) will have, with their agents.
struct Stretch {
  const AgentBand* from = nullptr;
  AgentBand* to = nullptr;
  std::int64_t fromBin = 0, toBin = 0, bins = 0;
  std::int64_t fromAgent = 0, toAgent = 0, agents = 0;
};

/// Copies what there is for each agent, `each` elements of it, from one device to another.
template <class T>
void move(const Stretch& stretch, GrowingArray<T>& to, const GrowingArray<T>& from,
          std::int64_t each = 1) {
  to.take(stretch.toAgent * each, from, stretch.fromAgent * each, stretch.agents * each);
}

void moveAgents(const Stretch& stretch, const AgentTraits& traits, bool haveIntents) {
  const AgentBand& from = *stretch.from;
  AgentBand& to = *stretch.to;
  move(stretch, to.ids, from.ids);
  if (haveIntents) {
    move(stretch, to.targets, from.targets);
    move(stretch, to.births, from.births);
    move(stretch, to.birthplaces, from.birthplaces, traits.offspring);
  }
  for (std::size_t k = 0; k < to.front.size(); ++k) {
    const auto size = static_cast<std::int64_t>(traits.components[k].elementSize);
    move(stretch, to.front[k], from.front[k], size);
    if (haveIntents) move(stretch, to.children[k], from.children[k], size * traits.offspring);
  }
  // Bins have other numbers there.
  std::vector<std::int32_t> bins(static_cast<std::size_t>(stretch.agents));
  from.bin.read(bins.data(), stretch.agents, stretch.fromAgent);
  for (std::int32_t& bin : bins) {
    bin += static_cast<std::int32_t>(stretch.toBin - stretch.fromBin);
  }
  to.bin.write(bins.data(), stretch.agents, stretch.toAgent);
}

/// Copies where the agents of bins begin to the host.
void readFirst(const Stretch& stretch, std::vector<std::int32_t>& first) {
  std::int32_t* const to = first.data() + stretch.toBin;
  stretch.from->first.read(to, stretch.bins, stretch.fromBin);
  for (std::int64_t i = 0; i < stretch.bins; ++i) {
    to[i] += static_cast<std::int32_t>(stretch.toAgent - stretch.fromAgent);
  }
}

}  // namespace

AgentSplit AgentFields::splitFor(const RowPartition& partition) const {
  AgentSplit split = emptySplit(partition);
  const RowPartition& former = places_->partition();
  const std::vector<std::int64_t> before = agentsBeforeRows(*this);
  const auto agentsBefore = [&](std::int64_t row) { return before[static_cast<std::size_t>(row)]; };
  for (int device = 0; device < devices(); ++device) {
    AgentBand& band = split.bands[static_cast<std::size_t>(device)];
    const RowRange rows = partition.range(device);
    const std::int64_t count = agentsBefore(rows.end) - agentsBefore(rows.begin);
    band.grow(roomFor(band.bins, count));
    band.own = count;
    // After its own bins those of ghosts, which have no agents yet.
    std::vector<std::int32_t> first(static_cast<std::size_t>(band.bins.size()) + 1,
                                    static_cast<std::int32_t>(band.own));
    for (int other = 0; other < devices(); ++other) {
      const RowRange theirs = former.range(other);
      const RowRange both{std::max(rows.begin, theirs.begin), std::min(rows.end, theirs.end)};
      if (both.size() <= 0) continue;
      const std::int64_t row = band.bins.rowSize();
      const Stretch stretch{.from = &this->band(other),
                            .to = &band,
                            .fromBin = (both.begin - theirs.begin) * row,
                            .toBin = (both.begin - rows.begin) * row,
                            .bins = both.size() * row,
                            .fromAgent = agentsBefore(both.begin) - agentsBefore(theirs.begin),
                            .toAgent = agentsBefore(both.begin) - agentsBefore(rows.begin),
                            .agents = agentsBefore(both.end) - agentsBefore(both.begin)};
      moveAgents(stretch, traits_, hasIntents);
      readFirst(stretch, first);
    }
    band.first.write(first.data(), static_cast<std::int64_t>(first.size()));
    for (std::size_t i = 0; i < band.edges.size(); ++i) {
      band.edges[i] = first[static_cast<std::size_t>(band.edgeBins[i])];
    }
  }
  return split;
}

void AgentFields::adopt(AgentSplit split) noexcept {
  split_ = std::move(split);
  ghostsStale = true;
}

}  // namespace mass

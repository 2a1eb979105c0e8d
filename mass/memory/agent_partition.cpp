#include <mass/memory/agent_fields.hpp>
#include <mass/memory/agent_io.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

// Copies of agents for another partition of their places.

namespace mass::detail {
namespace {

/// Transfer of the agents of consecutive rows from their owner in the old partition to their owner
/// in the new one, which may be the same. Counts and indices are local to each band.
struct AgentTransfer {
  const AgentBand* from = nullptr;
  AgentBand* to = nullptr;
  std::int64_t fromBin = 0, toBin = 0, bins = 0;
  std::int64_t fromAgent = 0, toAgent = 0, agents = 0;
};

/// Copies the elements of an array for the agents of a transfer. @param each elements of an agent
template <class T>
void copyElements(const AgentTransfer& transfer, DeviceVector<T>& to, const DeviceVector<T>& from,
                  std::int64_t each = 1) {
  to.copyFrom(transfer.toAgent * each, from, transfer.fromAgent * each, transfer.agents * each);
}

/// Copies the agents of a transfer; their requests, too, if they have any.
void copyAgents(const AgentTransfer& transfer, const AgentTraits& traits, bool haveIntents) {
  const AgentBand& from = *transfer.from;
  AgentBand& to = *transfer.to;
  copyElements(transfer, to.ids, from.ids);
  if (haveIntents) {
    copyElements(transfer, to.targets, from.targets);
    copyElements(transfer, to.births, from.births);
    copyElements(transfer, to.birthplaces, from.birthplaces, traits.offspring);
  }
  for (std::size_t k = 0; k < to.front.size(); ++k) {
    const auto size = static_cast<std::int64_t>(traits.components[k].elementSize);
    copyElements(transfer, to.front[k], from.front[k], size);
    if (haveIntents)
      copyElements(transfer, to.children[k], from.children[k], size * traits.offspring);
  }
  // The bins have other numbers in the new band.
  std::vector<std::int32_t> bins(static_cast<std::size_t>(transfer.agents));
  from.bin.read(bins.data(), transfer.agents, transfer.fromAgent);
  for (std::int32_t& bin : bins) {
    bin += static_cast<std::int32_t>(transfer.toBin - transfer.fromBin);
  }
  to.bin.write(bins.data(), transfer.agents, transfer.toAgent);
}

/// Reads AgentBand::first for the bins of a transfer, converted to the new band.
void readFirst(const AgentTransfer& transfer, std::vector<std::int32_t>& first) {
  std::int32_t* const to = first.data() + transfer.toBin;
  transfer.from->first.read(to, transfer.bins, transfer.fromBin);
  for (std::int64_t i = 0; i < transfer.bins; ++i) {
    to[i] += static_cast<std::int32_t>(transfer.toAgent - transfer.fromAgent);
  }
}

}  // namespace

AgentPartition AgentFields::partitionFor(const RowPartition& partition) const {
  AgentPartition agents = emptyPartition(partition);
  const RowPartition& former = places_->partition();
  const std::vector<std::int64_t> before = agentsBeforeRows(*this);
  const auto agentsBefore = [&](std::int64_t row) { return before[static_cast<std::size_t>(row)]; };
  for (int device = 0; device < devices(); ++device) {
    AgentBand& band = agents.bands[static_cast<std::size_t>(device)];
    const RowRange rows = partition.range(device);
    const std::int64_t count = agentsBefore(rows.end) - agentsBefore(rows.begin);
    band.reserve(expectedCapacity(band.bins, count));
    band.own = count;
    // The bins of ghost rows follow the own bins and have no agents yet.
    std::vector<std::int32_t> first(static_cast<std::size_t>(band.bins.size()) + 1,
                                    static_cast<std::int32_t>(band.own));
    for (int other = 0; other < devices(); ++other) {
      const RowRange theirs = former.range(other);
      const RowRange both{std::max(rows.begin, theirs.begin), std::min(rows.end, theirs.end)};
      if (both.size() <= 0) continue;
      const std::int64_t row = band.bins.rowSize();
      const AgentTransfer transfer{
          .from = &this->band(other),
          .to = &band,
          .fromBin = (both.begin - theirs.begin) * row,
          .toBin = (both.begin - rows.begin) * row,
          .bins = both.size() * row,
          .fromAgent = agentsBefore(both.begin) - agentsBefore(theirs.begin),
          .toAgent = agentsBefore(both.begin) - agentsBefore(rows.begin),
          .agents = agentsBefore(both.end) - agentsBefore(both.begin)};
      copyAgents(transfer, traits_, hasIntents);
      readFirst(transfer, first);
    }
    band.first.write(first.data(), static_cast<std::int64_t>(first.size()));
    for (std::size_t i = 0; i < band.edges.size(); ++i) {
      band.edges[i] = first[static_cast<std::size_t>(band.edgeBins[i])];
    }
  }
  return agents;
}

void AgentFields::replaceWith(AgentPartition partition) noexcept {
  partition_ = std::move(partition);
  ghostsStale = true;
}

}  // namespace mass::detail

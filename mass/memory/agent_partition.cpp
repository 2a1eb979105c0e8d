#include <mass/backend/copy.hpp>
#include <mass/backend/on_all_ranks.hpp>
#include <mass/memory/agent_fetch.hpp>
#include <mass/memory/agent_fields.hpp>
#include <mass/memory/agent_io.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

// Copies of agents for another partition of their places.

namespace mass::detail {
namespace {

/// Transfer of the agents of consecutive rows from their owner in the old partition to their owner
/// in the new one, which may be the same. Bins and agents are numbered by their bands.
struct AgentTransfer {
  int fromDevice = 0, toDevice = 0;
  std::int64_t fromBin = 0, toBin = 0, bins = 0;
  std::int64_t fromAgent = 0, toAgent = 0, agents = 0;
};

/// Returns the number of agents on rows [begin, end).
/// @param agentsBefore by row: number of agents on the rows before; see agentsBeforeRows()
std::int64_t agentsOn(std::span<const std::int64_t> agentsBefore, std::int64_t begin,
                      std::int64_t end) {
  return agentsBefore[static_cast<std::size_t>(end)] -
         agentsBefore[static_cast<std::size_t>(begin)];
}

/// Returns the transfers to all devices of partition `to`.
/// @param agentsBefore by row: number of agents on the rows before
/// @param rowSize bins of a row
std::vector<AgentTransfer> agentTransfers(const RowPartition& from, const RowPartition& to,
                                          std::span<const std::int64_t> agentsBefore,
                                          std::int64_t rowSize) {
  std::vector<AgentTransfer> transfers;
  for (int toDevice = 0; toDevice < to.devices(); ++toDevice) {
    const RowRange rows = to.range(toDevice);
    for (int fromDevice = 0; fromDevice < from.devices(); ++fromDevice) {
      const RowRange theirs = from.range(fromDevice);
      const RowRange both{std::max(rows.begin, theirs.begin), std::min(rows.end, theirs.end)};
      if (both.size() <= 0) continue;
      transfers.push_back({.fromDevice = fromDevice,
                           .toDevice = toDevice,
                           .fromBin = (both.begin - theirs.begin) * rowSize,
                           .toBin = (both.begin - rows.begin) * rowSize,
                           .bins = both.size() * rowSize,
                           .fromAgent = agentsOn(agentsBefore, theirs.begin, both.begin),
                           .toAgent = agentsOn(agentsBefore, rows.begin, both.begin),
                           .agents = agentsOn(agentsBefore, both.begin, both.end)});
    }
  }
  return transfers;
}

/// Returns the copies of a transfer: of the first agents of its bins, and of its agents; of their
/// requests, too, if they have any.
std::vector<Fetch> fetchesOf(const AgentTransfer& transfer, const AgentTraits& traits,
                             bool haveIntents) {
  std::vector<Fetch> fetches;
  append(fetches, {.fromDevice = transfer.fromDevice,
                   .toDevice = transfer.toDevice,
                   .from = {AgentArray::first, transfer.fromBin},
                   .to = {AgentArray::first, transfer.toBin},
                   .count = transfer.bins});
  const auto fetchOf = [&](AgentArray array) {
    return Fetch{.fromDevice = transfer.fromDevice,
                 .toDevice = transfer.toDevice,
                 .from = {array, transfer.fromAgent},
                 .to = {array, transfer.toAgent},
                 .count = transfer.agents};
  };
  const auto components = static_cast<int>(traits.components.size());
  append(fetches, fetchOf(AgentArray::ids));
  appendComponents(fetches, fetchOf(AgentArray::front), components);
  if (!haveIntents) return fetches;
  append(fetches, fetchOf(AgentArray::targets));
  append(fetches, fetchOf(AgentArray::births));
  if (traits.offspring == 0) return fetches;
  append(fetches, fetchOf(AgentArray::birthplaces));
  appendComponents(fetches, fetchOf(AgentArray::children), components);
  return fetches;
}

/// Sets the number of agents of a band, and its edges.
/// @param agentsBefore by row: number of agents on the rows before
void setCounts(BandSummary& band, std::span<const std::int64_t> agentsBefore) {
  const std::int64_t begin = band.bins.firstRow;
  band.own = agentsOn(agentsBefore, begin, begin + band.bins.rows);
  for (std::size_t i = 0; i < band.edges.size(); ++i) {
    const std::int64_t row = band.edgeBins[i] / band.bins.rowSize();
    band.edges[i] = agentsOn(agentsBefore, begin, begin + row);
  }
}

/// Converts the first agents of bins, as copied from other bands, to the numbers of `band`, and
/// sets the bins of its agents.
void renumber(AgentBand& band, int device, std::span<const AgentTransfer> transfers) {
  // The bins of ghost rows follow the own bins and have no agents yet.
  std::vector<std::int32_t> first(static_cast<std::size_t>(band.bins.size()) + 1,
                                  static_cast<std::int32_t>(band.own));
  band.first.read(first.data(), band.bins.own());
  for (const AgentTransfer& transfer : transfers) {
    if (transfer.toDevice != device) continue;
    const auto bins = std::span(first).subspan(static_cast<std::size_t>(transfer.toBin),
                                               static_cast<std::size_t>(transfer.bins));
    const auto shift = static_cast<std::int32_t>(transfer.toAgent - transfer.fromAgent);
    for (std::int32_t& agent : bins) agent += shift;
  }
  band.first.write(first.data(), static_cast<std::int64_t>(first.size()));
  std::vector<std::int32_t> binOf(static_cast<std::size_t>(band.own));
  for (std::int64_t bin = 0; bin < band.bins.own(); ++bin) {
    const auto* const begin = first.data() + bin;
    std::fill(binOf.begin() + begin[0], binOf.begin() + begin[1], static_cast<std::int32_t>(bin));
  }
  band.bin.write(binOf.data(), band.own);
}

}  // namespace

AgentPartition AgentFields::partitionFor(const RowPartition& partition) const {
  AgentPartition agents = emptyPartition(partition);
  const std::vector<std::int64_t> agentsBefore = agentsBeforeRows(*this);
  const std::vector<AgentTransfer> transfers =
      agentTransfers(places_->partition(), partition, agentsBefore, summary(0).bins.rowSize());
  const DeviceConfig& devices = places_->devices();
  onAllRanks(devices.ranks(), [&] {
    for (const int device : devices.local()) {
      AgentBand& band = agents.bands[static_cast<std::size_t>(device)];
      const std::int64_t begin = band.bins.firstRow;
      const std::int64_t count = agentsOn(agentsBefore, begin, begin + band.bins.rows);
      band.reserve(expectedCapacity(band.bins, count));
    }
  });
  // After reserve(), which would copy that many agents.
  for (AgentBand& band : agents.bands) setCounts(band, agentsBefore);
  RankFetches fetches(devices, traits_);
  for (const AgentTransfer& transfer : transfers) {
    for (const Fetch& fetch : fetchesOf(transfer, traits_, hasIntents)) {
      const AgentBand& from = band(fetch.fromDevice);
      const AgentBand& to = agents.bands[static_cast<std::size_t>(fetch.toDevice)];
      if (devices.isLocal(fetch.fromDevice) && devices.isLocal(fetch.toDevice)) {
        const FetchAddresses copy = addressesOf(fetch, traits_, from, to);
        copyBytes(devices.device(fetch.fromDevice), copy.from, devices.device(fetch.toDevice),
                  copy.to, copy.bytes);
      } else {
        fetches.add(fetch, from, to);
      }
    }
  }
  fetches.run();
  for (const int device : devices.local()) {
    renumber(agents.bands[static_cast<std::size_t>(device)], device, transfers);
  }
  return agents;
}

void AgentFields::replaceWith(AgentPartition partition) noexcept {
  partition_ = std::move(partition);
  markMoved();
}

}  // namespace mass::detail

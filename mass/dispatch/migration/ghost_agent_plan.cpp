#include <mass/dispatch/migration/ghost_agent_plan.hpp>

namespace mass::detail::migration {
namespace {

/// Returns a transfer. @param toAgent number of its first ghost
GhostTransfer transferOf(const AgentGhosts& ghosts, const BandSummary& from, const BandSummary& to,
                         std::int64_t toAgent) {
  const GhostCopy& rows = ghosts.rows;
  const std::int64_t begin = from.edges[ghosts.edge];
  return {.fromDevice = rows.fromDevice,
          .fromAgent = begin,
          .toAgent = toAgent,
          .agents = from.edges[ghosts.edge + 1] - begin,
          .fromBin = from.bins.ofRow(rows.fromRow - from.bins.firstRow),
          .toBin = to.bins.ofRow(rows.toRow - to.bins.firstRow),
          .bins = rows.count * to.bins.rowSize()};
}

}  // namespace

std::vector<GhostTransfer> ghostTransfers(const AgentFields& agents, int device) {
  const BandSummary& to = agents.summary(device);
  std::vector<GhostTransfer> transfers;
  std::int64_t toAgent = to.own;
  for (const AgentGhosts& ghosts : agents.ghostsOf(device)) {
    transfers.push_back(transferOf(ghosts, agents.summary(ghosts.rows.fromDevice), to, toAgent));
    toAgent += transfers.back().agents;
  }
  return transfers;
}

std::int64_t ghostCount(const AgentFields& agents, int device) {
  std::int64_t count = 0;
  for (const GhostTransfer& transfer : ghostTransfers(agents, device)) count += transfer.agents;
  return count;
}

std::vector<Fetch> ghostFetches(const AgentFields& agents, int device) {
  std::vector<Fetch> fetches;
  for (const GhostTransfer& transfer : ghostTransfers(agents, device)) {
    append(fetches, {.fromDevice = transfer.fromDevice,
                     .toDevice = device,
                     .from = {AgentArray::first, transfer.fromBin + 1},
                     .to = {AgentArray::nextFirst, transfer.toBin + 1},
                     .count = transfer.bins});
    const auto fetchOf = [&](AgentArray array) {
      return Fetch{.fromDevice = transfer.fromDevice,
                   .toDevice = device,
                   .from = {array, transfer.fromAgent},
                   .to = {array, transfer.toAgent},
                   .count = transfer.agents};
    };
    append(fetches, fetchOf(AgentArray::ids));
    appendComponents(fetches, fetchOf(AgentArray::front),
                     static_cast<int>(agents.traits().components.size()));
  }
  return fetches;
}

}  // namespace mass::detail::migration

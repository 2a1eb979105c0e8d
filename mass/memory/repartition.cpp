#include <mass/memory/repartition.hpp>

#include <mass/backend/on_all_ranks.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace mass::detail {

void repartition(PlaceFields& places, std::span<AgentFields* const> residents,
                 const RowPartition& partition) {
  if (partition == places.partition()) return;
  onAllRanks(places.devices().ranks(), [&] { places.requireMemoryFor(partition); });
  std::vector<AgentPartition> agentPartitions;
  for (const AgentFields* const agents : residents)
    agentPartitions.push_back(agents->partitionFor(partition));
  places.repartition(partition);
  for (std::size_t i = 0; i < residents.size(); ++i)
    residents[i]->replaceWith(std::move(agentPartitions[i]));
}

}  // namespace mass::detail

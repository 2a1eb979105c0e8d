#include <mass/memory/repartition.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace mass {

void repartition(PlaceFields& places, std::span<AgentFields* const> residents,
                 const RowPartition& partition) {
  if (partition == places.partition()) return;
  places.requireRoomFor(partition);
  std::vector<AgentSplit> splits;
  for (const AgentFields* const agents : residents) splits.push_back(agents->splitFor(partition));
  places.repartition(partition);
  for (std::size_t i = 0; i < residents.size(); ++i) residents[i]->adopt(std::move(splits[i]));
}

}  // namespace mass

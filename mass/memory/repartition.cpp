#include <mass/memory/repartition.hpp>

#include <mass/backend/on_all_ranks.hpp>

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Returns the partition of rows of which each unit has as many.
RowPartition ofUnits(const RowPartition& units, std::int64_t rows) {
  std::vector<std::int64_t> bands = units.bands();
  for (std::int64_t& band : bands) band *= rows / units.rows();
  return RowPartition::withIdle(bands);
}

}  // namespace

void repartition(PlaceFields& places, std::span<AgentFields* const> residents,
                 const RowPartition& partition) {
  if (partition == places.partition()) return;
  onAllRanks(places.devices().ranks(),
             [&] { places.requireMemoryFor(places.withRows(partition)); });
  std::vector<AgentPartition> agentPartitions;
  for (const AgentFields* const agents : residents)
    agentPartitions.push_back(agents->partitionFor(partition));
  places.repartition(partition);
  for (std::size_t i = 0; i < residents.size(); ++i)
    residents[i]->replaceWith(std::move(agentPartitions[i]));
}

std::int64_t unitsOf(std::span<const CutPlaces> together) {
  std::int64_t units = 0;
  for (const CutPlaces& each : together) units = std::gcd(units, each.places->partition().rows());
  return units;
}

std::optional<RowPartition> partitionInUnits(const PlaceFields& places, std::int64_t units) {
  const std::int64_t rowsOfUnit = places.partition().rows() / units;
  std::vector<std::int64_t> bands = places.partition().bands();
  for (std::int64_t& band : bands) {
    if (band % rowsOfUnit != 0) return std::nullopt;
    band /= rowsOfUnit;
  }
  return RowPartition::withIdle(bands);
}

void repartition(std::span<const CutPlaces> together, const RowPartition& units) {
  std::vector<RowPartition> before;
  try {
    for (const auto& [places, residents] : together) {
      before.push_back(places->partition());
      repartition(*places, residents, ofUnits(units, places->partition().rows()));
    }
  } catch (...) {  // each is all or nothing
    for (std::size_t i = 0; i + 1 < before.size(); ++i)
      repartition(*together[i].places, together[i].residents, before[i]);
    throw;
  }
}

}  // namespace mass::detail

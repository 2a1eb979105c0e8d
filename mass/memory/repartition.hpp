#pragma once

#include <mass/memory/agent_fields.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mass::detail {

/// Changes the partition of places and of the agents that live on them; their state stays the same.
/// @param residents all agents on `places`
/// @param partition partition of the same number of rows over the same devices
/// @pre no rule and no manageAll() is running
/// @throws UsageError if the partition has other rows or devices
/// @throws DeviceError if memory is exhausted; places and agents are unchanged then
void repartition(PlaceFields& places, std::span<AgentFields* const> residents,
                 const RowPartition& partition);

/// Places, and all agents that live on them.
struct CutPlaces {
  PlaceFields* places = nullptr;
  std::vector<AgentFields*> residents{};
};

/// Returns the number of units of rows of places whose cuts between devices go together: the
/// greatest common divisor of their numbers of rows. A cut lies between two units.
std::int64_t unitsOf(std::span<const CutPlaces> together);
/// Returns the partition of the units that places have; nothing if a cut is within a unit.
std::optional<RowPartition> partitionInUnits(const PlaceFields& places, std::int64_t units);
/// Changes the partitions of places whose cuts go together, and of their agents; the state stays
/// the same.
/// @param units partition of unitsOf(together) units over the same devices
/// @pre no rule and no manageAll() is running
/// @throws UsageError if `units` has other devices
/// @throws DeviceError if memory is exhausted; all partitions are those before then
void repartition(std::span<const CutPlaces> together, const RowPartition& units);

}  // namespace mass::detail

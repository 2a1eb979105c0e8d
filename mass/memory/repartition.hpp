#pragma once

#include <mass/memory/agent_fields.hpp>
#include <mass/memory/place_fields.hpp>

#include <span>

namespace mass::detail {

/// Changes the partition of places and of the agents that live on them; their state stays the same.
/// @param residents all agents on `places`
/// @param partition partition of the same number of rows over the same devices
/// @pre no rule and no manageAll() is running
/// @throws UsageError if the partition has other rows or devices
/// @throws DeviceError if memory is exhausted; places and agents are unchanged then
void repartition(PlaceFields& places, std::span<AgentFields* const> residents,
                 const RowPartition& partition);

}  // namespace mass::detail

#pragma once

#include <mass/memory/agent_fields.hpp>
#include <mass/memory/place_fields.hpp>

#include <span>

namespace mass::detail {

/// Splits the rows of places over the devices anew, and with them all agents that live there. The
/// state of both is the same. No rule or management may be under way.
/// @throws UsageError when the partition is of other rows or devices; DeviceError when there is not
/// enough memory. Then all are where they were.
void repartition(PlaceFields& places, std::span<AgentFields* const> residents,
                 const RowPartition& partition);

}  // namespace mass::detail

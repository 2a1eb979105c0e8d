#pragma once

#include <mass/dispatch/device_times.hpp>
#include <mass/dispatch/rebalance.hpp>
#include <mass/memory/agent_fields.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/memory/repartition.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Returns the measured time of every device, in seconds. All ranks call it together.
std::vector<double> secondsByDevice(const DeviceConfig& devices, const DeviceTimes& times);
/// Returns the times of exchanges of the rank of every device. All ranks call it together.
std::vector<ExchangeTimes> exchangesByDevice(const DeviceConfig& devices, DeviceTimes& times);
/// Returns the cost of each row, or line, of some parts. Those of a part sum up to its time. They
/// have equal costs unless a row of an adjacent part costs more in the mean: from that cut on, the
/// cost falls linearly from the neighbour's mean to at least half of the part's own. This estimates
/// the cost of a row after it moves: on equal devices adjacent rows cost about the same, and on
/// unequal ones the neighbour is slower.
/// @param seconds time of each part
std::vector<double> costsAlong(const RowPartition& cuts, std::span<const double> seconds);
/// Returns the costs of the rows of bands since the last reset of `times`; see costsAlong().
std::vector<double> costsByTime(const PlaceFields& places, const DeviceTimes& times);
/// Returns the number of agents on each row, over all classes in `residents`.
/// @pre AgentExecutor::synchronize() was called for all agents.
std::vector<double> costsByAgents(const PlaceFields& places,
                                  std::span<AgentFields* const> residents);

/// Repartitions places whose cuts go together, and their agents, such that all devices have about
/// the same cost. Does nothing if the imbalance is at most `threshold`, cannot be reduced, or
/// memory is exhausted. Each device keeps at least one unit of rows and gets no more than fit into
/// its memory. The state does not change.
/// @param costs cost of each of unitsOf(together) units, in any scale
/// @param threshold tolerated imbalance, see Rebalance::imbalance
/// @return the partitions before and after, in units
/// @pre partitionInUnits() of all are equal
Rebalance rebalance(std::span<const CutPlaces> together, std::span<const double> costs,
                    double threshold);

/// True if the units of a partition fit into the memory of all devices. All ranks call it together.
bool haveMemoryFor(std::span<const CutPlaces> together, const RowPartition& units);

/// Moves the cuts of places that go together to a partition of their units; they stay if memory is
/// exhausted. @return the partitions before and after, in units
Rebalance moveCutsTo(std::span<const CutPlaces> together, const RowPartition& units);

/// Repartitions places as rebalance(), on devices of different speeds and with rows of about equal
/// costs; see partitionBySpeed().
/// @param seconds time of the rows of each device, above 0
/// @param fixed time of each device that does not depend on its rows
Rebalance rebalanceBySpeed(std::span<const CutPlaces> together, std::span<const double> seconds,
                           std::span<const double> fixed, double threshold);

}  // namespace mass::detail

#pragma once

#include <mass/dispatch/device_times.hpp>
#include <mass/dispatch/rebalance.hpp>
#include <mass/memory/agent_fields.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// By what rows are weighed that are to be shared out.
enum class Balance {
  time,    ///< what rules have taken on the device that has a row, shared by its rows
  agents,  ///< agents on a row: the same cuts in every run
};

/// What rows cost, by row, in seconds since the times were last reset. A device's rows cost the
/// same, but where a neighbour's cost more: there as much as those, and evenly less from the cut
/// on, down to half of the mean. For so much may a row cost that goes over: if devices are alike,
/// since rows that lie together are; if they are not, since the neighbour is slow.
std::vector<double> costsByTime(const PlaceFields& places, const DeviceTimes& times);
/// What rows cost, by row, in agents. The agents must be settled.
std::vector<double> costsByAgents(const PlaceFields& places,
                                  std::span<AgentFields* const> residents);

/// Moves the cuts between the bands of places, and the agents that live there, to where devices
/// have as much to do as each other, if the imbalance is above `threshold` and can be lower. A
/// device gets no more rows than it has memory for, and one at least; nothing is moved when there
/// is not enough memory to do so. The state is the same.
Rebalance rebalance(PlaceFields& places, std::span<AgentFields* const> residents,
                    std::span<const double> costs, double threshold);

}  // namespace mass::detail

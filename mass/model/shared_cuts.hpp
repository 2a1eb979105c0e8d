#pragma once

#include <mass/dispatch/rebalance.hpp>
#include <mass/memory/repartition.hpp>
#include <mass/model/engine.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mass::detail {

/// Places of which rules of one read others, so that each device has the same part of all: the cuts
/// between devices lie at the same fractions of axis 0. Often a single one.
using CutGroup = std::vector<std::shared_ptr<PlacesState>>;

/// Returns the places whose cuts go together with those of `places`, itself included, in the order
/// of creation.
CutGroup cutGroupOf(const PlacesState& places);
/// Makes the cuts of two places, and of the groups of both, go together from now on. Moves cuts and
/// agents if they do not yet.
/// @throws UsageError if there are more devices than common units of rows
/// @throws DeviceError if the memory is too small; the cuts are those before then
void shareCuts(PlacesState& a, PlacesState& b);

/// Returns the agents that live on some places, after synchronizing them.
std::vector<AgentFields*> residentsOf(const PlacesState& places);
/// Returns the members of a group with their agents, after synchronizing them.
std::vector<CutPlaces> synchronized(const CutGroup& group);

/// Moves the cuts of a group so that `places`, a member, has these rows on each device.
/// @throws UsageError if they are not whole units, or do not fit the places and devices
/// @throws DeviceError if the memory is too small; the cuts are those before then
void moveCuts(const PlacesState& places, std::span<const std::int64_t> rows);
/// Balances the cost of a group, see Mass::rebalance.
/// @param costs by member: cost of each row; empty for members without a cost
/// @return one element for each member
std::vector<Rebalance> balanceCuts(const CutGroup& group,
                                   const std::vector<std::vector<double>>& costs, double threshold);
/// Balances the times of places in blocks that have the same cuts, see Mass::rebalance, and begins
/// the next measurement.
/// @return one element for each member; none before the first measurement
std::vector<Rebalance> balanceBlocks(const CutGroup& group, double threshold);

/// Balances the times of a group on processors and GPUs, see rebalanceBySpeed(), and begins the
/// next measurement; otherwise as balanceBlocks().
std::vector<Rebalance> balanceSpeeds(const CutGroup& group, double threshold);

}  // namespace mass::detail

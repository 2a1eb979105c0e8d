#pragma once

#include <mass/dispatch/rebalance.hpp>
#include <mass/memory/place_fields.hpp>

#include <span>

namespace mass::detail {

/// Moves the cuts of axes 0 and 1 of places in blocks such that all devices take about the same
/// time: each axis by the sums of the times of its parts, so one slow device makes all blocks
/// beside it thinner. Cuts of axis 2 stay. Does nothing if the imbalance is at most `threshold`,
/// the new cuts are not better by these sums, or memory is exhausted. The state does not change.
/// All ranks call it together.
/// @param together places with the same numbers of rows and lines, and the same cuts; not empty
/// @param seconds time of each device since the last call
/// @param threshold tolerated imbalance, see Rebalance::imbalance
Rebalance rebalanceBlocks(std::span<PlaceFields* const> together, std::span<const double> seconds,
                          double threshold);

}  // namespace mass::detail

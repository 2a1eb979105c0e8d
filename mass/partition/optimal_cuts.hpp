#pragma once

#include <mass/partition/row_partition.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace mass::detail {

/// True if a device has the memory for `rows`. Must be monotone: a part of rows that fit fits.
using RowsFit = std::function<bool(int device, RowRange rows)>;

/// Returns the contiguous partition that minimises the cost of the most expensive band, to a
/// relative 1e-6 (bisection of the bound with a greedy feasibility test). Among such partitions it
/// prefers bands of about equal cost.
/// @param costs cost of each row, 0 or more, in any unit
/// @param devices number of bands, at least 1
/// @param fit memory constraint
/// @return nullopt if the rows do not fit or are fewer than the devices
std::optional<RowPartition> balancedPartition(std::span<const double> costs, int devices,
                                              const RowsFit& fit);

/// Returns the partition that minimises the time of the slowest device if all rows cost the same
/// and devices differ in speed: bands that take the same time, of at least one row.
/// @param before present bands @param seconds time of the rows of each band, above 0
/// @param fixed time of each device that does not depend on its rows
RowPartition partitionBySpeed(const RowPartition& before, std::span<const double> seconds,
                              std::span<const double> fixed);

/// Returns the load imbalance, maximum / mean - 1 of the bands' costs: 0 for perfect balance, 0.5
/// if the most expensive band costs 1.5 times the mean. 0 if all costs are 0.
/// @param costs cost of each row, 0 or more
double imbalanceOf(const RowPartition& partition, std::span<const double> costs);

}  // namespace mass::detail

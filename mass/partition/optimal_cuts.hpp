#pragma once

#include <mass/partition/row_partition.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace mass::detail {

/// Whether a device has room for some rows. Fewer rows must fit where more do.
using RowsFit = std::function<bool(int device, RowRange rows)>;

/// The partition in which the device with the most to do has the least, where every row costs what
/// `costs` says (0 or more, in any unit); of several such, one whose bands cost much the same. None
/// when the rows do not fit, or there are fewer than devices.
std::optional<RowPartition> balancedPartition(std::span<const double> costs, int devices,
                                              const RowsFit& fit);

/// How much more than the mean the device has to do that has the most: 0 when all have the same,
/// 0.5 when it has half as much again. 0 when nothing costs anything.
double imbalanceOf(const RowPartition& partition, std::span<const double> costs);

}  // namespace mass::detail

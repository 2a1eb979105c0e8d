#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Links of the nodes of a network on a device, whose memory has the arrays. Null in a grid.
struct LinksView {
  /// By own node: number of the links before its first one; then the number of all.
  const std::int32_t* offsets = nullptr;
  const std::int32_t* ends = nullptr;  ///< rows of the band, own or ghosts, at which links end
  const double* weights = nullptr;     ///< weight of each link; null if all are 1
  /// By row of the band, own or ghost (those before the band are negative): its global row; null on
  /// a single device, which has all rows.
  const std::int32_t* rows = nullptr;
  /// By row of the band, own or ghost: number of its node; null if rows have the order of the
  /// nodes.
  const std::int32_t* numbers = nullptr;
  /// By component: PackedCodes::words() of its values, or null; null if there are none. For the
  /// rows that a thread of a CPU processes.
  const std::uint32_t* const* packed = nullptr;

  /// Returns the global row at which a link ends, by its number on the device.
  MASS_FN std::int64_t globalEnd(std::int32_t link) const {
    return rows == nullptr ? ends[link] : rows[ends[link]];
  }
};

}  // namespace mass::detail

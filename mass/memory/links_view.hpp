#pragma once

#include <cstdint>

namespace mass::detail {

/// Links of the nodes of a network on a device, whose memory has the arrays. Null in a grid.
struct LinksView {
  /// By own node: number of the links before its first one; then the number of all.
  const std::int32_t* offsets = nullptr;
  const std::int32_t* ends = nullptr;     ///< rows of the band, own or ghosts, at which links end
  const double* weights = nullptr;        ///< weight of each link; null if all are 1
  const std::int32_t* numbers = nullptr;  ///< number of the node by own row; null: the global row
};

}  // namespace mass::detail

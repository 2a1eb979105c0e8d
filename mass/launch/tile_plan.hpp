#pragma once

#include <mass/memory/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace mass::detail {

/// Partition of a band into tiles for a persistent kernel, one tile for each block. Block i has the
/// rows [rows·r/rowTiles, rows·(r+1)/rowTiles) with r = i/lineTiles, and lines likewise. The
/// interior of a tile, its places farther than the reach from its ends, lies in shared memory: no
/// other block sends elements there.
struct PersistentTilePlan {
  static constexpr int mostLines = 1024;  ///< maximum number of lines of a tile

  int rowTiles = 1, lineTiles = 1;
  int reach = 0;
  std::int64_t interiorLines = 0;  ///< lines of the largest interior
  std::int64_t lines = 0;          ///< lines of the largest tile

  int blocks() const { return rowTiles * lineTiles; }

  /// Returns the plan with the least work for the busiest block, or nothing if the world is too
  /// large.
  /// @param reach distance, in places, that a rule sends elements
  /// @param mostBlocks number of blocks that run at the same time
  static std::optional<PersistentTilePlan> of(const Layout& layout, int dimensions, int reach,
                                              int mostBlocks);
};

}  // namespace mass::detail

#pragma once

#include <mass/memory/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace mass::detail {

/// How the blocks of a GPU share a band of which they keep the places in their own memory: block
/// number i has the rows [rows·r/rowTiles, rows·(r+1)/rowTiles) and likewise lines, where r =
/// i/lineTiles. Only a tile's places farther than the reach from its ends are kept there, its
/// interior: others send codes to the rest.
struct PersistentTilePlan {
  static constexpr int mostLines = 1024;  ///< of a tile

  int rowTiles = 1, lineTiles = 1;
  int reach = 0;
  std::int64_t interiorLines = 0;  ///< lines of the largest interior
  std::int64_t lines = 0;          ///< lines of the largest tile

  int blocks() const { return rowTiles * lineTiles; }

  /// The plan with the least work for the blocks that have most. Nothing for a world too large.
  static std::optional<PersistentTilePlan> of(const Layout& layout, int dimensions, int reach,
                                              int mostBlocks);
};

}  // namespace mass::detail

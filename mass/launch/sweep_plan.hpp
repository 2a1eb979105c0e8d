#pragma once

#include <mass/launch/gpu_launch.hpp>
#include <mass/memory/layout.hpp>

#include <cstdint>

namespace mass::detail {

/// Smallest and largest number of rows of a block of a plane sweep, if the band has as many.
inline constexpr std::int64_t leastSweptRows = 8, mostSweptRows = 1024;

/// Returns the rows of a block of a plane sweep for which all take the least time. A GPU runs some
/// blocks at a time, and one more takes as long as so many. Each goes through its rows and those
/// around them.
/// @param block threads of a block @param slots blocks that the GPU runs at a time
inline std::int64_t rowsPerSweep(const Layout& layout, const PlaneSweepShape& block,
                                 std::int64_t slots) {
  constexpr std::int64_t start = 2;  // rows that take as long as the start of a block
  const std::int64_t columns = std::int64_t{block.width} * block.columns;
  const std::int64_t beside =
      (layout.columns + columns - 1) / columns * ((layout.lines + block.groups - 1) / block.groups);
  std::int64_t best = 0, least = 0;
  for (std::int64_t parts = 1; parts <= layout.rows; ++parts) {
    const std::int64_t rows = (layout.rows + parts - 1) / parts;
    if (rows > mostSweptRows) continue;
    if (best > 0 && rows < leastSweptRows) break;
    const std::int64_t waves = (beside * parts + slots - 1) / slots;
    const std::int64_t time = waves * (rows + 2 * layout.depth + start);
    if (best == 0 || time < least) {
      least = time;
      best = rows;
    }
  }
  return best;
}

}  // namespace mass::detail

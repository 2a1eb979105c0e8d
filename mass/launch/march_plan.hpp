#pragma once

#include <mass/launch/gpu_launch.hpp>
#include <mass/memory/layout.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mass::detail {

/// Returns the rows of a block for which all take the least time. Each goes through them and, for
/// its first steps, through 2 * steps more, of which those at the first and last row take longer.
/// @param rows rows of the band @param ofRows border of the world's rows
/// @param strips blocks side by side @param slots blocks that the GPU runs at a time
inline std::int64_t rowsPerMarch(std::int64_t rows, Border ofRows, std::int64_t strips,
                                 std::int64_t slots, int steps) {
  const double atBorder = ofRows == Border::periodic ? 0 : 3 * steps;
  std::int64_t best = rows;
  double least = std::numeric_limits<double>::infinity();
  const std::int64_t most =
      std::clamp<std::int64_t>(16 * slots / strips, 1, std::min(rows, mostGridBlocks));
  for (std::int64_t chunks = 1; chunks <= most; ++chunks) {
    const std::int64_t chunk = (rows + chunks - 1) / chunks;
    const std::int64_t blocks = (rows + chunk - 1) / chunk * strips;
    const auto each = static_cast<double>(chunk + 2 * steps);
    const double work =
        each * static_cast<double>(blocks) + atBorder * static_cast<double>(2 * strips);
    // With more blocks than slots, half of the slots idle while the last blocks run.
    const double time = blocks <= slots ? each + atBorder
                                        : work / static_cast<double>(slots) + (each + atBorder) / 2;
    if (time < least) {
      least = time;
      best = chunk;
    }
  }
  return best;
}

/// Returns the number of blocks of a march that cover rows within `depth` of the ends of the band.
/// @param strips blocks side by side @param rowsOfBlock rows of a block
inline unsigned borderBlocksOfMarch(std::int64_t rows, std::int64_t depth, std::int64_t strips,
                                    std::int64_t rowsOfBlock) {
  std::int64_t blocks = 0;
  for (std::int64_t begin = 0; begin < rows; begin += rowsOfBlock) {
    const std::int64_t end = std::min(rows, begin + rowsOfBlock);
    if (begin < depth || end > rows - depth) blocks += strips;
  }
  return static_cast<unsigned>(blocks);
}

}  // namespace mass::detail

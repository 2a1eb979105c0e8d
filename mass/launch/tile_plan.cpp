#include <mass/launch/tile_plan.hpp>

#include <algorithm>
#include <limits>

namespace mass::detail {

std::optional<PersistentTilePlan> PersistentTilePlan::of(const Layout& layout, int dimensions,
                                                         int reach, int mostBlocks) {
  constexpr std::int64_t mostColumns = 0xffff;
  if (layout.columns > mostColumns || layout.rows < 1) return std::nullopt;
  std::optional<PersistentTilePlan> best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  // What is sent out of a tile reaches the next one at most.
  const auto mostTiles = [&](std::int64_t length, std::int64_t blocks) {
    return std::min(blocks, std::max<std::int64_t>(length / std::max(reach, 1), 1));
  };
  for (std::int64_t rowTiles = 1; rowTiles <= mostTiles(layout.rows, mostBlocks); ++rowTiles) {
    const std::int64_t lineTiles = mostTiles(layout.lines, mostBlocks / rowTiles);
    const std::int64_t rows = (layout.rows - 1) / rowTiles + 1;
    const std::int64_t lines = (layout.lines - 1) / lineTiles + 1;
    const std::int64_t besideLines = dimensions == 3 ? std::int64_t{2} * reach : 0;
    const std::int64_t interior = std::max<std::int64_t>(rows - std::int64_t{2} * reach, 0) *
                                  std::max<std::int64_t>(lines - besideLines, 0);
    // A line at the border is read from farther away, and what is sent there goes as far.
    const std::int64_t work = 2 * rows * lines - interior;
    if (work >= least || rows * lines > mostLines) continue;
    least = work;
    best = PersistentTilePlan{static_cast<int>(rowTiles), static_cast<int>(lineTiles), reach,
                              interior, rows * lines};
  }
  return best;
}

}  // namespace mass::detail

#include <mass/dispatch/cycles.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mass::detail {

bool mayComputeGhosts(const PlaceFields& fields, Turn turn) {
  if (fields.links() != nullptr) return false;
  for (int component = 0; component < fields.components(); ++component)
    if (fields.component(component).isStreamed) return false;
  bool isStencil = false;
  for (const Kernel& kernel : turn) {
    if (kernel.traversal != Traversal::stencil && kernel.traversal != Traversal::pointwise)
      return false;
    if (kernel.written.empty() || kernel.runsOnce) return false;
    isStencil = isStencil || kernel.traversal == Traversal::stencil;
  }
  return isStencil;
}

int mostTurnsOfCycle(const PlaceFields& fields, Turn turn) {
  const std::int64_t reach = std::max<std::int64_t>(reachOf(fields, turn), 1);
  const Layout& layout = fields.layout(0);
  std::int64_t most = std::numeric_limits<int>::max();
  const auto limit = [&](const RowPartition& cuts, std::int64_t ghosts) {
    if (cuts.devices() > 1) most = std::min({most, ghosts, std::ranges::min(cuts.bands())});
  };
  const BlockPartition& blocks = fields.blocks();
  limit(blocks.along(0), layout.ghostRows);
  limit(blocks.along(1), layout.ghostLines);
  limit(blocks.along(2), layout.ghostColumns);
  return static_cast<int>(most / reach);
}

}  // namespace mass::detail

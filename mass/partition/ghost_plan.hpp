#pragma once

#include <mass/partition/border.hpp>
#include <mass/partition/row_partition.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// `count` consecutive rows that one device owns and another (or the same) keeps as ghosts. Rows
/// are global; a ghost row beyond the world has a number below 0 or from rows() on.
struct GhostCopy {
  int fromDevice = 0;
  std::int64_t fromRow = 0;
  int toDevice = 0;
  std::int64_t toRow = 0;
  std::int64_t count = 0;

  friend bool operator==(const GhostCopy&, const GhostCopy&) = default;
};

/// Every copy that fills the ghost rows of every device: `depth` rows before and after each band,
/// from whichever devices own them (several, when bands are thinner than `depth`). Rows behind a
/// fixed border have no source and no copy. Sorted by receiving device.
std::vector<GhostCopy> planGhosts(const RowPartition& partition, int depth, Border border);

}  // namespace mass::detail

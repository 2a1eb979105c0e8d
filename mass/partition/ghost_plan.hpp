#pragma once

#include <mass/partition/border.hpp>
#include <mass/partition/row_partition.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Copy of `count` consecutive rows from their owner to the ghost rows of a device, which may be
/// the same. Rows are global: ghost rows before and after a band have the numbers that continue
/// those of its rows, so one outside the world is negative or at least rows().
struct GhostCopy {
  int fromDevice = 0;        ///< owner
  std::int64_t fromRow = 0;  ///< first row of the owner
  int toDevice = 0;          ///< device with the ghost rows
  std::int64_t toRow = 0;    ///< first ghost row
  std::int64_t count = 0;    ///< number of rows

  friend bool operator==(const GhostCopy&, const GhostCopy&) = default;
};

/// Appends the copy of one row to a plan, merged with the last copy if it continues that.
void addRow(std::vector<GhostCopy>& plan, const GhostCopy& row);

/// Returns the copies that fill the ghost rows of all devices, `depth` rows before and after each
/// band. A band thinner than `depth` makes several devices the owners of a halo. Ghost rows beyond
/// a fixed border have no copy.
/// @return copies in order of the receiving device, then of the ghost row; adjacent rows are merged
std::vector<GhostCopy> planGhosts(const RowPartition& partition, int depth, Border border);

}  // namespace mass::detail

#pragma once

#include <mass/partition/block_partition.hpp>
#include <mass/partition/border.hpp>
#include <mass/partition/row_partition.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Copy of `count` consecutive rows from their owner to the ghost rows of a device, which may be
/// the same. Rows are global: ghost rows before and after a band have the numbers that continue
/// those of its rows, so one outside the world is negative or at least rows(). Likewise for lines.
struct GhostCopy {
  int fromDevice = 0;         ///< owner
  std::int64_t fromRow = 0;   ///< first row of the owner
  int toDevice = 0;           ///< device with the ghost rows
  std::int64_t toRow = 0;     ///< first ghost row
  std::int64_t count = 0;     ///< number of rows
  std::int64_t lines = 0;     ///< number of consecutive lines of each row; 0: whole rows
  std::int64_t fromLine = 0;  ///< first line of the owner; unused for whole rows
  std::int64_t toLine = 0;    ///< its number on the device; unused for whole rows

  friend bool operator==(const GhostCopy&, const GhostCopy&) = default;
};

/// Appends the copy of one whole row to a plan, merged with the last copy if it continues that.
void addRow(std::vector<GhostCopy>& plan, const GhostCopy& row);

/// Returns the copies that fill the ghost rows of all devices, `depth` rows before and after each
/// band. A band thinner than `depth` makes several devices the owners of a halo. Ghost rows beyond
/// a fixed border have no copy.
/// @return copies in order of the receiving device, then of the ghost row; adjacent rows are merged
std::vector<GhostCopy> planGhosts(const RowPartition& partition, int depth, Border border);

/// Returns the copies that fill the ghost places around the block of each device, depths[0] rows
/// before and after it and depths[1] lines before and after those of each row, with the corners,
/// each from the device that owns it. Of bands, those of the rows.
/// @return copies in order of the receiving device
std::vector<GhostCopy> planGhosts(const BlockPartition& partition, std::array<int, 2> depths,
                                  Border ofRows, Border ofLines);

/// Returns the copies that fill ghost places beyond the borders of the world from the same device,
/// between two steps of several per exchange. Sources are the places of the device and its ghosts
/// within the world: deeper ones are computed, not copied.
/// @param depth rows and lines that a step reads
/// @param beyond ghost rows and ghost lines along cut axes whose copies are refreshed too
/// @return copies in order of the device
std::vector<GhostCopy> planOwnGhosts(const BlockPartition& partition, int depth,
                                     std::array<std::int64_t, 2> beyond, Border ofRows,
                                     Border ofLines);

}  // namespace mass::detail

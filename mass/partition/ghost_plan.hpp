#pragma once

#include <mass/partition/block_partition.hpp>
#include <mass/partition/border.hpp>
#include <mass/partition/row_partition.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Copy of consecutive places along one axis.
struct AxisCopy {
  std::int64_t from = 0;   ///< first one on the owner
  std::int64_t to = 0;     ///< its number on the device
  std::int64_t count = 0;  ///< number of places; 0: the whole axis with its padding

  friend bool operator==(const AxisCopy&, const AxisCopy&) = default;
};

/// Copy of `count` consecutive rows from their owner to the ghost rows of a device, which may be
/// the same. Rows are global: ghost rows before and after a band have the numbers that continue
/// those of its rows, so one outside the world is negative or at least rows(). Likewise for lines
/// and columns.
struct GhostCopy {
  int fromDevice = 0;        ///< owner
  std::int64_t fromRow = 0;  ///< first row of the owner
  int toDevice = 0;          ///< device with the ghost rows
  std::int64_t toRow = 0;    ///< first ghost row
  std::int64_t count = 0;    ///< number of rows
  AxisCopy lines{};          ///< lines of each row
  AxisCopy columns{};        ///< columns of each line

  friend bool operator==(const GhostCopy&, const GhostCopy&) = default;
};

/// Appends the copy of one whole row to a plan, merged with the last copy if it continues that.
void addRow(std::vector<GhostCopy>& plan, const GhostCopy& row);

/// Returns the copies that fill the ghost rows of all devices, `depth` rows before and after each
/// band. A band thinner than `depth` makes several devices the owners of a halo. Ghost rows beyond
/// a fixed border have no copy.
/// @return copies in order of the receiving device, then of the ghost row; adjacent rows are merged
std::vector<GhostCopy> planGhosts(const RowPartition& partition, int depth, Border border);

/// Returns the copies that fill the ghost places around the block of each device, depths[axis]
/// places before and after it along each of the exchanged axes (BlockPartition::exchangedAxes()),
/// with the edges and corners, each from the device that owns it. Of bands, those of the rows.
/// @return copies in order of the receiving device
std::vector<GhostCopy> planGhosts(const BlockPartition& partition, const std::array<int, 3>& depths,
                                  const std::array<Border, 3>& borders);

/// Returns the copies that fill ghost places beyond the borders of the world from the same device,
/// between two steps of several per exchange. Sources are the places of the device and its ghosts
/// within the world: deeper ones are computed, not copied.
/// @param depth rows, lines and columns that a step reads
/// @param beyond ghosts along each axis whose copies are refreshed too; those of rows only if rows
/// are cut
/// @return copies in order of the device
std::vector<GhostCopy> planOwnGhosts(const BlockPartition& partition, int depth,
                                     std::int64_t beyond, const std::array<Border, 3>& borders);

/// Box of places, some of which may be ghosts of a device.
struct PlaceBox {
  /// Rows, lines and columns, by numbers that continue those of the device's places.
  std::array<RowRange, 3> places;
  /// Differences to their numbers in the world: not 0 beyond a periodic border.
  std::array<std::int64_t, 3> toWorld{};

  friend bool operator==(const PlaceBox&, const PlaceBox&) = default;
};

/// Returns the places of a device, and those of other devices at most `margin` places away along
/// each exchanged axis, as boxes that lie on one side of each border. Of bands of a single device,
/// its places alone.
std::vector<PlaceBox> placesAround(const BlockPartition& partition, int device, std::int64_t margin,
                                   const std::array<Border, 3>& borders);

}  // namespace mass::detail

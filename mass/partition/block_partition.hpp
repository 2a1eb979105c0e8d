#pragma once

#include <mass/partition/row_partition.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mass::detail {

/// Numbering of the devices of a grid of blocks: consecutive devices, as those of a host, own a
/// tile of blocks. Tiles, and the blocks within a tile, are numbered in row-major order.
struct BlockOrder {
  std::array<int, 2> parts{1, 1};    ///< parts along axes 1 and 2
  std::array<int, 3> tile{1, 1, 1};  ///< blocks of a tile along each axis, divisors of the parts

  /// Devices in row-major order of their blocks. @param lines, columns parts along axes 1 and 2
  static BlockOrder rowByRow(int lines, int columns = 1) {
    return {{lines, columns}, {1, lines, columns}};
  }
  /// Returns the part along an axis that a device owns.
  int part(std::size_t axis, int device) const {
    const int tiles = device / tileSize(), within = device % tileSize();
    if (axis == 0)
      return tiles / (tilesAlong(1) * tilesAlong(2)) * tile[0] + within / (tile[1] * tile[2]);
    if (axis == 1)
      return tiles / tilesAlong(2) % tilesAlong(1) * tile[1] + within / tile[2] % tile[1];
    return tiles % tilesAlong(2) * tile[2] + within % tile[2];
  }
  /// Returns the device that owns a part along each axis.
  int device(const std::array<int, 3>& part) const {
    int tiles = 0, within = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      tiles = tiles * (axis > 0 ? tilesAlong(axis) : 1) + part[axis] / tile[axis];
      within = within * tile[axis] + part[axis] % tile[axis];
    }
    return tiles * tileSize() + within;
  }
  /// Returns the number of parts of a row: those along axes 1 and 2.
  int partsOfRow() const { return parts[0] * parts[1]; }

  friend bool operator==(const BlockOrder&, const BlockOrder&) = default;

 private:
  int tilesAlong(std::size_t axis) const { return parts[axis - 1] / tile[axis]; }
  int tileSize() const { return tile[0] * tile[1] * tile[2]; }
};

/// Cuts of the axes of a world: of its rows, of the lines of each row, and of the columns of each
/// line. A device owns the block of one part along each axis. If only rows are cut, blocks are
/// bands.
class BlockPartition {
 public:
  /// Divides each axis in proportion to the sums of the weights of its parts.
  /// @param lengths rows, lines of a row, and columns of a line
  /// @param order order of the devices; its parts of a row divide the number of weights
  /// @throws UsageError as RowPartition
  BlockPartition(const std::array<std::int64_t, 3>& lengths, const BlockOrder& order,
                 std::span<const double> weights);
  /// A band of whole rows for each device. @param lines, columns lengths of the other axes
  BlockPartition(RowPartition rows, std::int64_t lines, std::int64_t columns);
  /// Returns the partition with other cuts of an axis, into as many parts.
  BlockPartition with(std::size_t axis, RowPartition cuts) const {
    BlockPartition next = *this;
    next.axes_[axis] = std::move(cuts);
    return next;
  }

  /// Returns the cuts of an axis.
  const RowPartition& along(std::size_t axis) const { return axes_[axis]; }
  /// Returns the cuts of axis 0.
  const RowPartition& ofRows() const { return axes_[0]; }
  /// Returns the number of axes up to the last one that is cut, at least 1. Exchanges fill the
  /// ghosts along all of these, kernels the padding along the others.
  std::size_t exchangedAxes() const { return isCut(2) ? 3 : isCut(1) ? 2 : 1; }
  /// True if an axis has several parts.
  bool isCut(std::size_t axis) const { return axes_[axis].devices() > 1; }
  /// True if another axis than the first is cut.
  bool isInBlocks() const { return exchangedAxes() > 1; }
  /// Returns the lengths of the parts along the cut axis with the shortest part; of one part, its
  /// rows.
  std::vector<std::int64_t> thinnest() const;
  /// Returns the number of devices.
  int devices() const { return axes_[0].devices() * order_.partsOfRow(); }
  /// Returns the order of the devices.
  const BlockOrder& order() const { return order_; }
  /// Returns the places along an axis that a device owns.
  RowRange range(std::size_t axis, int device) const {
    return axes_[axis].range(order_.part(axis, device));
  }
  /// Returns the device that owns a part along each axis.
  int device(const std::array<int, 3>& part) const { return order_.device(part); }

  /// True if both have the same parts.
  friend bool operator==(const BlockPartition&, const BlockPartition&) = default;

 private:
  std::array<RowPartition, 3> axes_;
  BlockOrder order_;
};

}  // namespace mass::detail

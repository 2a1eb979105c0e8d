#pragma once

#include <mass/partition/row_partition.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mass::detail {

/// Numbering of the devices of a grid of blocks: consecutive devices, as those of a host, own a
/// tile of blocks. Tiles, and the blocks within a tile, are numbered row by row.
struct BlockOrder {
  int lineParts = 1;  ///< parts along axis 1
  int tileRows = 1;   ///< blocks of a tile along axis 0, a divisor of the parts along it
  int tileLines = 1;  ///< blocks of a tile along axis 1, a divisor of `lineParts`

  /// Device i b + j owns part i of the rows and j of the lines. @param b parts along axis 1
  static BlockOrder rowByRow(int b) { return {b, 1, b}; }
  /// Returns the part along axis 0 that a device owns.
  int rowPart(int device) const {
    return tile(device) / tilesOfRow() * tileRows + within(device) / tileLines;
  }
  /// Returns the part along axis 1 that a device owns.
  int linePart(int device) const {
    return tile(device) % tilesOfRow() * tileLines + within(device) % tileLines;
  }
  /// Returns the device that owns two parts.
  int device(int row, int line) const {
    const int number = row / tileRows * tilesOfRow() + line / tileLines;
    return number * tileRows * tileLines + row % tileRows * tileLines + line % tileLines;
  }

  friend bool operator==(const BlockOrder&, const BlockOrder&) = default;

 private:
  int tilesOfRow() const { return lineParts / tileLines; }
  int tile(int device) const { return device / (tileRows * tileLines); }
  int within(int device) const { return device % (tileRows * tileLines); }
};

/// Cuts of axis 0, and of axis 1 if there are several parts along it. A device owns the block of
/// one part of the rows and one of the lines of each row.
class BlockPartition {
 public:
  /// Divides each axis in proportion to the sums of the weights of its parts.
  /// @param lengths rows, and lines of a row
  /// @param order order of the devices; its parts along axis 1 divide the number of weights
  /// @throws UsageError as RowPartition
  BlockPartition(std::array<std::int64_t, 2> lengths, const BlockOrder& order,
                 std::span<const double> weights);
  /// A band of rows with all their lines for each device. @param lines lines of a row
  BlockPartition(RowPartition rows, std::int64_t lines);
  /// Returns the partition with other cuts, into as many parts.
  BlockPartition with(RowPartition rows, RowPartition lines) const {
    BlockPartition next = *this;
    next.rows_ = std::move(rows);
    next.lines_ = std::move(lines);
    return next;
  }

  /// Returns the cuts of axis 0.
  const RowPartition& ofRows() const { return rows_; }
  /// Returns the cuts of axis 1.
  const RowPartition& ofLines() const { return lines_; }
  /// True if axis 1 is cut.
  bool isInBlocks() const { return lines_.devices() > 1; }
  /// Returns the lengths of the parts along the cut axis with the shortest part; of one part, its
  /// rows.
  std::vector<std::int64_t> thinnest() const;
  /// Returns the number of devices.
  int devices() const { return rows_.devices() * lines_.devices(); }
  /// Returns the order of the devices.
  const BlockOrder& order() const { return order_; }
  /// Returns the rows of a device.
  RowRange rows(int device) const { return rows_.range(order_.rowPart(device)); }
  /// Returns the lines of its rows that a device owns.
  RowRange lines(int device) const { return lines_.range(order_.linePart(device)); }
  /// Returns the device that owns the part `row` of the rows and `line` of the lines.
  int device(int row, int line) const { return order_.device(row, line); }

  /// True if both have the same parts.
  friend bool operator==(const BlockPartition&, const BlockPartition&) = default;

 private:
  RowPartition rows_, lines_;
  BlockOrder order_;
};

}  // namespace mass::detail

#pragma once

#include <mass/partition/row_partition.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mass::detail {

/// Cuts of axis 0, and of axis 1 if there are several parts along it. With b parts along axis 1,
/// device i b + j owns the block of part i of the rows and part j of the lines of each row.
class BlockPartition {
 public:
  /// Divides each axis in proportion to the sums of the weights of its parts.
  /// @param lengths rows, and lines of a row @param lineParts parts along axis 1, a divisor of the
  /// number of weights
  /// @throws UsageError as RowPartition
  BlockPartition(std::array<std::int64_t, 2> lengths, int lineParts,
                 std::span<const double> weights);
  /// A band of rows with all their lines for each device. @param lines lines of a row
  BlockPartition(RowPartition rows, std::int64_t lines);
  /// The parts of both axes.
  BlockPartition(RowPartition rows, RowPartition lines)
      : rows_(std::move(rows)), lines_(std::move(lines)) {}

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
  /// Returns the rows of a device.
  RowRange rows(int device) const { return rows_.range(device / lines_.devices()); }
  /// Returns the lines of its rows that a device owns.
  RowRange lines(int device) const { return lines_.range(device % lines_.devices()); }
  /// Returns the device that owns the part `row` of the rows and `line` of the lines.
  int device(int row, int line) const { return row * lines_.devices() + line; }

  /// True if both have the same parts.
  friend bool operator==(const BlockPartition&, const BlockPartition&) = default;

 private:
  RowPartition rows_, lines_;
};

}  // namespace mass::detail

#pragma once

#include <mass/memory/layout.hpp>
#include <mass/partition/border.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Numbers the places of a band as bins of agents, without padding: first the rows of the band,
/// then the ghost rows after it, then the ghost rows before it. So, in agents sorted by bin, those
/// of the band precede ghosts and keep their numbers if ghosts change. A single device has no ghost
/// rows: at() wraps around periodic axes.
struct BinIndexing {
  std::int64_t rows = 0;      ///< rows of the band
  std::int64_t depth = 0;     ///< ghost rows before and after the band
  std::int64_t firstRow = 0;  ///< global number of the first row of the band
  std::int64_t lines = 1;     ///< lines of a row
  std::int64_t columns = 1;   ///< places of a line
  bool rowsWrap = false, linesWrap = false, columnsWrap = false;  ///< true for periodic axes

  /// Returns the number of bins of the band, without ghost rows.
  MASS_FN std::int64_t own() const { return rows * rowSize(); }
  /// Returns the number of bins, with ghost rows.
  MASS_FN std::int64_t size() const { return (rows + 2 * depth) * rowSize(); }
  /// Returns the number of bins of a row.
  MASS_FN std::int64_t rowSize() const { return lines * columns; }

  /// Returns the first bin of a row of the band or of its ghost rows, -depth <= row < rows + depth.
  MASS_FN std::int64_t ofRow(std::int64_t row) const {
    return (row >= 0 ? row : row + rows + 2 * depth) * rowSize();
  }
  /// Returns the bin of a place; -1 if it is beyond a border that is not periodic or beyond the
  /// ghost rows.
  /// @param row local row, from -depth to rows + depth - 1 for ghost rows
  /// @param line, column line and column, which may be outside the world
  MASS_FN std::int64_t at(std::int64_t row, std::int64_t line, std::int64_t column) const {
    line = wrapped(line, lines, linesWrap);
    column = wrapped(column, columns, columnsWrap);
    if (depth == 0) row = wrapped(row, rows, rowsWrap);
    if (line < 0 || column < 0 || row < -depth || row >= rows + depth) return -1;
    return ofRow(row) + line * columns + column;
  }
  /// Returns the global index of the place of a bin of the band.
  MASS_FN std::int64_t place(std::int64_t bin) const { return bin + firstRow * rowSize(); }

 private:
  /// Returns a coordinate wrapped into the axis; -1 if it is outside an axis that is not periodic.
  MASS_FN static std::int64_t wrapped(std::int64_t at, std::int64_t length, bool wraps) {
    if (0 <= at && at < length) return at;
    return wraps ? sourceOf(at, length, Border::periodic) : -1;
  }
};

}  // namespace mass::detail

#pragma once

#include <mass/memory/layout.hpp>
#include <mass/partition/border.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Numbers the places of a band as agents see them, without sides: a bin for each place, the rows
/// of the band first, then the ghost rows after it, then those before it. So the agents of the band
/// come first when agents are sorted by bin, and stay where they are when ghosts come and go. The
/// band of a device that is alone has no ghost rows: where the world goes round, it does in `at`.
struct BinIndexing {
  std::int64_t rows = 0;   ///< of the band
  std::int64_t depth = 0;  ///< ghost rows before and after it
  std::int64_t firstRow = 0;
  std::int64_t lines = 1;    ///< a row
  std::int64_t columns = 1;  ///< a line
  bool rowsWrap = false, linesWrap = false, columnsWrap = false;

  /// BinIndexing of the band alone.
  MASS_FN std::int64_t own() const { return rows * rowSize(); }
  /// BinIndexing with those of ghost rows.
  MASS_FN std::int64_t size() const { return (rows + 2 * depth) * rowSize(); }
  MASS_FN std::int64_t rowSize() const { return lines * columns; }

  /// The first bin of a row of the band or of its ghosts, -depth <= row < rows + depth.
  MASS_FN std::int64_t ofRow(std::int64_t row) const {
    return (row >= 0 ? row : row + rows + 2 * depth) * rowSize();
  }
  /// The bin of a place, whose row, line and column may be outside the world; -1 where there is
  /// none, which is so beyond the ghost rows, too.
  MASS_FN std::int64_t at(std::int64_t row, std::int64_t line, std::int64_t column) const {
    line = wrapped(line, lines, linesWrap);
    column = wrapped(column, columns, columnsWrap);
    if (depth == 0) row = wrapped(row, rows, rowsWrap);
    if (line < 0 || column < 0 || row < -depth || row >= rows + depth) return -1;
    return ofRow(row) + line * columns + column;
  }
  /// The number in the whole world of a place of the band.
  MASS_FN std::int64_t place(std::int64_t bin) const { return bin + firstRow * rowSize(); }

 private:
  /// Where an axis does not go round, a wall stands at its end.
  MASS_FN static std::int64_t wrapped(std::int64_t at, std::int64_t length, bool wraps) {
    if (0 <= at && at < length) return at;
    return wraps ? sourceOf(at, length, Border::periodic) : -1;
  }
};

}  // namespace mass::detail

#pragma once

#include <mass/backend/box.hpp>
#include <mass/partition/border.hpp>
#include <mass/support/qualifiers.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// The world that all bands together make up, brought to three axes.
struct Domain {
  int dimensions = 1;
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< places per axis; 1 for an axis that is not there
  std::array<Border, 3> borders{};
  int reach = 0;                  ///< how far rules read, in places along every axis
  std::int64_t alignment = 1;     ///< lines begin at multiples of so many places; a power of 2
  std::int64_t spare = 200;       ///< of more, where that costs at most one place in so many
  int interleave = 1;             ///< the most components that lie in one buffer
  bool streamsInPlace = false;    ///< rules that can move what is streamed within one buffer do so
  bool mayStreamInPlace = false;  ///< they do so where there is no memory for two
};

/// How the places of one band lie in a device's buffers, the same for every attribute. Axis 0 gives
/// the rows; a row is `lines` x `columns` places (axes 1 and 2; a 2-D row is one line, a 1-D row a
/// single place). Around them lie the ghost rows and, before and after every line and row, `side`
/// places that repeat what the border of that axis says, so that no rule tests for borders.
struct Layout {
  std::int64_t rows = 0;     ///< of the band, without ghosts
  std::int64_t depth = 0;    ///< ghost rows before and after the band
  std::int64_t lines = 1;    ///< a row
  std::int64_t columns = 1;  ///< a line
  std::int64_t padding =
      0;  ///< places before and after each line, lines before and after each 3-D row
  std::int64_t pitch = 1;      ///< distance between lines, in places
  std::int64_t rowStride = 1;  ///< distance between rows, in places
  std::int64_t origin = 0;     ///< where row 0, line 0, column 0 lies
  std::int64_t size = 0;       ///< places in a buffer, ghosts and sides included
  int interleave = 1;          ///< as Domain has it

  /// The layout of a band of `rows` rows of a world.
  /// @throws UsageError when the number of places cannot be counted in 62 bits.
  static Layout of(const Domain& domain, std::int64_t rows);

  /// How places of a component lie that shares a buffer with others, `count` with itself: a line of
  /// each, one after the other, then the next line of each. Places are counted from where the first
  /// one of the component's own would lie if it were alone.
  MASS_FN Layout interleaved(int count) const {
    Layout each = *this;
    each.pitch *= count;
    each.rowStride *= count;
    each.origin *= count;
    each.size *= count;
    return each;
  }

  /// Where a place lies; ghosts and sides have numbers outside [0, rows), [0, lines), [0, columns).
  MASS_FN std::int64_t at(std::int64_t row, std::int64_t line, std::int64_t column) const {
    return origin + row * rowStride + line * pitch + column;
  }
  /// Where a row begins with all that is beside it: its sides and, in 3-D, the lines around it.
  /// Up to the next row's beginning there are `rowStride` places, all of this row.
  std::int64_t rowStart(std::int64_t row) const {
    return size - padding - (rows + depth - row) * rowStride;
  }
  /// Lines of all rows, of ghosts and beside rows too.
  std::int64_t allLines() const { return (rows + 2 * depth) * (rowStride / pitch); }
  /// `width` places of each of lines [begin, end) of these, from its sides on.
  Box wholeLines(std::int64_t begin, std::int64_t end, std::int64_t width) const {
    return {rowStart(-depth) + begin * pitch, {1, end - begin, width}, {0, pitch}};
  }
  /// The places of `count` rows from row `first` on, in row-major order. A 1-D world's lines are
  /// single places.
  Box places(std::int64_t first, std::int64_t count) const {
    return {at(first, 0, 0), {count, lines, columns}, {rowStride, pitch}};
  }
};

/// Returns the rows that 32-bit place offsets can address from a row on, with the rows that a rule
/// reads around them. 0 or less if a single row is too long.
inline std::int64_t rowsIn32Bits(const Layout& layout) {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  return (most / layout.interleave - layout.origin) / layout.rowStride - layout.depth;
}

}  // namespace mass::detail

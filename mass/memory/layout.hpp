#pragma once

#include <mass/backend/box.hpp>
#include <mass/partition/border.hpp>
#include <mass/support/qualifiers.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// World of some places, extended to three axes.
struct Domain {
  int dimensions = 1;                          ///< 1, 2 or 3
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< places along each axis; 1 for a missing axis
  std::array<Border, 3> borders{};             ///< boundary condition of each axis
  int reach = 0;                  ///< distance at which rules read, in places along each axis
  std::int64_t ghostRows = 0;     ///< ghost rows before and after a band, if more than `reach`
  std::int64_t ghostLines = 0;    ///< ghost lines before and after those of a block, likewise
  std::int64_t ghostColumns = 0;  ///< ghost columns before and after those of a block, likewise
  std::int64_t alignment = 1;     ///< lines begin at multiples of so many places; a power of 2
  /// Lines are aligned to a larger power of 2, at most 64 places, if that is at most 1 / `spare` of
  /// the length of a line.
  std::int64_t spare = 200;
  int interleave = 1;  ///< largest Component::interleave
  /// Parts of the partition of a 3-D world, and the order of their devices; see BlockOrder.
  std::array<int, 2> parts{1, 1};
  std::array<int, 3> tile{1, 1, 1};
  bool hasSameBitsOnGpus = false;  ///< rules yield the same bits on processors and GPUs
  /// PlaceFields stores streamed components as Storage::aaInPlace if the memory does not suffice
  /// for two buffers.
  bool mayStreamInPlace = false;
};

/// Returns the number of lines of a row of the world.
MASS_FN inline std::int64_t linesOfRow(const Domain& domain) {
  return domain.dimensions == 3 ? domain.shape[1] : 1;
}

/// Returns the number of places of a line of the world.
MASS_FN inline std::int64_t columnsOfLine(const Domain& domain) {
  return domain.dimensions > 1 ? domain.shape[static_cast<std::size_t>(domain.dimensions - 1)] : 1;
}

/// True if lines or columns of the world are cut, not only rows.
inline bool isInBlocks(const Domain& domain) {
  return domain.parts[0] > 1 || domain.parts[1] > 1;
}

/// Places of a word of Layout::packed().
inline constexpr std::int64_t placesOfWord = 64;

/// Layout of the places of a band in the buffers of a device. Axis 0 counts the rows; a row has
/// `lines` x `columns` places: a 3-D row is a plane, a 2-D row one line, a 1-D row a single place.
/// Ghost rows precede and follow the band. Padding before and after each line, and lines of padding
/// before and after each 3-D row, hold the values that the border of the axis prescribes, so that
/// rules need no test for borders. Between blocks, the padding consists of ghost lines and ghost
/// columns, which hold places of other devices. All indices and distances are in places.
struct Layout {
  std::int64_t rows = 0;  ///< rows of the band, without ghost rows
  /// Ghost rows before and after the band that a step reads: of as many rows at both ends of a band
  /// others may have copies. In a network, that is each row: the number of all nodes.
  std::int64_t depth = 0;
  /// All ghost rows before and after the band: at least `depth`, but in a network those of its
  /// links.
  std::int64_t ghostRows = 0;
  std::int64_t lines = 1;    ///< lines of a row
  std::int64_t columns = 1;  ///< places of a line
  std::int64_t padding = 0;  ///< places beside each line that a step reads, per side
  /// Lines of padding before and after each 3-D row: `padding`, or more ghost lines of a block.
  std::int64_t ghostLines = 0;
  /// Places of padding before and after each line: `padding`, or more ghost columns of a block.
  std::int64_t ghostColumns = 0;
  std::int64_t pitch = 1;      ///< distance between lines
  std::int64_t rowStride = 1;  ///< distance between rows
  std::int64_t origin = 0;     ///< index of row 0, line 0, column 0
  std::int64_t size = 0;       ///< places of a buffer, with ghost rows and padding
  int interleave = 1;          ///< Domain::interleave

  /// Returns the layout of a band.
  /// @param rows rows of the band
  /// @throws UsageError if the world or a buffer has more than 2^62 places
  static Layout of(const Domain& domain, std::int64_t rows) {
    return of(domain, {rows, linesOfRow(domain), columnsOfLine(domain)});
  }
  /// Returns the layout of a block.
  /// @param counts rows, lines of a row and columns of a line; otherwise as above
  static Layout of(const Domain& domain, const std::array<std::int64_t, 3>& counts);

  /// Returns the layout of a component in a buffer in which `count` components are interleaved line
  /// by line. Indices count from the beginning of the component's own first line (see
  /// PlaceFields::buffer()).
  MASS_FN Layout interleaved(int count) const {
    Layout each = *this;
    each.pitch *= count;
    each.rowStride *= count;
    each.origin *= count;
    each.size *= count;
    return each;
  }

  /// Returns the layout of the bits of a 2-D component: an element is a word of `placesOfWord`
  /// consecutive places of a line, without padding. Bits beyond the last column have no meaning.
  Layout packed() const;

  /// Returns the index of a place. Ghost rows and padding have coordinates outside [0, rows),
  /// [0, lines) and [0, columns).
  MASS_FN std::int64_t at(std::int64_t row, std::int64_t line, std::int64_t column) const {
    return origin + row * rowStride + line * pitch + column;
  }
  /// Returns the index at which a row begins with its padding, in 3-D with its lines of padding.
  /// The row ends `rowStride` places later. @param row from -ghostRows to rows +
  /// ghostRows
  std::int64_t rowStart(std::int64_t row) const {
    return size - ghostColumns - (rows + ghostRows - row) * rowStride;
  }
  /// Returns the number of lines of all rows, with ghost rows and lines of padding.
  std::int64_t allLines() const { return (rows + 2 * ghostRows) * (rowStride / pitch); }
  /// Returns the first `width` places of each of the lines [begin, end) of allLines(), from the
  /// padding before the line on.
  Box wholeLines(std::int64_t begin, std::int64_t end, std::int64_t width) const {
    return {rowStart(-ghostRows) + begin * pitch, {1, end - begin, width}, {0, pitch}};
  }
  /// Returns the places of rows [first, first + count), in row-major order, without padding. The
  /// lines of a 1-D world are single places.
  Box places(std::int64_t first, std::int64_t count) const {
    return {at(first, 0, 0), {count, lines, columns}, {rowStride, pitch}};
  }
};

/// Returns the number of rows that a kernel can address by offsets of 32 bits from its first row,
/// with the ghost rows around them. 0 or less if a single row is too long.
inline std::int64_t rowsIn32Bits(const Layout& layout) {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  return (most / layout.interleave - layout.origin) / layout.rowStride - layout.ghostRows;
}

}  // namespace mass::detail

#pragma once

#include <mass/launch/scale.hpp>
#include <mass/memory/bin_indexing.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Bins of the places that a coarser place covers, by lines: the agents of a line are contiguous.
struct BinBlock {
  std::int64_t bin;                ///< bin of the first place
  std::int64_t rowSize, lineSize;  ///< bins from a row, or a line, to the next
  std::int64_t lines;              ///< lines of a row of the block
  std::int64_t size;               ///< lines of the block
  std::int64_t columns;            ///< places of a line

  /// @param row, line, column local position of the first place; the block lies in the band
  /// @param ratio numbers of rows, lines and columns of the block
  MASS_FN BinBlock(const BinIndexing& bins, std::int64_t row, std::int64_t line,
                   std::int64_t column, const AxisRatio (&ratio)[3])
      : bin(bins.ofRow(row) + line * bins.columns + column),
        rowSize(bins.rowSize()),
        lineSize(bins.columns),
        lines(ratio[1].value),
        size(lines * ratio[0].value),
        columns(ratio[2].value) {}

  /// Numbers of agents, [begin, end).
  struct Range {
    std::int32_t begin, end;
  };
  /// Returns the agents of line k of the block. @param first by bin: number of its first agent
  MASS_FN Range agents(const std::int32_t* first, std::int64_t k) const {
    const std::int64_t begin = bin + k / lines * rowSize + k % lines * lineSize;
    return {first[begin], first[begin + columns]};
  }
};

}  // namespace mass::detail

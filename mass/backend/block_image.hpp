#pragma once

#include <mass/support/element_type.hpp>
#include <mass/support/pixel.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Rows and columns of elements in the memory of a device, which an image shows with a pixel for
/// each block of them. The blocks at the borders may be smaller.
struct BlockGrid {
  std::int64_t rows = 0, columns = 0;  ///< elements, at least 1 each
  std::int64_t first = 0;              ///< index of the first element; of the word of bits in row 0
  std::int64_t rowStride = 0;          ///< elements, or words of bits, between rows
  std::int64_t columnStride = 1;       ///< elements between columns; unused for bits
  std::int64_t firstBit = 0;           ///< number of the first bit of a row in its words
  std::int64_t block = 1;              ///< rows and columns of a block
  std::int64_t before = 0;  ///< rows of the first blocks that are on another device, below `block`

  MASS_FN std::int64_t blockRows() const { return (before + rows + block - 1) / block; }
  MASS_FN std::int64_t blockColumns() const { return (columns + block - 1) / block; }
  /// Returns the number of blocks, those that are partly elsewhere included.
  MASS_FN std::int64_t blocks() const { return blockRows() * blockColumns(); }
  /// Returns the grid of the rows of blocks [begin, end).
  BlockGrid blockRows(std::int64_t begin, std::int64_t end) const {
    const std::int64_t top = begin == 0 ? 0 : begin * block - before;
    BlockGrid part = *this;
    part.first += top * rowStride;
    part.rows = std::min(end * block - before, rows) - top;
    part.before = begin == 0 ? before : 0;
    return part;
  }
};

/// Value of a block, from which its palette index follows.
enum class BlockValue : std::uint8_t {
  mean,     ///< sum of unitsOf() the positions: std::uint64_t
  maximum,  ///< greatest position: float
  counts    ///< number of places of each category: countsOf() std::uint32_t
};

/// Rule by which elements become tallies of their blocks, and these become palette indices.
struct BlockRule {
  /// Largest number of categories whose places are counted on a device.
  static constexpr int mostCounted = 16;

  ElementType type = ElementType::uint8;  ///< type of the elements
  bool areBits = false;                   ///< the elements are bits of words of 64
  BlockValue value = BlockValue::mean;
  ValueScale scale{};
  std::int64_t categories = 0;  ///< values must be whole numbers below it; 0: any values
  CategoryIndices indices{};    ///< for counts

  /// Returns the number of counts of a tally.
  MASS_FN int countsOf() const { return categories <= 2 ? 2 : mostCounted; }
  /// Returns the bytes of the tally of a block.
  MASS_FN std::size_t tallyBytes() const {
    if (value == BlockValue::mean) return sizeof(std::uint64_t);
    if (value == BlockValue::maximum) return sizeof(float);
    return static_cast<std::size_t>(countsOf()) * sizeof(std::uint32_t);
  }
};

/// Numbers of elements of each category, and of those that are no category.
struct BlockTotals {
  std::array<std::uint64_t, BlockRule::mostCounted> counts{};
  std::uint64_t wrong = 0;

  void add(const BlockTotals& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    wrong += other.wrong;
  }
};

}  // namespace mass::detail

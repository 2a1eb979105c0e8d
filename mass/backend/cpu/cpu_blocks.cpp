#include <mass/backend/block_tally.hpp>
#include <mass/backend/cpu/cpu_device.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Calls body(part) for each block, row by row.
template <class Body>
void forEachBlock(const BlockGrid& grid, const Body& body) {
  const std::int64_t rows = grid.blockRows(), columns = grid.blockColumns();
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      body(BlockPart::of(grid, row, column));
}

/// Writes the position of each element, for blocks of one. The loop is vectorised.
/// @return number of values that are no category
template <class Elements>
std::uint64_t tallyEach(const Elements& elements, const BlockGrid& grid, const BlockRule& rule,
                        float* positions) {
  std::uint64_t wrong = 0;
  for (std::int64_t row = 0; row < grid.rows; ++row, positions += grid.columns) {
    const std::int64_t begin = grid.first + row * grid.rowStride;
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      const auto value = elements(begin + column * grid.columnStride);
      positions[column] = rule.scale(static_cast<float>(value));
      wrong += isAllowed(rule, value) ? 0U : 1U;
    }
  }
  return wrong;
}
std::uint64_t tallyEach(const BitElements& elements, const BlockGrid& grid, const BlockRule& rule,
                        float* positions) {
  const std::array<float, 2> each{rule.scale(0), rule.scale(1)};
  for (std::int64_t row = 0; row < grid.rows; ++row, positions += grid.columns) {
    const std::uint64_t* const words = elements.words + grid.first + row * grid.rowStride;
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      const std::int64_t bit = grid.firstBit + column;
      positions[column] = each[words[bit / 64] >> (bit % 64) & 1U];
    }
  }
  return 0;
}

/// Calls body(tally, number of wrong values) for each block, row by row. Adds up columns first, in
/// loops along rows.
template <class Elements, class Tally, class Body>
void tallyBlocksOf(const Elements& elements, const BlockGrid& grid, const BlockRule& rule,
                   const Tally& empty, const Body& body) {
  std::vector<Tally> sums(static_cast<std::size_t>(grid.columns));
  const std::int64_t rows = grid.blockRows(), columns = grid.blockColumns();
  for (std::int64_t blockRow = 0; blockRow < rows; ++blockRow) {
    std::fill(sums.begin(), sums.end(), empty);
    const BlockPart first = BlockPart::of(grid, blockRow, 0);
    std::uint64_t wrong = 0;
    for (std::int64_t row = first.top; row < first.bottom; ++row) {
      const std::int64_t begin = grid.first + row * grid.rowStride;
      for (std::int64_t column = 0; column < grid.columns; ++column) {
        const auto value = elements(begin + column * grid.columnStride);
        const bool isGood = isAllowed(rule, value);
        sums[static_cast<std::size_t>(column)].add(rule, isGood ? value : 0, isGood ? 1U : 0U);
        wrong += isGood ? 0U : 1U;
      }
    }
    for (std::int64_t column = 0; column < columns; ++column) {
      const BlockPart part = BlockPart::of(grid, blockRow, column);
      Tally tally = empty;
      for (std::int64_t i = part.left; i < part.right; ++i)
        for (int k = 0; k < Tally::words; ++k)
          tally.word[k] = Tally::merged(tally.word[k], sums[static_cast<std::size_t>(i)].word[k]);
      body(tally, std::exchange(wrong, 0));
    }
  }
}
template <class Tally, class Body>
void tallyBlocksOf(const BitElements& elements, const BlockGrid& grid, const BlockRule& rule,
                   const Tally& empty, const Body& body) {
  forEachBlock(grid, [&](const BlockPart& part) {
    Tally tally = empty;
    body(tally, addBlock(elements, grid, rule, part, 0, 1, tally));
  });
}

}  // namespace

BlockTotals CpuDevice::tallyBlocks(const void* data, const BlockGrid& grid, const BlockRule& rule,
                                   void* tallies) {
  BlockTotals totals;
  withElements(rule, data, [&](const auto& elements) {
    if (grid.block == 1 && rule.value == BlockValue::maximum) {
      totals.wrong = tallyEach(elements, grid, rule, static_cast<float*>(tallies));
      return;
    }
    withTally(rule, [&](const auto& empty) {
      auto* to = static_cast<typename std::decay_t<decltype(empty)>::Word*>(tallies);
      tallyBlocksOf(elements, grid, rule, empty, [&](const auto& tally, std::uint64_t wrong) {
        totals.wrong += wrong;
        to = std::copy_n(tally.word, tally.words, to);
        if (rule.value != BlockValue::counts) return;
        for (int i = 0; i < tally.words; ++i)
          totals.counts[static_cast<std::size_t>(i)] += static_cast<std::uint64_t>(tally.word[i]);
      });
    });
  });
  return totals;
}

void CpuDevice::indexBlocks(const void* tallies, const BlockGrid& grid, const BlockRule& rule,
                            const BlockTotals& totals, void* indices) {
  const auto* tally = static_cast<const char*>(tallies);
  auto* to = static_cast<std::uint8_t*>(indices);
  if (rule.value == BlockValue::maximum) {
    const auto* const positions = static_cast<const float*>(tallies);
    std::transform(positions, positions + grid.blocks(), to,
                   [](float position) { return paletteIndex(position); });
    return;
  }
  forEachBlock(grid, [&](const BlockPart& part) {
    *to++ = indexOf(rule, tally, part.places(), totals.counts.data());
    tally += rule.tallyBytes();
  });
}

}  // namespace mass::detail

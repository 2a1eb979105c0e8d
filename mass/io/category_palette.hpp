#pragma once

#include <mass/io/image.hpp>
#include <mass/support/pixel.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mass::detail {

/// Palette of categories: index i is the colour of category i, and the indices behind them are
/// blends of each two categories, as many for each pair as there is room for.
class CategoryPalette {
 public:
  static constexpr std::size_t most = 254;  ///< largest number of categories, and of indices

  /// @param colors colours of the categories, 1 to `most`
  explicit CategoryPalette(std::vector<Rgb> colors);

  /// Returns the meaning of the indices.
  const CategoryIndices& indices() const { return indices_; }
  /// Returns the colours of all indices.
  const std::vector<Rgb>& colors() const { return colors_; }

  /// Draws categories. A pixel of a block of places has a colour between two categories, according
  /// to their numbers in the block: the most frequent one, and of the others the one that has the
  /// largest share of its places there, so that thin fronts and rare agents remain visible.
  /// @param values numbers of categories, rows x columns, row by row from the top
  /// @throws UsageError if the number of values differs
  Image render(std::span<const float> values, std::int64_t rows, std::int64_t columns,
               const RenderSize& size = {}) const;

 private:
  CategoryIndices indices_;
  std::vector<Rgb> colors_;
};

}  // namespace mass::detail

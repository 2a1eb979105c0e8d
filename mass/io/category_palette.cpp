#include <mass/io/category_palette.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mass::detail {
namespace {

/// Returns the numbers of places of each category in a block.
void countBlock(std::span<const float> values, std::int64_t columns, std::int64_t top,
                std::int64_t bottom, std::int64_t left, std::int64_t right,
                std::vector<std::int64_t>& counts) {
  std::fill(counts.begin(), counts.end(), 0);
  for (std::int64_t row = top; row < bottom; ++row) {
    for (std::int64_t column = left; column < right; ++column) {
      const float value = values[static_cast<std::size_t>(row * columns + column)];
      ++counts[static_cast<std::size_t>(value)];
    }
  }
}

}  // namespace

CategoryPalette::CategoryPalette(std::vector<Rgb> colors)
    : categories_(colors.size()), colors_(std::move(colors)) {
  if (categories_ < 2) return;
  blends_ = (most - categories_) / (categories_ * (categories_ - 1) / 2);
  for (std::size_t low = 0; low < categories_; ++low) {
    for (std::size_t high = low + 1; high < categories_; ++high) {
      for (std::size_t i = 1; i <= blends_; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(blends_ + 1);
        colors_.push_back(blend(colors_[low], colors_[high], share));
      }
    }
  }
}

Image CategoryPalette::render(std::span<const float> values, std::int64_t rows,
                              std::int64_t columns, const RenderSize& size) const {
  const std::int64_t longer = std::max(rows, columns);
  if (longer <= size.largest) return mass::render(values, rows, columns, 0, 255, size);
  if (values.size() != static_cast<std::size_t>(rows * columns)) {
    throw UsageError("cannot render {} values as {} rows of {} columns", values.size(), rows,
                     columns);
  }
  const std::int64_t block = (longer + size.largest - 1) / size.largest;
  Image image{(columns + block - 1) / block, (rows + block - 1) / block, {}};
  image.pixels.reserve(static_cast<std::size_t>(image.width * image.height));
  std::vector<std::int64_t> counts(categories_), totals(categories_);
  countBlock(values, columns, 0, rows, 0, columns, totals);
  for (std::int64_t top = 0; top < rows; top += block) {
    for (std::int64_t left = 0; left < columns; left += block) {
      countBlock(values, columns, top, std::min(top + block, rows), left,
                 std::min(left + block, columns), counts);
      image.pixels.push_back(indexFor(counts, totals));
    }
  }
  return image;
}

/// Returns the index of the first blend of two categories. @pre `low` < `high`
std::size_t CategoryPalette::firstBlend(std::size_t low, std::size_t high) const {
  const std::size_t pairsBefore = low * categories_ - low * (low + 1) / 2;
  return categories_ + (pairsBefore + high - low - 1) * blends_;
}

/// Returns the index of the colour for a block.
/// @param counts number of places of each category in the block, not all 0
/// @param totals number of places of each category in the field
std::uint8_t CategoryPalette::indexFor(const std::vector<std::int64_t>& counts,
                                       const std::vector<std::int64_t>& totals) const {
  const auto first =
      static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  std::size_t second = first;
  double largestShare = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i == first || counts[i] == 0) continue;
    const double share = static_cast<double>(counts[i]) / static_cast<double>(totals[i]);
    if (share <= largestShare) continue;
    largestShare = share;
    second = i;
  }
  const auto [low, high] = std::minmax(first, second);
  const double share =
      static_cast<double>(counts[high]) / static_cast<double>(counts[low] + counts[high]);
  const auto step = static_cast<std::size_t>(std::lround(share * static_cast<double>(blends_ + 1)));
  if (low == high || step > blends_) return static_cast<std::uint8_t>(high);
  return static_cast<std::uint8_t>(step == 0 ? low : firstBlend(low, high) + step - 1);
}

}  // namespace mass::detail

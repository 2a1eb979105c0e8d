#include <mass/io/category_palette.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
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

CategoryPalette::CategoryPalette(std::vector<Rgb> colors) : colors_(std::move(colors)) {
  const std::size_t categories = colors_.size();
  indices_.categories = static_cast<std::int64_t>(categories);
  if (categories < 2) return;
  const std::size_t blends = (most - categories) / (categories * (categories - 1) / 2);
  indices_.blends = static_cast<std::int64_t>(blends);
  for (std::size_t low = 0; low < categories; ++low) {
    for (std::size_t high = low + 1; high < categories; ++high) {
      for (std::size_t i = 1; i <= blends; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(blends + 1);
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
  const auto categories = static_cast<std::size_t>(indices_.categories);
  std::vector<std::int64_t> counts(categories), totals(categories);
  countBlock(values, columns, 0, rows, 0, columns, totals);
  for (std::int64_t top = 0; top < rows; top += block) {
    for (std::int64_t left = 0; left < columns; left += block) {
      countBlock(values, columns, top, std::min(top + block, rows), left,
                 std::min(left + block, columns), counts);
      image.pixels.push_back(indices_.of(counts.data(), totals.data()));
    }
  }
  return image;
}

}  // namespace mass::detail

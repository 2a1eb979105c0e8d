#include <mass/memory/layout.hpp>

#include <mass/support/error.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 62;

/// Returns a product of numbers of places. @throws UsageError if it exceeds `largest`
std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > largest) {
    throw UsageError(
        "a world of {} x {} places or more is too large: at most 2^62 places are possible", a, b);
  }
  return product;
}

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// Returns the largest power of 2 up to 64 that is at most columns / spare.
std::int64_t lineAlignment(std::int64_t columns, std::int64_t spare) {
  std::int64_t places = 1;
  while (places < 64 && spare * places * 2 <= columns) places *= 2;
  return places;
}

}  // namespace

Layout Layout::of(const Domain& domain, const std::array<std::int64_t, 3>& counts) {
  // Checks the number of places of the world.
  multiply(multiply(domain.shape[0], domain.shape[1]), domain.shape[2]);
  Layout layout;
  layout.rows = counts[0];
  layout.interleave = domain.interleave;
  layout.depth = domain.reach;
  layout.ghostRows = std::max<std::int64_t>(domain.reach, domain.ghostRows);
  std::int64_t lead = 0;  // places before the first line, so that column 0 is aligned
  if (domain.dimensions > 1) {
    layout.padding = domain.reach;
    layout.ghostColumns = std::max(layout.padding, domain.ghostColumns);
    layout.columns = counts[2];
    const std::int64_t alignment =
        std::max(domain.alignment, lineAlignment(layout.columns, domain.spare));
    layout.pitch = roundUp(layout.columns + 2 * layout.ghostColumns, alignment);
    layout.rowStride = layout.pitch;
    lead = roundUp(layout.ghostColumns, alignment);
  }
  std::int64_t firstLine = 0;
  if (domain.dimensions == 3) {
    layout.lines = counts[1];
    layout.ghostLines = std::max(layout.padding, domain.ghostLines);
    layout.rowStride = multiply(layout.lines + 2 * layout.ghostLines, layout.pitch);
    firstLine = layout.ghostLines * layout.pitch;
  }
  layout.size = multiply(layout.rows + 2 * layout.ghostRows, layout.rowStride) + lead;
  layout.origin = layout.ghostRows * layout.rowStride + firstLine + lead;
  return layout;
}

Layout Layout::packed() const {
  constexpr std::int64_t spare = 32;  // words of a line for a word that aligns the next line
  Layout words = *this;
  words.padding = words.ghostColumns = 0;
  words.columns = (columns + placesOfWord - 1) / placesOfWord;
  words.pitch = words.rowStride = roundUp(words.columns, lineAlignment(words.columns, spare));
  words.origin = ghostRows * words.rowStride;
  words.size = (rows + 2 * ghostRows) * words.rowStride;
  return words;
}

}  // namespace mass::detail

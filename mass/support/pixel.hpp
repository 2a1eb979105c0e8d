#pragma once

#include <mass/support/qualifiers.hpp>

#include <cmath>
#include <cstdint>

namespace mass::detail {

// Arithmetic of pictures: from the values of places to palette indices. CPUs and GPUs return the
// same bits, and a block has the same index in whatever order its places are added.

/// Position of a value between two bounds.
struct ValueScale {
  float low = 0, factor = 1;

  /// Returns the scale of the values from `low` to `high`. If they are equal, every greater value
  /// has position 1.
  /// @throws UsageError if they are no numbers, or `low` is above `high`
  static ValueScale between(float low, float high);

  /// Returns the position, clamped to 0 to 1; 0 for NaN. Has no branches, so that loops are
  /// vectorized.
  MASS_FN float operator()(float value) const {
    const float position = (value - low) * factor;
    return position > 0 ? (position < 1 ? position : 1.0F) : 0.0F;
  }
};

/// Number of units of whole-number positions from 0 to 1. Positions from 1/64 on are exact in it.
inline constexpr std::int32_t positionUnits = 1 << 30;

/// Returns a position in units. Sums of units are exact, so that their order does not matter.
MASS_FN inline std::int32_t unitsOf(float position) {
  return static_cast<std::int32_t>(position * static_cast<float>(positionUnits));
}

/// Returns the index of the nearest colour of 256, halves up. @param position 0 to 1
MASS_FN inline std::uint8_t paletteIndex(double position) {
  // The position is no less than 0, and a loop with lround is not vectorised.
  return static_cast<std::uint8_t>(position * 255 + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

/// Returns the index of the mean of some places. @param units sum of unitsOf() their positions
MASS_FN inline std::uint8_t meanIndex(std::uint64_t units, std::int64_t places) {
  return paletteIndex(static_cast<double>(units) /
                      (static_cast<double>(places) * static_cast<double>(positionUnits)));
}

/// Palette of categories: index i is category i, and the indices behind them are `blends` colours
/// between each two categories.
struct CategoryIndices {
  std::int64_t categories = 0;
  std::int64_t blends = 0;  ///< number of blends for each pair

  /// Returns the index of the first blend of two categories. @pre `low` < `high`
  MASS_FN std::int64_t firstBlend(std::int64_t low, std::int64_t high) const {
    const std::int64_t pairsBefore = low * categories - low * (low + 1) / 2;
    return categories + (pairsBefore + high - low - 1) * blends;
  }

  /// Returns the index for a block: between its most frequent category and, of the others, the one
  /// that has the largest share of its places there.
  /// @param counts number of places of each category in the block, not all 0
  /// @param totals number of places of each category in the field
  template <class Count, class Total>
  MASS_FN std::uint8_t of(const Count* counts, const Total* totals) const {
    std::int64_t first = 0;
    for (std::int64_t i = 1; i < categories; ++i)
      if (counts[i] > counts[first]) first = i;
    std::int64_t second = first;
    double largestShare = 0;
    for (std::int64_t i = 0; i < categories; ++i) {
      if (i == first || counts[i] == 0) continue;
      const double share = static_cast<double>(counts[i]) / static_cast<double>(totals[i]);
      if (share <= largestShare) continue;
      largestShare = share;
      second = i;
    }
    const std::int64_t low = first < second ? first : second, high = first + second - low;
    const double share = static_cast<double>(counts[high]) /
                         (static_cast<double>(counts[low]) + static_cast<double>(counts[high]));
    const double steps = share * static_cast<double>(blends + 1);
    const auto step = static_cast<std::int64_t>(std::floor(steps + 0.5));
    if (low == high || step > blends) return static_cast<std::uint8_t>(high);
    return static_cast<std::uint8_t>(step == 0 ? low : firstBlend(low, high) + step - 1);
  }
};

}  // namespace mass::detail

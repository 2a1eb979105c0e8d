#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstdint>

namespace mass::detail {

/// Places along an axis of an argument of a rule, compared with those of the rule.
enum class Scale : std::uint8_t {
  same,    ///< as many
  finer,   ///< a multiple: a block of them for each place of the rule
  coarser  ///< a fraction: one of them for a block of places of the rule
};

/// Length of the longer of two axes divided by that of the shorter one.
struct AxisRatio {
  std::int32_t value = 1;
  std::uint32_t reciprocal = 1;  ///< 2^shift / value, rounded up
  int shift = 0;                 ///< 31 + log2(value), rounded up

  AxisRatio() = default;
  /// @pre ratio > 0
  explicit AxisRatio(std::int32_t ratio)
      : value(ratio),
        shift(31 + static_cast<int>(std::bit_width(static_cast<std::uint32_t>(ratio) - 1))) {
    const std::uint64_t divisor = static_cast<std::uint32_t>(ratio);
    reciprocal = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + divisor - 1) / divisor);
  }

  /// Returns at / value, by a multiplication, which compilers vectorise.
  /// @pre 0 <= at < 2^31
  MASS_FN std::int64_t dividing(std::int64_t at) const {
    return static_cast<std::int64_t>(
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(at)) * reciprocal >> shift);
  }
};

}  // namespace mass::detail

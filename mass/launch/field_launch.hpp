#pragma once

#include <mass/memory/layout.hpp>
#include <mass/support/qualifiers.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {

struct PlacesState;

/// Places along an axis of a field, compared with those of the rule that reads it.
enum class Scale : std::uint8_t {
  same,    ///< as many
  finer,   ///< a multiple: a block of the field for each place of the rule
  coarser  ///< a fraction: one place of the field for a block of places of the rule
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

/// Places on one device that a rule of other places reads.
struct FieldView {
  Layout layout;
  std::int64_t firstRow = 0;              ///< global number of the band's row 0
  std::array<AxisRatio, 3> ratio{};       ///< ratios of rows, lines and columns
  std::vector<const void*> components{};  ///< by component: the present state
};

/// Places that a rule of other places reads: an argument of callAll.
struct FieldSource {
  std::shared_ptr<PlacesState> places;
  Scale scale = Scale::same;
  std::vector<FieldView> byDevice{};  ///< made by prepareArguments()
};

/// FieldSource of places of class P, for a parameter that declares their scale.
template <class P, Scale scale_>
struct FieldOf : FieldSource {
  explicit FieldOf(std::shared_ptr<PlacesState> field) : FieldSource{std::move(field), scale_} {}
};

}  // namespace mass::detail

#pragma once

#include <mass/launch/scale.hpp>
#include <mass/rules/here.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>
#include <mass/support/space.hpp>

#include <cstdint>

// Positions of places of other scales.

namespace mass::detail {

/// Position in rows (of the whole world), lines and columns.
struct WorldPosition {
  std::int64_t row, line, column;

  /// Returns the position of a rule's call.
  template <int D>
  MASS_FN static WorldPosition of(const Here<D>& here) {
    const auto at = LocalPosition::of(here);
    return {at.row + at.firstRow, at.line, at.column};
  }
  /// Returns the position of a rule's call among places of a scale: of finer places, the first one
  /// of the block. @param ratio ratios of rows, lines and columns
  template <Scale scale, int D>
  MASS_FN static WorldPosition at(const Here<D>& here, const AxisRatio (&ratio)[3]) {
    const WorldPosition at = of(here);
    if constexpr (scale == Scale::finer) return at.times(ratio);
    if constexpr (scale == Scale::coarser) return at.over(ratio);
    return at;
  }
  /// Returns the position of the first place of a block of finer places.
  MASS_FN WorldPosition times(const AxisRatio (&ratio)[3]) const {
    return {row * ratio[0].value, line * ratio[1].value, column * ratio[2].value};
  }
  /// Returns the position of the coarser place.
  MASS_FN WorldPosition over(const AxisRatio (&ratio)[3]) const {
    return {ratio[0].dividing(row), ratio[1].dividing(line), ratio[2].dividing(column)};
  }
  /// Returns the position as coordinates of places.
  template <int D>
  MASS_FN Coordinates<D> coordinates() const {
    if constexpr (D == 1) return {row};
    if constexpr (D == 2) return {row, column};
    if constexpr (D == 3) return {row, line, column};
  }
};

/// Returns the number of places along an axis of the block that a coarser place covers.
/// @param ratio ratios of rows, lines and columns
template <int D>
MASS_FN inline int blockAlong(int axis, const AxisRatio (&ratio)[3]) {
  return ratio[D == 2 && axis == 1 ? 2 : axis].value;
}
/// Returns the number of places along each axis of the block that a coarser place covers.
template <int D>
MASS_FN inline Offset<D> blockOf(const AxisRatio (&ratio)[3]) {
  Offset<D> block{};
  for (int axis = 0; axis < D; ++axis) block[axis] = blockAlong<D>(axis, ratio);
  return block;
}

/// Returns the place of a block that contains a position, or the nearest one of the block: rounding
/// may put a position at the border of a coarser bin into a finer bin beside it. A position that is
/// nowhere is in the first place.
/// @param space space of the finer places @param first first place of the block
template <int D, class Position>
MASS_FN inline Coordinates<D> placeInBlock(const Space<D>& space, const Position& position,
                                           const Coordinates<D>& first, const Offset<D>& block) {
  Coordinates<D> place = space.binOf(position);
  for (int axis = 0; axis < D; ++axis) {
    const std::int64_t last = first[axis] + block[axis] - 1;
    if (place[axis] < first[axis]) place[axis] = first[axis];
    if (place[axis] > last) place[axis] = last;
  }
  return place;
}

}  // namespace mass::detail

#pragma once

#include <mass/partition/border.hpp>
#include <mass/partition/place_mask.hpp>

#include <array>
#include <cstdint>

namespace mass::detail {

/// Adjacent places of a grid along its axes. Direction 2 a + s of axis a points to lower (s = 0) or
/// higher (s = 1) coordinates. Axis 0 is the first one; missing axes come last.
struct GridNeighbors {
  int dimensions = 1;
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< places along each axis; 1 for a missing axis
  std::array<Border, 3> borders{};
  const PlaceMask* mask = nullptr;  ///< places that exist; null: all

  /// Returns the number of the place next to a place; -1 if there is none: beyond a border that is
  /// not periodic, along a periodic axis of one place, and where none exists.
  std::int64_t of(std::int64_t place, int direction) const {
    if (mask == nullptr) return inGrid(place, direction);
    const std::int64_t next = inGrid(mask->indices[static_cast<std::size_t>(place)], direction);
    return next < 0 ? -1 : mask->find(next);
  }
  /// True if both neighbours along the axis of a direction are the same place.
  bool isDouble(int direction) const {
    const auto axis = static_cast<std::size_t>(direction / 2);
    return borders[axis] == Border::periodic && shape[axis] == 2;
  }
  /// Returns the number of axes along which places have neighbours.
  int openAxes() const {
    int open = 0;
    for (int axis = 0; axis < dimensions; ++axis) open += shape[static_cast<std::size_t>(axis)] > 1;
    return open;
  }

 private:
  /// Returns the row-major index next to an index of the grid, or -1.
  std::int64_t inGrid(std::int64_t place, int direction) const {
    const auto axis = static_cast<std::size_t>(direction / 2);
    std::int64_t stride = 1;
    for (auto a = static_cast<std::size_t>(dimensions) - 1; a > axis; --a) stride *= shape[a];
    const std::int64_t at = place / stride % shape[axis];
    const std::int64_t next = at + (direction % 2 == 0 ? -1 : 1);
    if (0 <= next && next < shape[axis]) return place + (next - at) * stride;
    if (borders[axis] != Border::periodic || shape[axis] == 1) return -1;
    return place + (next < 0 ? shape[axis] - 1 : 1 - shape[axis]) * stride;
  }
};

}  // namespace mass::detail

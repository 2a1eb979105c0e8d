#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>

namespace mass {

/// One integer per axis; axis 0 is the slowest (rows), the last axis is contiguous in memory.
template <int D, class T>
struct Tuple {
  static_assert(1 <= D && D <= 3, "places have 1, 2 or 3 dimensions");
  T values[static_cast<std::size_t>(D)];

  MASS_FN constexpr T& operator[](int axis) { return values[axis]; }
  MASS_FN constexpr const T& operator[](int axis) const { return values[axis]; }
  MASS_FN friend constexpr bool operator==(const Tuple& a, const Tuple& b) {
    bool same = true;
    for (int axis = 0; axis < D; ++axis) same = same && a[axis] == b[axis];
    return same;
  }
};

/// Places per axis.
template <int D>
using Shape = Tuple<D, std::int64_t>;

/// Where a place is, 0 <= coordinates[axis] < shape[axis].
template <int D>
using Coordinates = Tuple<D, std::int64_t>;

/// A neighbour's position relative to a place.
template <int D>
using Offset = Tuple<D, int>;

/// Number of places in a shape. The caller has checked that it fits.
template <int D>
MASS_FN constexpr std::int64_t count(const Shape<D>& shape) {
  std::int64_t product = 1;
  for (int axis = 0; axis < D; ++axis) product *= shape[axis];
  return product;
}

/// The number of a place in a world of that shape, row by row.
template <int D>
MASS_FN constexpr std::int64_t indexOf(const Coordinates<D>& place, const Shape<D>& shape) {
  std::int64_t index = 0;
  for (int axis = 0; axis < D; ++axis) index = index * shape[axis] + place[axis];
  return index;
}

/// Where the place of a number is.
template <int D>
MASS_FN constexpr Coordinates<D> coordinatesOf(std::int64_t index, const Shape<D>& shape) {
  Coordinates<D> place{};
  for (int axis = D - 1; axis >= 0; --axis) {
    place[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return place;
}

}  // namespace mass

#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>

namespace mass {

/// One integer per axis, for 1 to 3 axes. Axis 0 (rows) has the largest stride; the last axis is
/// contiguous in memory.
template <int D, class T>
struct Tuple {
  static_assert(1 <= D && D <= 3, "places have 1, 2 or 3 dimensions");
  /// Values by axis.
  T values[static_cast<std::size_t>(D)];

  /// Returns the value of an axis, 0 <= axis < D.
  MASS_FN constexpr T& operator[](int axis) { return values[axis]; }
  /// Returns the value of an axis, 0 <= axis < D.
  MASS_FN constexpr const T& operator[](int axis) const { return values[axis]; }
  /// True if all values are equal.
  MASS_FN friend constexpr bool operator==(const Tuple& a, const Tuple& b) {
    bool same = true;
    for (int axis = 0; axis < D; ++axis) same = same && a[axis] == b[axis];
    return same;
  }
  /// Returns all values times a factor: `2 * offset`.
  MASS_FN friend constexpr Tuple operator*(T factor, const Tuple& tuple) {
    Tuple product{};
    for (int axis = 0; axis < D; ++axis) product[axis] = factor * tuple[axis];
    return product;
  }
  /// Returns all values times a factor: `offset * 2`.
  MASS_FN friend constexpr Tuple operator*(const Tuple& tuple, T factor) { return factor * tuple; }
  /// Returns the tuple in the opposite direction: `-offset`.
  MASS_FN friend constexpr Tuple operator-(const Tuple& tuple) { return T{-1} * tuple; }
};

/// Returns the sums by axis, of offsets, or of coordinates and an offset: `coordinates + offset`.
template <int D, class T, class U>
MASS_FN constexpr auto operator+(const Tuple<D, T>& a, const Tuple<D, U>& b) {
  Tuple<D, decltype(T{} + U{})> sum{};
  for (int axis = 0; axis < D; ++axis) sum[axis] = a[axis] + b[axis];
  return sum;
}
/// Returns the differences by axis.
template <int D, class T, class U>
MASS_FN constexpr auto operator-(const Tuple<D, T>& a, const Tuple<D, U>& b) {
  return a + -b;
}

/// Number of places along each axis.
template <int D>
using Shape = Tuple<D, std::int64_t>;

/// Coordinates of a place, 0 <= coordinates[axis] < shape[axis].
template <int D>
using Coordinates = Tuple<D, std::int64_t>;

/// Position of a neighbour relative to a place, in places along each axis.
template <int D>
using Offset = Tuple<D, int>;

/// Returns the number of places of a shape. @pre the product fits 63 bits
template <int D>
MASS_FN constexpr std::int64_t count(const Shape<D>& shape) {
  std::int64_t product = 1;
  for (int axis = 0; axis < D; ++axis) product *= shape[axis];
  return product;
}

/// Returns the row-major index of a place, 0 <= index < count(shape).
template <int D>
MASS_FN constexpr std::int64_t indexOf(const Coordinates<D>& place, const Shape<D>& shape) {
  std::int64_t index = 0;
  for (int axis = 0; axis < D; ++axis) index = index * shape[axis] + place[axis];
  return index;
}

/// Returns the coordinates of the place with row-major index `index`; the inverse of indexOf().
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

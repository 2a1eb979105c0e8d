#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass {

/// One integer per axis; axis 0 is the slowest (rows), the last axis is contiguous in memory.
template <int D, class T>
struct Tuple {
  static_assert(1 <= D && D <= 3, "places have 1, 2 or 3 dimensions");
  T values[D];

  MASS_FN constexpr T& operator[](int axis) { return values[axis]; }
  MASS_FN constexpr const T& operator[](int axis) const { return values[axis]; }
  friend constexpr bool operator==(const Tuple&, const Tuple&) = default;
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

}  // namespace mass

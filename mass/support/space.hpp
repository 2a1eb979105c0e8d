#pragma once

#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mass {

/// The place in whose bin a position lies, where places are bins of a continuous space: cubes of
/// edge `size`, the first of which begins at 0 along every axis. A position outside the world lies
/// in the bin nearest to it.
template <int D, class Real>
MASS_FN inline Coordinates<D> binAt(const Real (&position)[static_cast<std::size_t>(D)], Real size,
                                    const Shape<D>& shape) {
  Coordinates<D> bin{};
  for (int axis = 0; axis < D; ++axis) {
    const Real at = std::floor(position[axis] / size);
    const auto last = static_cast<Real>(shape[axis] - 1);
    bin[axis] = at > last ? shape[axis] - 1 : at > 0 ? static_cast<std::int64_t>(at) : 0;
  }
  return bin;
}

/// A position along an axis of `length` that goes round, brought into [0, length) from less than a
/// length outside.
template <class Real>
MASS_FN inline Real wrapped(Real position, Real length) {
  if (position < 0) position += length;
  // What was just below 0 may have been rounded up to the length.
  return position >= length ? position - length : position;
}

/// The way from one position to another along an axis of `length` that goes round, the shorter one.
template <class Real>
MASS_FN inline Real wayAround(Real from, Real to, Real length) {
  const Real way = to - from;
  if (way > length / 2) return way - length;
  if (way < -length / 2) return way + length;
  return way;
}

}  // namespace mass

#pragma once

#include <mass/support/math.hpp>
#include <mass/support/point.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mass {

/// Returns the shortest displacement between two coordinates of a periodic axis (minimum image),
/// between -length / 2 and length / 2.
/// @param from, to coordinates, 0 <= coordinate < length
/// @param length length of the axis
template <class Real>
MASS_FN inline Real wayAround(Real from, Real to, Real length) {
  const Real way = to - from;
  if (way > length / 2) return way - length;
  if (way < -length / 2) return way + length;
  return way;
}

/// Displacement between two positions.
template <int D>
struct Way {
  Point<D> along{};   ///< component along each axis
  float squared = 0;  ///< square of the Euclidean length

  /// Returns the component along an axis, 0 <= axis < D.
  MASS_FN float operator[](int axis) const { return along[axis]; }
  /// Sets the component along an axis and adds its square to `squared`.
  /// @pre called once for each axis, in the order 0, 1, ...
  MASS_FN void set(int axis, float length) {
    along[axis] = length;
    squared = axis == 0 ? length * length : squared + length * length;
  }
  /// Returns the Euclidean length.
  MASS_FN float length() const { return std::sqrt(squared); }
  /// Returns 1 / length(); see inverseSqrt(). On GPUs it is faster than a square root and a
  /// division.
  MASS_FN float inverseLength() const { return inverseSqrt(squared); }
};

/// Continuous space of D dimensions, divided into cubic bins, one for each place. Bin i of an axis
/// covers the coordinates [i * edge, (i + 1) * edge). spaceOf() returns the space of some Places. A
/// position is a Point<D>, a float[D] or a std::array<float, D>.
template <int D>
struct Space {
  float edge = 1;                                   ///< edge length of a bin
  Shape<D> bins{};                                  ///< number of bins along each axis
  bool periodic[static_cast<std::size_t>(D)] = {};  ///< true for each periodic axis

  /// Returns the length of the space along an axis.
  MASS_FN float length(int axis) const { return edge * static_cast<float>(bins[axis]); }

  /// Coordinate along axis 0 of a position that is nowhere; Intent::moveTo refuses it.
  static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min();

  /// Returns the bin that contains a position. Along an axis that does not contain it, the nearest
  /// bin.
  /// @return a bin with the coordinate `nowhere` along axis 0 if the position is not finite; in
  /// checked builds also if it is outside a periodic axis, so that wrap() must precede
  template <class Position>
  MASS_FN Coordinates<D> binOf(const Position& position) const {
    Coordinates<D> bin{};
    float error = 0;  // NaN if the position is not finite
    for (int axis = 0; axis < D; ++axis) {
      const float at = std::floor(position[static_cast<std::size_t>(axis)] / edge);
      const auto last = static_cast<float>(bins[axis] - 1);
      bin[axis] = at > last ? bins[axis] - 1 : at > 0 ? static_cast<std::int64_t>(at) : 0;
      error += at - at;
      // A coordinate just below the length may round to the number of bins.
      if (checked && periodic[axis] && !(at >= 0 && at <= last + 1)) error = 1;
    }
    if (!(error == 0)) bin[0] = nowhere;
    return bin;
  }

  /// Returns the centre of a bin.
  MASS_FN Point<D> center(const Coordinates<D>& bin) const {
    Point<D> position;
    for (int axis = 0; axis < D; ++axis)
      position[axis] = edge * (static_cast<float>(bin[axis]) + 0.5F);
    return position;
  }
  /// Returns a position in a bin, drawn at random. @param random a Random
  template <class Generator>
  MASS_FN Point<D> draw(const Coordinates<D>& bin, Generator& random) const {
    Point<D> position;
    for (int axis = 0; axis < D; ++axis) {
      const auto first = static_cast<float>(bin[axis]);
      const float at = edge * (first + random.template uniform<float>());
      const float end = edge * (first + 1);  // to which the sum may be rounded
      position[axis] = at < end ? at : edge * first;
    }
    return position;
  }

  /// Wraps a position into [0, length) along each periodic axis. A coordinate that is one length or
  /// more outside becomes NaN, which binOf() refuses. Coordinates along other axes are unchanged.
  template <class Position>
  MASS_FN void wrap(Position& position) const {
    for (int axis = 0; axis < D; ++axis) {
      if (!periodic[axis]) continue;
      float& at = position[static_cast<std::size_t>(axis)];
      if (at < 0) at += length(axis);
      // The sum of a tiny negative number and the length may round to the length.
      if (at >= length(axis)) at -= length(axis);
      if (!(at >= 0 && at < length(axis))) at = std::numeric_limits<float>::quiet_NaN();
    }
  }

  /// Brings a position back into the space: wraps it as wrap() along periodic axes, and reflects it
  /// at the ends of the others. A coordinate that is more than one length outside becomes NaN.
  /// @param velocity its component along an axis at whose end the position is reflected is reversed
  template <class Position, class Velocity>
  MASS_FN void confine(Position& position, Velocity& velocity) const {
    wrap(position);
    for (int axis = 0; axis < D; ++axis) {
      if (periodic[axis]) continue;
      float& at = position[static_cast<std::size_t>(axis)];
      const bool isBelow = at<0, isAbove = at> length(axis);
      if (!isBelow && !isAbove) continue;
      at = isBelow ? -at : 2 * length(axis) - at;
      if (!(at >= 0 && at <= length(axis))) at = std::numeric_limits<float>::quiet_NaN();
      float& along = velocity[static_cast<std::size_t>(axis)];
      along = -along;
    }
  }
  /// Brings a position back into the space; see above.
  template <class Position>
  MASS_FN void confine(Position& position) const {
    Point<D> unused;
    confine(position, unused);
  }

  /// Returns the offset from a bin to the one with a position, which may be outside the space; the
  /// shorter one along periodic axes. @pre the offset fits an int
  template <class Position>
  MASS_FN Offset<D> offsetTo(const Coordinates<D>& bin, const Position& position) const {
    Offset<D> offset{};
    for (int axis = 0; axis < D; ++axis) {
      const float at = std::floor(position[static_cast<std::size_t>(axis)] / edge);
      auto steps = static_cast<std::int64_t>(at) - bin[axis];
      if (periodic[axis]) steps = wayAround<std::int64_t>(0, steps, bins[axis]);
      offset[axis] = static_cast<int>(steps);
    }
    return offset;
  }

  /// Returns the displacement between two positions of the space, the shortest one along periodic
  /// axes (minimum image).
  template <class From, class To>
  MASS_FN Way<D> way(const From& from, const To& to) const {
    Way<D> way;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      // Equals wayAround(), but without branches, which would diverge on GPUs.
      const float half = periodic[a] ? length(axis) / 2 : std::numeric_limits<float>::infinity();
      const float straight = to[a] - from[a];
      const float over = straight > half ? length(axis) : 0.0F;
      const float under = straight < -half ? length(axis) : 0.0F;
      way.set(axis, straight - over + under);
    }
    return way;
  }

  /// Returns `to - from` without periodic wrapping. It equals way() if isStraight().
  template <class From, class To>
  MASS_FN static Way<D> straightWay(const From& from, const To& to) {
    Way<D> way;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      way.set(axis, to[a] - from[a]);
    }
    return way;
  }

  /// Box of bins around a bin, as the range of their offsets from it.
  struct Box {
    Offset<D> first{};  ///< smallest offset along each axis
    Offset<D> last{};   ///< largest offset along each axis, inclusive
  };
  /// True if no shortest displacement from a position in `bin` to one in `box` around it crosses a
  /// periodic boundary, so that straightWay() equals way().
  MASS_FN bool isStraight(const Coordinates<D>& bin, const Box& box) const {
    for (int axis = 0; axis < D; ++axis) {
      if (!periodic[axis]) continue;
      const int far = box.last[axis] > -box.first[axis] ? box.last[axis] : -box.first[axis];
      if (bin[axis] + box.first[axis] < 0 || bin[axis] + box.last[axis] >= bins[axis] ||
          bins[axis] < 2 * (std::int64_t{far} + 1)) {
        return false;
      }
    }
    return true;
  }
  /// Returns the bins that can contain a position closer than `radius` to a position in the central
  /// bin. A periodic axis with fewer bins contributes each bin once.
  /// @param radius in the unit of `edge`, at least 0
  MASS_FN Box binsWithin(float radius) const {
    const auto far = static_cast<int>(std::ceil(radius / edge));
    Box box;
    for (int axis = 0; axis < D; ++axis) {
      const bool meetsItself = periodic[axis] && bins[axis] < 2 * std::int64_t{far} + 1;
      box.last[axis] = meetsItself ? static_cast<int>(bins[axis] / 2) : far;
      box.first[axis] = meetsItself ? box.last[axis] - static_cast<int>(bins[axis] - 1) : -far;
    }
    return box;
  }
};

}  // namespace mass

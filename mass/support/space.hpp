#pragma once

#include <mass/support/math.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mass {

/// The way from one position to another along an axis of `length` that goes round, the shorter one.
template <class Real>
MASS_FN inline Real wayAround(Real from, Real to, Real length) {
  const Real way = to - from;
  if (way > length / 2) return way - length;
  if (way < -length / 2) return way + length;
  return way;
}

/// The way from one position to another: how far it goes along every axis.
template <int D>
struct Way {
  float along[static_cast<std::size_t>(D)] = {};
  float squared = 0;  ///< its length squared

  MASS_FN float operator[](int axis) const { return along[axis]; }
  /// Sets how far it goes along an axis, one after the other from the first.
  MASS_FN void set(int axis, float length) {
    along[axis] = length;
    squared = axis == 0 ? length * length : squared + length * length;
  }
  MASS_FN float length() const { return std::sqrt(squared); }
  /// 1 over its length; faster than the length and a division.
  MASS_FN float inverseLength() const { return inverseSqrt(squared); }
};

/// A continuous space of D dimensions, of which places are bins: cubes, the first of which begins
/// at 0 along every axis. spaceOf makes that of some Places. A position is a float[D] or a
/// std::array<float, D>.
template <int D>
struct Space {
  float edge = 1;                                   ///< of a bin
  Shape<D> bins{};                                  ///< along every axis
  bool periodic[static_cast<std::size_t>(D)] = {};  ///< whether an axis goes round

  MASS_FN float length(int axis) const { return edge * static_cast<float>(bins[axis]); }

  /// The bin in which a position lies; where it is outside the world, the bin nearest to it.
  template <class Position>
  MASS_FN Coordinates<D> binOf(const Position& position) const {
    Coordinates<D> bin{};
    for (int axis = 0; axis < D; ++axis) {
      const float at = std::floor(position[static_cast<std::size_t>(axis)] / edge);
      const auto last = static_cast<float>(bins[axis] - 1);
      bin[axis] = at > last ? bins[axis] - 1 : at > 0 ? static_cast<std::int64_t>(at) : 0;
    }
    return bin;
  }

  /// Brings a position back to where 0 <= position < length, along the axes that go round; it is
  /// less than a length outside. Along others it stays.
  template <class Position>
  MASS_FN void wrap(Position& position) const {
    for (int axis = 0; axis < D; ++axis) {
      if (!periodic[axis]) continue;
      float& at = position[static_cast<std::size_t>(axis)];
      if (at < 0) at += length(axis);
      // What was just below 0 may have been rounded up to the length.
      if (at >= length(axis)) at -= length(axis);
    }
  }

  /// The way between two positions of the world, the shorter one along axes that go round.
  template <class From, class To>
  MASS_FN Way<D> way(const From& from, const To& to) const {
    Way<D> way;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      // As wayAround does it, but without branches, which GPUs take one after the other.
      const float half = periodic[a] ? length(axis) / 2 : std::numeric_limits<float>::infinity();
      const float straight = to[a] - from[a];
      const float over = straight > half ? length(axis) : 0.0F;
      const float under = straight < -half ? length(axis) : 0.0F;
      way.set(axis, straight - over + under);
    }
    return way;
  }

  /// The same where it leads round nowhere.
  template <class From, class To>
  MASS_FN static Way<D> straightWay(const From& from, const To& to) {
    Way<D> way;
    for (int axis = 0; axis < D; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      way.set(axis, to[a] - from[a]);
    }
    return way;
  }

  /// The bins around one in which a position less than `radius` from one of its own can lie: all
  /// whose offsets are between two. Where an axis goes round in fewer bins than that, each is among
  /// them once.
  struct Box {
    Offset<D> first{}, last{};
  };
  /// Whether the ways from positions in a bin to those in a box around it lead round nowhere.
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

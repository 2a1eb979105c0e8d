#pragma once

#include <mass/support/math.hpp>
#include <mass/support/qualifiers.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace mass {

/// Position, displacement or velocity in D dimensions, with the arithmetic of vectors: `position +=
/// speed * heading`. As an attribute it is an array of D floats, in files too.
/// @tparam D dimensions, 1 to 3
template <int D>
struct Point {
  static_assert(1 <= D && D <= 3, "a point has 1, 2 or 3 dimensions");
  /// Components by axis.
  float values[static_cast<std::size_t>(D)] = {};

  /// Returns the component along an axis, 0 <= axis < D.
  template <class Axis>
  MASS_FN constexpr float& operator[](Axis axis) {
    return values[static_cast<std::size_t>(axis)];
  }
  /// Returns the component along an axis, 0 <= axis < D.
  template <class Axis>
  MASS_FN constexpr const float& operator[](Axis axis) const {
    return values[static_cast<std::size_t>(axis)];
  }

  /// Adds a displacement.
  MASS_FN constexpr Point& operator+=(const Point& other) {
    for (int axis = 0; axis < D; ++axis) values[axis] += other.values[axis];
    return *this;
  }
  /// Subtracts a displacement.
  MASS_FN constexpr Point& operator-=(const Point& other) {
    for (int axis = 0; axis < D; ++axis) values[axis] -= other.values[axis];
    return *this;
  }
  /// Multiplies all components by a factor.
  MASS_FN constexpr Point& operator*=(float factor) {
    for (int axis = 0; axis < D; ++axis) values[axis] *= factor;
    return *this;
  }
  /// Divides all components by a number.
  MASS_FN constexpr Point& operator/=(float divisor) {
    for (int axis = 0; axis < D; ++axis) values[axis] /= divisor;
    return *this;
  }
  MASS_FN friend constexpr Point operator+(Point a, const Point& b) { return a += b; }
  MASS_FN friend constexpr Point operator-(Point a, const Point& b) { return a -= b; }
  MASS_FN friend constexpr Point operator-(const Point& a) { return Point{} - a; }
  MASS_FN friend constexpr Point operator*(Point a, float factor) { return a *= factor; }
  MASS_FN friend constexpr Point operator*(float factor, Point a) { return a *= factor; }
  MASS_FN friend constexpr Point operator/(Point a, float divisor) { return a /= divisor; }
  /// True if all components are equal.
  MASS_FN friend constexpr bool operator==(const Point& a, const Point& b) {
    bool same = true;
    for (int axis = 0; axis < D; ++axis) same = same && a.values[axis] == b.values[axis];
    return same;
  }

  /// Returns the scalar product.
  MASS_FN constexpr float dot(const Point& other) const {
    float sum = values[0] * other.values[0];
    for (int axis = 1; axis < D; ++axis) sum += values[axis] * other.values[axis];
    return sum;
  }
  /// Returns the square of the Euclidean length.
  MASS_FN constexpr float squared() const { return dot(*this); }
  /// Returns the Euclidean length.
  MASS_FN float length() const { return std::sqrt(squared()); }
  /// Returns the point of length 1 in the same direction; the origin has none and is returned.
  MASS_FN Point unit() const {
    const float now = length();
    return now > 0 ? *this / now : *this;
  }

  /// Returns the point of length 1 at an angle from the direction of axis 0 to that of axis 1. CPUs
  /// and GPUs return the same bits. @param turns angle; a full turn is 1
  MASS_FN static Point heading(float turns) requires(D == 2) {
    return {sinPi(2 * turns + 0.5F), sinPi(2 * turns)};
  }
  /// Returns this turned about the origin, from axis 0 to axis 1. @param turns angle; a full turn
  /// is 1
  MASS_FN Point turned(float turns) const requires(D == 2) {
    const Point by = heading(turns);
    return {by.values[0] * values[0] - by.values[1] * values[1],
            by.values[1] * values[0] + by.values[0] * values[1]};
  }
  /// Returns a point of length 1 in a direction drawn at random, all with the same probability.
  template <class Random>
  MASS_FN static Point direction(Random& random) {
    if constexpr (D == 1) {
      return {random.bernoulli(0.5) ? 1.0F : -1.0F};
    } else if constexpr (D == 2) {
      return heading(random.template uniform<float>());
    } else {
      const float along = 2 * random.template uniform<float>() - 1;
      const auto across = std::sqrt(1 - along * along) * Point<2>::direction(random);
      return {along, across[0], across[1]};
    }
  }

  /// Converts to an array of the components.
  constexpr operator std::array<float, static_cast<std::size_t>(D)>()
      const {  // NOLINT(google-explicit-constructor): Places::upload and initialise take arrays
    std::array<float, static_cast<std::size_t>(D)> components{};
    for (std::size_t axis = 0; axis < components.size(); ++axis) components[axis] = values[axis];
    return components;
  }
};

}  // namespace mass

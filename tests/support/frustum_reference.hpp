#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace mass::testing {

using Vector = std::array<double, 3>;

inline double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Returns a + factor * b.
inline Vector sum(const Vector& a, double factor, const Vector& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

enum class Relation { apart, meeting, unknown };

/// Frustum with flat ends that decides whether it meets a box by alternating projections, which
/// share no code with the library.
class ReferenceFrustum {
 public:
  ReferenceFrustum(const Vector& first, const Vector& last, double firstRadius, double lastRadius)
      : first_(first), last_(last), firstRadius_(firstRadius), lastRadius_(lastRadius) {
    const Vector axis = sum(last, -1, first);
    length_ = std::sqrt(dot(axis, axis));
    direction_ = sum({}, 1 / length_, axis);
  }

  bool contains(const Vector& point) const {
    const Vector nearest = sum(nearestPoint(point), -1, point);
    return dot(nearest, nearest) == 0;
  }

  /// Returns the nearest point of the solid.
  Vector nearestPoint(const Vector& point) const {
    const Vector seen = sum(point, -1, first_);
    const double along = dot(seen, direction_);
    const Vector across = sum(seen, -along, direction_);
    const double away = std::sqrt(dot(across, across));
    const double at = std::clamp(along / length_, 0.0, 1.0);
    if (along >= 0 && along <= length_ && away <= radiusAt(at)) return point;
    // In the half plane of axis and point, the solid is a trapezoid with three outer sides.
    const double slant[4] = {0, firstRadius_, length_, lastRadius_};
    const double sides[3][4] = {{0, 0, 0, firstRadius_},
                                {slant[0], slant[1], slant[2], slant[3]},
                                {length_, 0, length_, lastRadius_}};
    double best = HUGE_VAL, bestAlong = 0, bestAway = 0;
    for (const auto& side : sides) {
      const double x = side[2] - side[0], y = side[3] - side[1];
      const double part =
          std::clamp(((along - side[0]) * x + (away - side[1]) * y) / (x * x + y * y), 0.0, 1.0);
      const double onX = side[0] + part * x, onY = side[1] + part * y;
      const double distance = std::hypot(along - onX, away - onY);
      if (distance < best) best = distance, bestAlong = onX, bestAway = onY;
    }
    const Vector onAxis = sum(first_, bestAlong, direction_);
    return away > 0 ? sum(onAxis, bestAway / away, across) : onAxis;
  }

  Relation relationTo(const Vector& low, const Vector& high) const {
    Vector inBox = sum(sum({}, 0.5, low), 0.5, high);
    for (int round = 0; round < 200000; ++round) {
      const Vector inSolid = nearestPoint(inBox);
      for (std::size_t i = 0; i < 3; ++i) inBox[i] = std::clamp(inSolid[i], low[i], high[i]);
      const Vector gap = sum(inSolid, -1, inBox);
      if (dot(gap, gap) < 1e-18) return Relation::meeting;
      if (separates(gap, low, high)) return Relation::apart;
    }
    return Relation::unknown;
  }

 private:
  double radiusAt(double part) const { return firstRadius_ + part * (lastRadius_ - firstRadius_); }

  /// True if all points of the solid are farther along `normal` than all of the box.
  bool separates(const Vector& normal, const Vector& low, const Vector& high) const {
    const double along = dot(normal, direction_);
    const double across = std::sqrt(std::max(0.0, dot(normal, normal) - along * along));
    const double solid = std::min(dot(normal, first_) - across * firstRadius_,
                                  dot(normal, last_) - across * lastRadius_);
    double box = 0;
    for (std::size_t i = 0; i < 3; ++i) box += normal[i] * (normal[i] > 0 ? high[i] : low[i]);
    return solid - box > 1e-12 * std::sqrt(dot(normal, normal));
  }

  Vector first_, last_, direction_{};
  double firstRadius_, lastRadius_, length_ = 0;
};

}  // namespace mass::testing

#include <apps/rdme/geometry/solid_shape.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rdme {
namespace {

using std::numbers::pi;

// Relative tolerance of comparisons: sizes are sums of decimal fractions with rounding errors.
constexpr double relativeTolerance = 1e-9;

}  // namespace

SolidShape SolidShape::box(const Point& from, const Point& to) {
  SolidShape shape;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shape.center[axis] = (from[axis] + to[axis]) / 2;
    shape.half[axis] = (to[axis] - from[axis]) / 2;
  }
  return shape;
}

SolidShape SolidShape::sphere(const Point& center, double diameter) {
  return {Form::sphere, center, {diameter / 2, diameter / 2, diameter / 2}, diameter / 2, 0};
}

SolidShape SolidShape::cylinder(const Point& center, double length, double diameter,
                                std::size_t axis) {
  SolidShape shape = sphere(center, diameter);
  shape.form = Form::cylinder;
  shape.half[axis] = length / 2;
  shape.axis = axis;
  return shape;
}

SolidShape SolidShape::capsule(const Point& center, double length, double diameter,
                               std::size_t axis) {
  SolidShape shape = cylinder(center, length, diameter, axis);
  shape.form = Form::capsule;
  return shape;
}

bool SolidShape::contains(const Point& point) const {
  if (form == Form::box) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double tolerance = relativeTolerance * half[i];
      // Half-open intervals: of two boxes with a common face, one contains the sites on it.
      if (point[i] < low(i) - tolerance || point[i] >= high(i) - tolerance) return false;
    }
    return true;
  }
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double distance = std::abs(point[i] - center[i]);
    if (i == axis && form == Form::cylinder) {
      if (distance > half[i] * (1 + relativeTolerance)) return false;
      distance = 0;
    }
    if (i == axis && form == Form::capsule) distance = std::max(0.0, distance - half[i] + radius);
    squares += distance * distance;
  }
  return squares <= radius * radius * (1 + relativeTolerance);
}

double SolidShape::volume() const {
  const double ball = 4.0 / 3 * pi * radius * radius * radius;
  switch (form) {
    case Form::box:
      return 8 * half[0] * half[1] * half[2];
    case Form::sphere:
      return ball;
    case Form::cylinder:
      return pi * radius * radius * 2 * half[axis];
    case Form::capsule:
      return pi * radius * radius * 2 * (half[axis] - radius) + ball;
  }
  return 0;
}

double SolidShape::area(const std::array<bool, 3>& wraps) const {
  const auto faces = [&](std::size_t normal, double face) { return wraps[normal] ? 0 : 2 * face; };
  switch (form) {
    case Form::box:
      return faces(0, 4 * half[1] * half[2]) + faces(1, 4 * half[0] * half[2]) +
             faces(2, 4 * half[0] * half[1]);
    case Form::sphere:
      return 4 * pi * radius * radius;
    case Form::cylinder:
      return 2 * pi * radius * 2 * half[axis] + faces(axis, pi * radius * radius);
    case Form::capsule:
      return 2 * pi * radius * 2 * (half[axis] - radius) + 4 * pi * radius * radius;
  }
  return 0;
}

double SolidShape::layerVolume(double depth, const std::array<bool, 3>& wraps) const {
  SolidShape inner = *this;
  inner.radius -= depth;
  for (std::size_t i = 0; i < 3; ++i)
    if (form != Form::box || !wraps[i]) inner.half[i] -= depth;
  if (form == Form::cylinder && wraps[axis]) inner.half[axis] = half[axis];
  const bool isEmpty = *std::min_element(inner.half.begin(), inner.half.end()) <= 0;
  return isEmpty ? volume() : volume() - inner.volume();
}

}  // namespace rdme

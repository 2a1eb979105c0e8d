#include <mass/io/solid.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mass::detail {
namespace {

constexpr double pi = std::numbers::pi;

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Returns a + factor * b.
Point sum(const Point& a, double factor, const Point& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

double squared(double x) {
  return x * x;
}

}  // namespace

Point CubeBlock::corner(unsigned bits) const {
  return {(bits & 1U) != 0 ? high[0] : low[0], (bits & 2U) != 0 ? high[1] : low[1],
          (bits & 4U) != 0 ? high[2] : low[2]};
}

double squaredDistance(const CubeBlock& block, const Point& point) {
  double total = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    total +=
        squared(std::max({block.low[axis] - point[axis], point[axis] - block.high[axis], 0.0}));
  return total;
}

CubeBlock Ball::bounds() const {
  const Point reach{radius, radius, radius};
  return {sum(center, -1, reach), sum(center, 1, reach)};
}

bool Ball::meets(const CubeBlock& block) const {
  return radius > contactDepth && squaredDistance(block, center) < squared(radius - contactDepth);
}

bool Ball::contains(const Point& point) const {
  const Point away = sum(point, -1, center);
  return dot(away, away) <= squared(radius + contactDepth);
}

// The mean number of cubes is the volume of the solid, plus the areas of its projections along the
// axes, its widths, and 1 (Steiner formula of a convex solid and a cube).
double Ball::cubes() const {
  return 4 * pi / 3 * radius * radius * radius + 3 * pi * radius * radius + 6 * radius + 1;
}

Frustum::Frustum(const Point& first, const Point& last, double firstRadius, double lastRadius)
    : first_(first), firstRadius_(firstRadius), lastRadius_(lastRadius) {
  const Point axis = sum(last, -1, first);
  length_ = std::sqrt(dot(axis, axis));
  direction_ = {axis[0] / length_, axis[1] / length_, axis[2] / length_};
  slope_ = (lastRadius - firstRadius) / length_;
}

CubeBlock Frustum::bounds() const {
  CubeBlock block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double across = std::sqrt(std::max(0.0, 1 - squared(direction_[axis])));
    const double last = first_[axis] + length_ * direction_[axis];
    block.low[axis] = std::min(first_[axis] - across * firstRadius_, last - across * lastRadius_);
    block.high[axis] = std::max(first_[axis] + across * firstRadius_, last + across * lastRadius_);
  }
  return block;
}

void Frustum::Range::clip(double a, double b) {
  constexpr double tiny = 1e-14;
  if (b > tiny) {
    last = std::min(last, -a / b);
  } else if (b < -tiny) {
    first = std::max(first, -a / b);
  } else if (a > 0) {
    last = first - 1;
  }
}

bool Frustum::meets(const CubeBlock& block) const {
  // The block as seen from the first end.
  const CubeBlock seen{sum(block.low, -1, first_), sum(block.high, -1, first_)};
  double nearest = 0, farthest = 0;  // along the axis
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double atLow = direction_[axis] * seen.low[axis];
    const double atHigh = direction_[axis] * seen.high[axis];
    nearest += std::min(atLow, atHigh);
    farthest += std::max(atLow, atHigh);
  }
  if (farthest <= contactDepth || nearest >= length_ - contactDepth) return false;
  if (isFar(seen)) return false;
  if (axisMeets(seen)) return true;
  for (int axis = 0; axis < 3; ++axis) {
    const auto along = static_cast<std::size_t>(axis);
    for (unsigned bits = 0; bits < 8; ++bits) {
      if ((bits >> along & 1U) != 0) continue;
      if (edgeMeets(seen.corner(bits), axis, seen.high[along] - seen.low[along])) return true;
    }
  }
  return endMeets(seen, 0, firstRadius_) || endMeets(seen, length_, lastRadius_);
}

/// True if a block, which is seen from the first end, is in the outside of the cone by the bound
/// on the change of F between its middle and its corners. False if that does not decide.
bool Frustum::isFar(const CubeBlock& block) const {
  const Point middle = sum(sum({}, 0.5, block.low), 0.5, block.high);
  const Point diagonal = sum(block.high, -1, block.low);
  const double along = dot(direction_, middle);
  const Point across = sum(middle, -along, direction_);
  const double reach = 0.5 * std::sqrt((1 + squared(slope_)) * dot(diagonal, diagonal));
  const double outside = radiusAt(along) + reach;
  return outside < 0 || dot(across, across) > squared(outside);
}

/// True if the axis of the solid has a point in a block, which is seen from the first end.
bool Frustum::axisMeets(const CubeBlock& block) const {
  Range range{0, length_};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    range.clip(block.low[axis], -direction_[axis]);
    range.clip(-block.high[axis], direction_[axis]);
  }
  return !range.isEmpty();
}

/// True if the part of an edge between the planes of the ends has a point in the solid.
/// @param start first point of the edge, seen from the first end
bool Frustum::edgeMeets(const Point& start, int axis, double length) const {
  const auto along = static_cast<std::size_t>(axis);
  const double startsAt = dot(direction_, start), rise = direction_[along];
  Range range{0, length};
  range.clip(-startsAt, -rise);
  range.clip(startsAt - length_, rise);
  if (range.isEmpty()) return false;
  // Components across the axis: of the start, and of the edge for each unit of length.
  const Point across = sum(start, -startsAt, direction_);
  Point step = sum(Point{}, -rise, direction_);
  step[along] += 1;
  const auto isInside = [&](double at) {
    const Point away = sum(across, at, step);
    const double radius = radiusAt(std::clamp(startsAt + at * rise, 0.0, length_)) - contactDepth;
    return radius > 0 && dot(away, away) < squared(radius);
  };
  if (isInside(range.first) || isInside(range.last)) return true;
  const double growth = slope_ * rise;
  const double curvature = dot(step, step) - squared(growth);
  if (!(curvature > 0)) return false;
  const double lowest =
      -(dot(across, step) - (radiusAt(startsAt) - contactDepth) * growth) / curvature;
  return range.first < lowest && lowest < range.last && isInside(lowest);
}

/// True if the plane of an end has a point in the solid on a face of the block, which is seen from
/// the first end.
/// @param along position of the end along the axis
bool Frustum::endMeets(const CubeBlock& block, double along, double radius) const {
  const Point center = sum(Point{}, along, direction_);
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    for (const double face : {block.low[i], block.high[i]})
      if (endMeetsFace(block, center, radius - contactDepth, axis, face)) return true;
  }
  return false;
}

/// True if the disc of an end has a point on a face of the block.
/// @param axis axis that is perpendicular to the face
/// @param face position of the face along that axis
bool Frustum::endMeetsFace(const CubeBlock& block, const Point& center, double radius, int axis,
                           double face) const {
  const auto i = static_cast<std::size_t>(axis), j = (i + 1) % 3, k = (i + 2) % 3;
  const double away = face - center[i];
  if (radius <= 0 || std::abs(away) >= radius) return false;
  // The line in the plane of the face: normal * (position - center) = offset.
  const double size = std::hypot(direction_[j], direction_[k]);
  if (size < 1e-12) return false;  // parallel planes: the edges of the block decide
  const double normalJ = direction_[j] / size, normalK = direction_[k] / size;
  const double offset = -direction_[i] * away / size;
  const double rest = squared(radius) - squared(away) - squared(offset);
  if (!(rest > 0)) return false;
  const double atJ = center[j] + offset * normalJ, atK = center[k] + offset * normalK;
  Range range{-std::sqrt(rest), std::sqrt(rest)};
  range.clip(block.low[j] - atJ, normalK);
  range.clip(atJ - block.high[j], -normalK);
  range.clip(block.low[k] - atK, -normalJ);
  range.clip(atK - block.high[k], normalJ);
  return !range.isEmpty();
}

bool Frustum::contains(const Point& point) const {
  const Point seen = sum(point, -1, first_);
  const double along = dot(direction_, seen);
  if (along < -contactDepth || along > length_ + contactDepth) return false;
  const Point across = sum(seen, -along, direction_);
  return dot(across, across) <= squared(radiusAt(std::clamp(along, 0.0, length_)) + contactDepth);
}

double Frustum::cubes() const {
  const double a = firstRadius_, b = lastRadius_, largest = std::max(a, b);
  double expected = 1 + pi / 3 * length_ * (a * a + a * b + b * b);
  const CubeBlock box = bounds();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double along = std::abs(direction_[axis]);
    const double across = std::sqrt(std::max(0.0, 1 - squared(along)));
    expected += length_ * (a + b) * across + pi * largest * largest * along;
    expected += box.high[axis] - box.low[axis];
  }
  return expected;
}

bool Frustum::clip(const Ball& ball) {
  const double center = dot(direction_, sum(ball.center, -1, first_));
  const double begin = std::max(0.0, center - ball.radius);
  const double end = std::min(length_, center + ball.radius);
  if (!(begin < end)) return false;
  const double first = radiusAt(begin), last = radiusAt(end);
  first_ = sum(first_, begin, direction_);
  length_ = end - begin;
  firstRadius_ = first, lastRadius_ = last;
  return true;
}

}  // namespace mass::detail

#include <apps/calcium/arms.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace calcium {
namespace {

using Point = std::array<double, 3>;  ///< z, y, x

/// Returns the direction of an arm: the first points up, the others down to the left and right.
Point directionOf(int arm) {
  const double angle = std::numbers::pi * (0.5 + 2.0 / 3 * arm);
  return {0, -std::sin(angle), std::cos(angle)};
}

/// Returns the distance of a point from the cube [0, 1]^3 at `corner`.
double distanceFromCube(const Point& point, const mass::Coordinates<3>& corner) {
  double squared = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto low = static_cast<double>(corner[static_cast<int>(axis)]);
    const double beyond = std::max({low - point[axis], point[axis] - low - 1, 0.0});
    squared += beyond * beyond;
  }
  return std::sqrt(squared);
}

/// Returns the distance of a cube from the line of a length that leaves a point: a minimum of a
/// convex function along the line, by ternary search.
double distanceFromAxis(const mass::Coordinates<3>& cube, const Point& from, const Point& direction,
                        double length) {
  const auto at = [&](double along) {
    return distanceFromCube({from[0] + along * direction[0], from[1] + along * direction[1],
                             from[2] + along * direction[2]},
                            cube);
  };
  double low = 0, high = length;
  for (int i = 0; i < 60; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (at(a) <= at(b) ? high : low) = at(a) <= at(b) ? b : a;
  }
  return at(0.5 * (low + high));
}

}  // namespace

Arms::Arms(double length, double diameter, double spacing)
    : length_(length / spacing), radius_(0.5 * diameter / spacing) {
  const double margin = radius_ + 1;
  const auto whole = [](double extent) { return static_cast<std::int64_t>(std::ceil(extent)); };
  const double above = length_ + margin, below = 0.5 * length_ + margin;
  const double aside = std::sqrt(0.75) * length_ + margin;
  shape_ = {2 * whole(radius_) + 1, whole(above) + whole(below) + 1, 2 * whole(aside) + 1};
  joint_[0] = static_cast<double>(whole(radius_)) + 0.5;
  joint_[1] = static_cast<double>(whole(above)) + 0.5;
  joint_[2] = static_cast<double>(whole(aside)) + 0.5;
  arms_.resize(static_cast<std::size_t>(mass::count(shape_)));
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    arms_[i] = touching(mass::coordinatesOf<3>(static_cast<std::int64_t>(i), shape_));
    if (arms_[i] < 0) continue;
    ++sites_[arms_[i]];
    indices_.push_back(static_cast<std::int64_t>(i));
  }
}

std::int8_t Arms::at(const mass::Coordinates<3>& site) const {
  return arms_[static_cast<std::size_t>(mass::indexOf(site, shape_))];
}

std::int8_t Arms::touching(const mass::Coordinates<3>& site) const {
  const Point joint{joint_[0], joint_[1], joint_[2]};
  std::int8_t nearest = -1;
  double least = radius_ * (1 - 1e-9);
  for (std::int8_t arm = 0; arm < 3; ++arm) {
    const double distance = distanceFromAxis(site, joint, directionOf(arm), length_);
    if (distance >= least) continue;
    least = distance;
    nearest = arm;
  }
  return nearest;
}

}  // namespace calcium

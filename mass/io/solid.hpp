#pragma once

#include <array>
#include <cstdint>

namespace mass::detail {

/// Position along x, y, z. The unit of all lengths of this file is the edge of a cube of the grid.
using Point = std::array<double, 3>;

/// Axis-aligned block of at least one cube; low < high.
struct CubeBlock {
  Point low{}, high{};

  /// Returns the corner of a bit mask: bit `axis` selects `high` along that axis.
  Point corner(unsigned bits) const;
};

/// Depth of contact, in edges of a cube, up to which rounding errors decide: a solid meets a block
/// if they overlap more deeply, and contains a point that is not farther outside.
constexpr double contactDepth = 1e-9;

/// Returns the squared distance between a point and the nearest point of a block.
double squaredDistance(const CubeBlock& block, const Point& point);

/// Solid sphere.
struct Ball {
  Point center{};
  double radius = 0;

  /// Returns the smallest block around the solid.
  CubeBlock bounds() const;
  /// True if the interiors of the solid and of a block intersect.
  bool meets(const CubeBlock& block) const;
  /// True if a point is inside the solid or on its surface.
  bool contains(const Point& point) const;
  /// Returns the expected number of cubes that the solid meets, over all positions of the grid.
  double cubes() const;
};

/// Truncated cone with flat ends, perpendicular to its axis. A cylinder if the radii are equal.
class Frustum {
 public:
  /// @param first centre of the first end
  /// @param last centre of the last end, other than `first`
  /// @param firstRadius radius of the first end, > 0
  /// @param lastRadius radius of the last end, > 0
  Frustum(const Point& first, const Point& last, double firstRadius, double lastRadius);

  /// Returns the smallest block around the solid.
  CubeBlock bounds() const;
  /// True if the interiors of the solid and of a block intersect.
  ///
  /// For a point at distance d from the axis and t along it, F = d - radius(t) is convex, so that
  /// solid and block intersect where the minimum of F over the polytope of the block between the
  /// planes of the ends is below 0. On each ray away from the axis in a plane, and along the axis,
  /// F is linear. Hence the minimum is on the axis or on an edge of the polytope: a clipped edge of
  /// the block, or the intersection of a face with the plane of an end. On an edge, d * d -
  /// radius(t) * radius(t) is a quadratic polynomial. So the test is exact but for rounding.
  bool meets(const CubeBlock& block) const;
  /// True if a point is inside the solid or on its surface.
  bool contains(const Point& point) const;
  /// Returns the expected number of cubes that the solid meets, over all positions of the grid, or
  /// a little more.
  double cubes() const;
  /// Returns the part of the solid near a ball: between planes across its axis that do not cut the
  /// ball. The ball must be larger than 0.
  /// @return false if there is no such part
  bool clip(const Ball& ball);

 private:
  struct Range {
    double first = 0, last = 0;
    /// Restricts the range to a + s * b <= 0. A tiny `b` counts as 0.
    void clip(double a, double b);
    bool isEmpty() const { return first > last; }
  };
  bool isFar(const CubeBlock& block) const;
  bool axisMeets(const CubeBlock& block) const;
  bool edgeMeets(const Point& start, int axis, double length) const;
  bool endMeets(const CubeBlock& block, double along, double radius) const;
  bool endMeetsFace(const CubeBlock& block, const Point& center, double radius, int axis,
                    double face) const;
  double radiusAt(double along) const { return firstRadius_ + slope_ * along; }

  Point first_, direction_;  ///< centre of the first end, unit vector to the last end
  double length_;
  double firstRadius_, lastRadius_;
  double slope_;  ///< change of the radius for each unit along the axis
};

}  // namespace mass::detail

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace lbm {

/// Closed surface of triangles, of one or several bodies, from an STL file. STL has no unit of
/// length: coordinates are in m only after placed().
class StlSurface {
 public:
  /// x, y, z
  using Point = std::array<double, 3>;
  /// Axis-aligned bounding box.
  struct Box {
    Point low, high;
  };

  /// Reads an STL file, ASCII or binary, of one or several solids. Vertices with equal coordinates
  /// are merged; triangles with two equal vertices are dropped. Normals in the file are ignored:
  /// vertices are counterclockwise seen from outside.
  /// @throws InputError, with the line in a text file, if the file cannot be read, is larger than
  /// 5 GB, is not STL or is truncated, has a coordinate that is not finite or beyond the range of
  /// float, has no triangle with an area, or is not closed: along each edge, equally many triangles
  /// must run in either direction.
  static StlSurface load(const std::filesystem::path& file);

  Box bounds() const;

  /// Returns the surface scaled about the origin, then shifted. @param shift in m @throws
  /// UsageError unless `scale` is above 0 and all coordinates stay finite.
  StlSurface placed(double scale, const Point& shift) const;

  /// Returns for each cell of a grid true if its centre is inside. The centre of cell (i, j, k) is
  /// at (i + 1/2, j + 1/2, k + 1/2) `spacing`, its index is i + nx (j + ny k). The surface may
  /// extend beyond the grid.
  ///
  /// Inside are points whose winding number is not 0: bodies that overlap are united, and a body
  /// within another with reversed triangles is a cavity. The winding number is computed by scan
  /// conversion (Foley et al., Computer Graphics: Principles and Practice, 2nd edition, 3.6): lines
  /// along x through the centres are intersected with the triangles. A box contains the centres
  /// with low <= x < high, likewise along y and z, so bodies that touch share no cell. With any
  /// rounding a line leaves the surface as often as it enters it.
  /// @param shape nx, ny, nz @param spacing edge of a cell in m @throws UsageError unless shape and
  /// spacing are above 0.
  std::vector<bool> inside(const std::array<std::int64_t, 3>& shape, double spacing) const;

  /// Returns the enclosed volume in m^3 by the divergence theorem: the sum of the tetrahedra
  /// between a point and each triangle. Positive if triangles face outwards; overlaps count twice.
  double volume() const;

  std::size_t triangles() const { return triangles_.size(); }

 private:
  /// Indices of its vertices in corners_, counterclockwise seen from outside.
  using Triangle = std::array<std::uint32_t, 3>;

  StlSurface(std::vector<Point> corners, std::vector<Triangle> triangles)
      : corners_(std::move(corners)), triangles_(std::move(triangles)) {}

  std::vector<Point> corners_;
  std::vector<Triangle> triangles_;
};

}  // namespace lbm

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace lbm {

/// A closed surface of triangles: the faces of one or several bodies. STL files have no unit: a
/// length is what placed() makes of it.
class StlSurface {
 public:
  /// Along x, y, z.
  using Point = std::array<double, 3>;
  /// The smallest box, with faces normal to the axes, that holds the surface.
  struct Box {
    Point low, high;
  };

  /// Reads an STL file, ASCII or binary, of one or several solids. Corners with the same
  /// coordinates are one; a triangle with two equal corners is left out. The normals in the file
  /// are not looked at: outside is where a triangle's corners go around counterclockwise.
  /// Throws mass::InputError, with the file and the line of a text, if it cannot be read, is of
  /// more than 5 GB, is not STL or cut off, has a coordinate that is not finite or beyond 32 bits,
  /// no triangle with an area, or is not closed: along each edge as many triangles go one way as
  /// the other.
  static StlSurface load(const std::filesystem::path& file);

  Box bounds() const;

  /// The surface scaled about the origin and then moved, in m. Throws mass::UsageError unless
  /// `scale` is above 0 and all that results is finite.
  StlSurface placed(double scale, const Point& shift) const;

  /// For each cell of a grid of `shape` {nx, ny, nz}, whether its centre lies inside. The centre of
  /// cell (i, j, k) is at (i + 1/2, j + 1/2, k + 1/2) `spacing` (m), and its value has the number
  /// i + nx (j + ny k). The surface may reach beyond the grid.
  ///
  /// Inside is where the winding number is not 0: bodies that overlap are united, and one within
  /// another, with its triangles turned over, is a hollow. It is found from where a line along x
  /// through the centres crosses triangles (scan conversion; Foley et al., Computer Graphics:
  /// Principles and Practice, 2nd edition, 3.6). A box holds centres with low <= x < high, and so
  /// along y and z: bodies that touch share no cell. However it is rounded, a line leaves the
  /// surface as often as it enters. Throws mass::UsageError unless shape and spacing are above 0.
  std::vector<bool> inside(const std::array<std::int64_t, 3>& shape, double spacing) const;

  /// m³, by the divergence theorem: the sum of the tetrahedra between a point and each triangle.
  /// Above 0 where triangles face outwards; where bodies overlap it counts twice.
  double volume() const;

  std::size_t triangles() const { return triangles_.size(); }

 private:
  /// The numbers of its corners, counterclockwise from outside.
  using Triangle = std::array<std::uint32_t, 3>;

  StlSurface(std::vector<Point> corners, std::vector<Triangle> triangles)
      : corners_(std::move(corners)), triangles_(std::move(triangles)) {}

  std::vector<Point> corners_;
  std::vector<Triangle> triangles_;
};

}  // namespace lbm

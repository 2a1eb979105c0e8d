#pragma once

#include <apps/lbm/case/triangle_mesh.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace lbm {

/// Closed surface of triangles, of one or several bodies, from an STL file. STL has no unit of
/// length: coordinates are in m only after placed().
class StlSurface {
 public:
  /// Reads an STL file, ASCII or binary, of one or several solids. Vertices with equal coordinates
  /// are merged, and vertices of open edges that differ by rounding; triangles that collapse are
  /// dropped. Two vertices differ by rounding if they are within 1e-5 of the size or 4 times the
  /// precision of the coordinates, whichever is more, but at most a twentieth of a cell. Normals in
  /// the file are ignored: vertices are counterclockwise seen from outside. Bodies that face
  /// inwards are turned over.
  /// @param cell edge of a cell of the grid, in units of the file; above 0
  /// @throws InputError, with the line in a text file, if the file cannot be read, is larger than
  /// 5 GB, is not STL or is truncated, has a coordinate that is not finite or beyond the range of
  /// float, has no triangle with an area, or is not closed: along each edge, equally many triangles
  /// must run in either direction.
  static StlSurface load(const std::filesystem::path& file,
                         double cell = std::numeric_limits<double>::infinity());

  /// Returns clauses on the bytes that load() ignored, the vertices that it merged and the bodies
  /// that it turned over. Distances are in units of the file.
  const std::vector<std::string>& notes() const { return notes_; }

  Bounds bounds() const { return mesh_.bounds(); }

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
  std::vector<bool> inside(const std::array<std::int64_t, 3>& shape, double spacing) const {
    return fill(shape, spacing).cells;
  }

  struct Filling {
    std::vector<bool> cells;
    std::int64_t windings = 0;  ///< sum of the magnitudes of the winding numbers of all cells
  };
  /// Returns inside() with the sum of winding numbers, in which overlaps count repeatedly.
  Filling fill(const std::array<std::int64_t, 3>& shape, double spacing) const;

  /// Returns the enclosed volume in m^3. Overlaps count twice.
  double volume() const { return mesh_.volume(); }

  const TriangleMesh& mesh() const { return mesh_; }
  std::size_t triangles() const { return mesh_.triangles().size(); }

 private:
  StlSurface(TriangleMesh mesh, std::vector<std::string> notes)
      : mesh_(std::move(mesh)), notes_(std::move(notes)) {}

  TriangleMesh mesh_;
  std::vector<std::string> notes_;
};

}  // namespace lbm

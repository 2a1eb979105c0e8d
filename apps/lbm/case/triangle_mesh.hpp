#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lbm {

/// x, y, z
using Point = std::array<double, 3>;

/// Axis-aligned bounding box.
struct Bounds {
  Point low, high;

  /// Extends the box so that it contains `other`.
  void include(const Bounds& other);
  /// True if `other` is inside; faces may coincide.
  bool contains(const Bounds& other) const;
  double diagonal() const;
};

Point operator-(const Point& a, const Point& b);
Point cross(const Point& a, const Point& b);
double dot(const Point& a, const Point& b);

struct PointHash {
  std::size_t operator()(const Point& point) const;
};

/// Triangles that share vertices.
class TriangleMesh {
 public:
  /// Indices of its vertices in corners(), counterclockwise seen from outside.
  using Triangle = std::array<std::uint32_t, 3>;
  /// Directed edge: indices of two vertices.
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  /// Vertices that closeWithin() moved.
  struct Merged {
    std::size_t count = 0;
    double distance = 0;  ///< largest, in units of the file
  };
  /// Connected parts that turnOutwards() reversed, out of all; cavities are not counted.
  struct Turned {
    std::size_t count = 0, of = 0;
  };

  TriangleMesh() = default;
  /// @pre each triangle has three different vertices
  TriangleMesh(std::vector<Point> corners, std::vector<Triangle> triangles)
      : corners_(std::move(corners)), triangles_(std::move(triangles)) {}

  /// Merges vertices of open edges that differ by rounding, until no edge is open: first the
  /// nearest, at last those within `limit`. Drops triangles that collapse. A merged vertex has the
  /// coordinates of one of its vertices, the least in lexicographic order, so the result does not
  /// depend on the order of triangles. No vertex moves further than `limit`.
  Merged closeWithin(double limit);

  /// Returns the edges along which the numbers of triangles in either direction differ: each once,
  /// in the direction of the excess.
  std::vector<Edge> openEdges() const;

  /// Reverses connected parts that enclose a negative volume, unless they are cavities: parts
  /// within the bounding box of another. Cavities of a reversed part are reversed too.
  Turned turnOutwards();

  bool hasArea() const;
  /// @pre there is a triangle
  Bounds bounds() const;
  /// Returns the enclosed volume by the divergence theorem; positive if triangles face outwards.
  /// Overlaps count twice. @pre openEdges() is empty
  double volume() const;

  const std::vector<Point>& corners() const { return corners_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }

  /// Applies `map` to all vertices. @pre the map preserves orientation
  template <class Map>
  void transform(const Map& map) {
    for (Point& corner : corners_) corner = map(corner);
  }

 private:
  class Merger;
  class Parts;

  /// Returns six times the volume of the tetrahedron of a triangle and `origin`.
  double sixfoldVolume(const Triangle& triangle, const Point& origin) const;

  std::vector<Point> corners_;
  std::vector<Triangle> triangles_;
};

/// Builds a mesh of triangles given by coordinates.
class MeshBuilder {
 public:
  /// Adds a triangle. Vertices with equal coordinates are merged. A triangle with two equal
  /// vertices is dropped; one without area is kept, since its edges may close others.
  void add(const std::array<Point, 3>& triangle);
  /// Returns the mesh. @post the builder is empty
  TriangleMesh build();

 private:
  std::uint32_t numberOf(const Point& corner);

  std::vector<Point> corners_;
  std::vector<TriangleMesh::Triangle> triangles_;
  std::unordered_map<Point, std::uint32_t, PointHash> numbers_;  ///< indices in corners_
};

}  // namespace lbm

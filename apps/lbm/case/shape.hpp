#pragma once

#include <apps/lbm/case/triangle_mesh.hpp>
#include <apps/lbm/solver/solver.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lbm {

/// Cells of the box. Arrays are in the order x, y, z; lengths in m.
struct Grid {
  int dimensions = 3;
  std::array<std::int64_t, 3> cells{};
  double cell = 1;                   ///< edge
  std::array<bool, 3> isPeriodic{};  ///< false for z in two dimensions

  Grid(const LatticeCase& lattice, double cell);

  double extent(std::size_t axis) const { return cell * static_cast<double>(cells[axis]); }
  std::int64_t count() const { return cells[0] * cells[1] * cells[2]; }
  /// Returns the volume of a cell; in two dimensions its area.
  double cellVolume() const { return dimensions == 3 ? cell * cell * cell : cell * cell; }
};

/// Solid shape in the box.
struct Shape {
  /// Sets the cells whose centre is inside the shape shifted by `offset`; row-major, x fastest.
  /// Returns their number; a cell counts as often as parts of the shape overlap there.
  using Fill = std::function<std::int64_t(std::vector<bool>& cells, const Point& offset)>;

  Bounds bounds;           ///< without periodic images
  double volume = 0;       ///< its own, overlaps counted; in two dimensions its area
  bool isOutside = false;  ///< true if no part is inside of the box
  Fill fill;
  std::string thinness{};            ///< predicate if it is thinner than a cell somewhere
  std::vector<std::string> notes{};  ///< clauses on the file
};

/// Cells of a shape and its periodic images.
struct ShapeCells {
  std::vector<bool> cells;
  std::int64_t count = 0;         ///< cells inside
  std::int64_t multiplicity = 0;  ///< overlaps counted
};

/// Reads a sphere, box, cylinder or surface.
/// @throws SettingsError if its keys are invalid; if it is longer than two periods, or more than a
/// period outside, along a periodic axis; or if a surface leaves the box along another axis
Shape readShape(const mass::ConfigNode& body, const mass::Settings& settings, const Grid& grid);

/// Returns the cells of a shape. A shape that crosses a periodic face continues at the opposite
/// one.
ShapeCells cellsOf(const Shape& shape, const Grid& grid);

/// Returns a list of `dimensions` numbers as a point.
/// @throws SettingsError if it is none
Point pointOf(const mass::ConfigNode& list, int dimensions);

}  // namespace lbm

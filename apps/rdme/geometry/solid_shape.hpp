#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rdme {

/// Position in space, m, along z, y, x (the axis order of the library).
using Point = std::array<double, 3>;

/// Lattice of cubic sites. Site i of an axis has its center at (i + 1/2) spacing.
struct Grid {
  std::array<std::int64_t, 3> sites{};  ///< number of sites along z, y, x
  double spacing = 0;                   ///< edge of a site, m
  std::array<bool, 3> periodic{};       ///< along z, y, x

  /// Returns the number of sites.
  std::int64_t count() const { return sites[0] * sites[1] * sites[2]; }
  /// Returns the length of the lattice along an axis, m.
  double extent(std::size_t axis) const { return static_cast<double>(sites[axis]) * spacing; }
  /// Returns the position of the center of a site along an axis, m.
  double center(std::int64_t index) const { return (static_cast<double>(index) + 0.5) * spacing; }
};

/// Solid body in space. It covers the sites whose centers it contains.
struct SolidShape {
  /// Form of a body; a capsule is a cylinder that ends in half-spheres.
  enum class Form { box, sphere, cylinder, capsule };

  Form form = Form::box;
  Point center{};
  Point half{};          ///< half of its extent along z, y, x, m
  double radius = 0;     ///< m; 0 for a box
  std::size_t axis = 0;  ///< axis of a cylinder or capsule: 0 = z, 1 = y, 2 = x

  /// Creates a box between two corners. @pre from[i] < to[i] for each axis
  static SolidShape box(const Point& from, const Point& to);
  /// Creates a sphere.
  static SolidShape sphere(const Point& center, double diameter);
  /// Creates a cylinder. @param length from end to end, m
  static SolidShape cylinder(const Point& center, double length, double diameter, std::size_t axis);
  /// Creates a capsule.
  /// @param length from end to end, half-spheres included, m; at least `diameter`
  static SolidShape capsule(const Point& center, double length, double diameter, std::size_t axis);

  /// Returns the lower end of its extent along an axis, m.
  double low(std::size_t along) const { return center[along] - half[along]; }
  /// Returns the upper end of its extent along an axis, m.
  double high(std::size_t along) const { return center[along] + half[along]; }
  /// True if `point` is in the body. A box contains its lower faces, not its upper ones.
  bool contains(const Point& point) const;
  /// Returns the volume, m³.
  double volume() const;
  /// Returns the surface area, m².
  /// @param wraps axes that the body spans periodically: the faces normal to them, of a box or
  ///     cylinder, do not count
  double area(const std::array<bool, 3>& wraps = {}) const;
  /// Returns the volume of the layer below its surface, m³; volume() if it is nowhere deeper.
  /// @param depth depth of the layer, m
  /// @param wraps axes that the body spans periodically
  double layerVolume(double depth, const std::array<bool, 3>& wraps = {}) const;
};

}  // namespace rdme

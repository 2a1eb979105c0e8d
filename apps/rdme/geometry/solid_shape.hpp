#pragma once

#include <array>
#include <cstdint>

namespace rdme {

/// Along z, y, x, as axes are in the library; in m.
using Point = std::array<double, 3>;

/// The lattice of sites: cubes of edge `spacing`. The site i of an axis has its middle at
/// (i + 1/2) spacing.
struct Grid {
  std::array<std::int64_t, 3> sites{};  ///< along z, y, x
  double spacing = 0;                   ///< m
  std::array<bool, 3> periodic{};

  std::int64_t count() const { return sites[0] * sites[1] * sites[2]; }
  double extent(std::size_t axis) const { return static_cast<double>(sites[axis]) * spacing; }
  double middle(std::int64_t index) const { return (static_cast<double>(index) + 0.5) * spacing; }
};

/// A body in space, in m. Where it holds the middle of a site it holds the site.
struct SolidShape {
  enum class Form { box, sphere, cylinder, capsule };

  Form form = Form::box;
  Point center{};
  Point half{};          ///< half of its extent along z, y, x
  double radius = 0;     ///< of all but a box
  std::size_t axis = 0;  ///< of a cylinder or capsule

  static SolidShape box(const Point& from, const Point& to);
  static SolidShape sphere(const Point& center, double diameter);
  /// `length` is from end to end, that of a capsule with its two half-spheres.
  static SolidShape cylinder(const Point& center, double length, double diameter, std::size_t axis);
  static SolidShape capsule(const Point& center, double length, double diameter, std::size_t axis);

  double low(std::size_t along) const { return center[along] - half[along]; }
  double high(std::size_t along) const { return center[along] + half[along]; }
  bool contains(const Point& point) const;
  /// m³
  double volume() const;
  /// m²; the faces normal to an axis do not count where it is `endless`, as that of a box or
  /// cylinder that spans a periodic axis.
  double area(const std::array<bool, 3>& wraps = {}) const;
};

}  // namespace rdme

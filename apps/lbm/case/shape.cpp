#include <apps/lbm/case/shape.hpp>

#include <apps/lbm/case/stl_surface.hpp>
#include <apps/lbm/case/surface_thickness.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace lbm {
namespace {

using std::numbers::pi;

/// True if a point is inside a shape.
using Inside = std::function<bool(const Point&)>;

double positive(const mass::ConfigNode& number) {
  const double value = number.number();
  if (!(value > 0) || !std::isfinite(value)) number.reject("must be a length above 0, in m");
  return value;
}

/// Returns the indices [begin, end) of the cells whose centres may be between `low` and `high`.
std::pair<std::int64_t, std::int64_t> cellsBetween(double low, double high, const Grid& grid,
                                                   std::size_t axis) {
  // One more cell on each side allows for rounding.
  const auto clamped = [&](double index) {
    return static_cast<std::int64_t>(std::clamp(index, 0.0, static_cast<double>(grid.cells[axis])));
  };
  return {clamped(std::floor(low / grid.cell) - 1), clamped(std::ceil(high / grid.cell) + 1)};
}

/// Returns a function that fills the cells whose centres `inside` contains.
Shape::Fill fillOf(const Inside& inside, const Bounds& bounds, const Grid& grid) {
  return [=](std::vector<bool>& cells, const Point& offset) {
    std::array<std::pair<std::int64_t, std::int64_t>, 3> ranges;
    for (std::size_t i = 0; i < 3; ++i)
      ranges[i] = cellsBetween(bounds.low[i] + offset[i], bounds.high[i] + offset[i], grid, i);
    const auto centre = [&](std::int64_t index, std::size_t axis) {
      return (static_cast<double>(index) + 0.5) * grid.cell - offset[axis];
    };
    std::int64_t count = 0;
    for (std::int64_t z = ranges[2].first; z < ranges[2].second; ++z) {
      for (std::int64_t y = ranges[1].first; y < ranges[1].second; ++y) {
        for (std::int64_t x = ranges[0].first; x < ranges[0].second; ++x) {
          if (!inside({centre(x, 0), centre(y, 1), centre(z, 2)})) continue;
          cells[static_cast<std::size_t>((z * grid.cells[1] + y) * grid.cells[0] + x)] = true;
          ++count;
        }
      }
    }
    return count;
  };
}

/// Returns the predicate of a shape whose extents are `thickness` or more.
std::string thinnessOf(double thickness, const Grid& grid) {
  return thickness < grid.cell * (1 - 1e-6) ? fmt::format("is {:.4g} m thick", thickness) : "";
}

/// Returns the predicate of a surface.
std::string thinnessOf(const StlSurface& surface, const Grid& grid) {
  const ThinPart thin = thinPart(surface.mesh(), grid.cell * (1 - 1e-6));
  if (thin.share == 0) return "";
  return fmt::format(
      "is {:.3g} m thick at ({:.4g}, {:.4g}, {:.4g}) m, and thinner than a cell "
      "below {:.3g} % of its surface",
      thin.thickness, thin.at[0], thin.at[1], thin.at[2], 100 * thin.share);
}

/// Returns a convex shape. @param bounds without the z axis in two dimensions
Shape convexShape(const Inside& inside, Bounds bounds, double volume, const Grid& grid) {
  if (grid.dimensions == 2) {
    bounds.low[2] = 0;
    bounds.high[2] = grid.cell;
  }
  Shape shape{bounds, volume, false, fillOf(inside, bounds, grid)};
  Point nearest{};  // to its centre, of the points in the box
  for (std::size_t i = 0; i < 3; ++i) {
    nearest[i] = (bounds.low[i] + bounds.high[i]) / 2;
    if (grid.isPeriodic[i]) continue;
    shape.isOutside = shape.isOutside || bounds.high[i] <= 0 || bounds.low[i] >= grid.extent(i);
    nearest[i] = std::clamp(nearest[i], 0.0, grid.extent(i));
  }
  shape.isOutside = shape.isOutside || !inside(nearest);
  return shape;
}

/// Returns a shape of all points nearer than half the diameter to a centre, along some axes.
Shape roundShape(const Point& center, double diameter, const std::array<bool, 3>& isRound,
                 const Grid& grid) {
  const double radius = diameter / 2;
  const Inside inside = [=](const Point& at) {
    double squares = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (isRound[i]) squares += (at[i] - center[i]) * (at[i] - center[i]);
    }
    return squares < radius * radius;
  };
  Bounds bounds;
  double length = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    bounds.low[i] = isRound[i] ? center[i] - radius : 0;
    bounds.high[i] = isRound[i] ? center[i] + radius : grid.extent(i);
    if (!isRound[i] && grid.dimensions == 3) length = grid.extent(i);
  }
  const bool isBall = std::count(isRound.begin(), isRound.end(), true) == 3;
  const double volume =
      isBall ? pi / 6 * std::pow(diameter, 3) : pi / 4 * diameter * diameter * length;
  Shape shape = convexShape(inside, bounds, volume, grid);
  shape.thinness = thinnessOf(diameter, grid);
  return shape;
}

Shape sphere(const mass::ConfigNode& body, const Grid& grid) {
  body.refuseOthers({"center", "diameter"});
  return roundShape(pointOf(body.at("center"), grid.dimensions), positive(body.at("diameter")),
                    {true, true, grid.dimensions == 3}, grid);
}

/// Cylinder that spans the box along its axis.
Shape cylinder(const mass::ConfigNode& body, const Grid& grid) {
  body.refuseOthers({"center", "diameter", "axis"});
  const Point center = pointOf(body.at("center"), grid.dimensions);
  const double diameter = positive(body.at("diameter"));
  const std::string axis = body.find("axis") != nullptr ? body.at("axis").text() : "z";
  if (axis != "x" && axis != "y" && axis != "z") body.at("axis").reject("must be x, y or z");
  if (grid.dimensions == 2 && axis != "z") body.at("axis").reject("must be z in two dimensions");
  return roundShape(center, diameter, {axis != "x", axis != "y", axis != "z"}, grid);
}

Shape box(const mass::ConfigNode& body, const Grid& grid) {
  body.refuseOthers({"low", "high"});
  Bounds bounds{pointOf(body.at("low"), grid.dimensions),
                pointOf(body.at("high"), grid.dimensions)};
  double volume = 1, thickness = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < static_cast<std::size_t>(grid.dimensions); ++i) {
    if (!(bounds.low[i] < bounds.high[i]))
      body.at("high").reject("must be above low along every axis");
    if (grid.isPeriodic[i] && bounds.high[i] - bounds.low[i] >= grid.extent(i)) {
      bounds.low[i] = 0;
      bounds.high[i] = grid.extent(i);
    }
    volume *= bounds.high[i] - bounds.low[i];
    thickness = std::min(thickness, bounds.high[i] - bounds.low[i]);
  }
  const int dimensions = grid.dimensions;
  const Inside inside = [=](const Point& at) {
    bool in = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
      in = in && bounds.low[i] <= at[i] && at[i] < bounds.high[i];
    return in;
  };
  Shape shape = convexShape(inside, bounds, volume, grid);
  shape.thinness = thinnessOf(thickness, grid);
  return shape;
}

/// Rejects a surface that leaves the box along an axis that is not periodic.
void requireInBox(const mass::ConfigNode& file, const Bounds& bounds, const Grid& grid) {
  const double rounding = 1e-3 * grid.cell;
  for (std::size_t i = 0; i < 3; ++i) {
    const double low = bounds.low[i], high = bounds.high[i], extent = grid.extent(i);
    if (grid.isPeriodic[i] || (low >= -rounding && high <= extent + rounding)) continue;
    file.reject(fmt::format(
        "extends from {:.6g} m to {:.6g} m along {}, {}, which extends from 0 to {:.6g} m: give it "
        "another scale or shift",
        low, high, "xyz"[i], high <= 0 || low >= extent ? "outside of the box" : "beyond the box",
        extent));
  }
}

/// Surface from an STL file.
Shape surface(const mass::ConfigNode& body, const mass::Settings& settings, const Grid& grid) {
  body.refuseOthers({"file", "scale", "shift"});
  if (grid.dimensions == 2) body.reject("a surface is for three dimensions");
  const double scale = body.find("scale") != nullptr ? positive(body.at("scale")) : 1;
  const Point shift = body.find("shift") != nullptr ? pointOf(body.at("shift"), 3) : Point{};
  try {
    const StlSurface read =
        StlSurface::load(settings.resolve(body.at("file").text()), grid.cell / scale)
            .placed(scale, shift);
    requireInBox(body.at("file"), read.bounds(), grid);
    const auto fill = [read, grid](std::vector<bool>& cells, const Point& offset) {
      const auto [inside, windings] = read.placed(1, offset).fill(grid.cells, grid.cell);
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = cells[i] || inside[i];
      return windings;
    };
    return {read.bounds(), read.volume(), false, fill, thinnessOf(read, grid), read.notes()};
  } catch (const mass::InputError& error) {
    body.at("file").reject(error.what());
  } catch (const mass::UsageError& error) {  // the scaled surface is not finite
    body.at("file").reject(error.what());
  }
}

/// Rejects a shape that is too long for its periodic images, or far outside of the box.
void requirePeriod(const mass::ConfigNode& body, const Bounds& bounds, const Grid& grid) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!grid.isPeriodic[i]) continue;
    const double low = bounds.low[i], high = bounds.high[i], period = grid.extent(i);
    if (!(high - low <= 2 * period))
      body.reject(
          fmt::format("extends over {:.6g} m along {}, more than twice the periodic box, "
                      "{:.6g} m: reduce it or enlarge the box",
                      high - low, "xyz"[i], period));
    const double center = (low + high) / 2;
    if (!(center >= -period && center <= 2 * period))
      body.reject(
          fmt::format("has its centre at {:.6g} m along {}, more than a period outside of the "
                      "periodic box, which extends from 0 to {:.6g} m: move it",
                      center, "xyz"[i], period));
  }
}

/// Returns the offsets along an axis at which images of the shape are in the box.
std::vector<double> offsetsOf(const Bounds& bounds, const Grid& grid, std::size_t axis) {
  if (!grid.isPeriodic[axis]) return {0};
  const double period = grid.extent(axis);
  std::vector<double> offsets;
  for (double image = std::floor(-bounds.high[axis] / period) + 1;
       bounds.low[axis] + image * period < period; ++image)
    offsets.push_back(image * period);
  return offsets;
}

}  // namespace

Grid::Grid(const LatticeCase& lattice, double cellEdge)
    : dimensions(lattice.dimensions),
      cells{lattice.cells[2], lattice.cells[1], lattice.cells[0]},
      cell(cellEdge) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
    isPeriodic[i] = lattice.faces[2 * (2 - i)].kind == FaceKind::periodic;
}

Point pointOf(const mass::ConfigNode& list, int dimensions) {
  if (!list.isList() || list.items().size() != static_cast<std::size_t>(dimensions)) {
    list.reject(fmt::format("{} numbers were expected, in m: along x, y{}", dimensions,
                            dimensions == 3 ? " and z" : ""));
  }
  Point point{};
  for (std::size_t i = 0; i < list.items().size(); ++i) point[i] = list.items()[i].number();
  return point;
}

Shape readShape(const mass::ConfigNode& body, const mass::Settings& settings, const Grid& grid) {
  Shape shape = body.key() == "surface"  ? surface(body, settings, grid)
                : body.key() == "sphere" ? sphere(body, grid)
                : body.key() == "box"    ? box(body, grid)
                                         : cylinder(body, grid);
  requirePeriod(body, shape.bounds, grid);
  return shape;
}

ShapeCells cellsOf(const Shape& shape, const Grid& grid) {
  ShapeCells found;
  found.cells.resize(static_cast<std::size_t>(grid.count()));
  for (const double z : offsetsOf(shape.bounds, grid, 2))
    for (const double y : offsetsOf(shape.bounds, grid, 1))
      for (const double x : offsetsOf(shape.bounds, grid, 0))
        found.multiplicity += shape.fill(found.cells, {x, y, z});
  found.count = std::count(found.cells.begin(), found.cells.end(), true);
  return found;
}

}  // namespace lbm

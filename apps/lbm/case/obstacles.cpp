#include <apps/lbm/case/obstacles.hpp>

#include <apps/lbm/case/stl_surface.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace lbm {
namespace {

/// True if a point is inside a body.
using Inside = std::function<bool(const Point&)>;

/// Cells of the box.
struct Grid {
  int dimensions;
  std::array<std::int64_t, 3> cells;  ///< z, y, x
  double cell;                        ///< edge in m

  Point size() const {
    Point size{};
    for (std::size_t i = 0; i < 3; ++i) size[i] = cell * static_cast<double>(cells[2 - i]);
    return size;
  }
};

/// Returns a list of `dimensions` numbers as a point.
Point pointOf(const mass::ConfigNode& list, int dimensions) {
  if (!list.isList() || list.items().size() != static_cast<std::size_t>(dimensions)) {
    list.reject(fmt::format("{} numbers were expected, in m: along x, y{}", dimensions,
                            dimensions == 3 ? " and z" : ""));
  }
  Point point{};
  for (std::size_t i = 0; i < list.items().size(); ++i) point[i] = list.items()[i].number();
  return point;
}

double positive(const mass::ConfigNode& number) {
  const double value = number.number();
  if (!(value > 0) || !std::isfinite(value)) number.reject("must be a length above 0, in m");
  return value;
}

Inside sphere(const mass::ConfigNode& body, const Grid& grid) {
  body.refuseOthers({"center", "diameter"});
  const Point center = pointOf(body.at("center"), grid.dimensions);
  const double radius = positive(body.at("diameter")) / 2;
  const int dimensions = grid.dimensions;
  return [=](const Point& at) {
    double squares = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
      squares += (at[i] - center[i]) * (at[i] - center[i]);
    return squares < radius * radius;
  };
}

Inside box(const mass::ConfigNode& body, const Grid& grid) {
  body.refuseOthers({"low", "high"});
  const Point low = pointOf(body.at("low"), grid.dimensions);
  const Point high = pointOf(body.at("high"), grid.dimensions);
  for (std::size_t i = 0; i < static_cast<std::size_t>(grid.dimensions); ++i) {
    if (!(low[i] < high[i])) body.at("high").reject("must be above low along every axis");
  }
  const int dimensions = grid.dimensions;
  return [=](const Point& at) {
    bool in = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i)
      in = in && low[i] <= at[i] && at[i] < high[i];
    return in;
  };
}

/// Cylinder that spans the box along its axis.
Inside cylinder(const mass::ConfigNode& body, const Grid& grid) {
  body.refuseOthers({"center", "diameter", "axis"});
  const Point center = pointOf(body.at("center"), grid.dimensions);
  const double radius = positive(body.at("diameter")) / 2;
  const std::string axis = body.find("axis") != nullptr ? body.at("axis").text() : "z";
  if (axis != "x" && axis != "y" && axis != "z") body.at("axis").reject("must be x, y or z");
  const auto along = static_cast<std::size_t>(axis[0] - 'x');
  if (grid.dimensions == 2 && along != 2) body.at("axis").reject("must be z in two dimensions");
  return [=](const Point& at) {
    double squares = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i != along) squares += (at[i] - center[i]) * (at[i] - center[i]);
    }
    return squares < radius * radius;
  };
}

/// Returns for each cell, row-major with x fastest, true if its centre is inside a surface from an
/// STL file, which must lie within the box. Adds a line to `notes` for each note on the file.
std::vector<bool> insideSurface(const mass::ConfigNode& body, const mass::Settings& settings,
                                const Grid& grid, std::vector<std::string>& notes) {
  body.refuseOthers({"file", "scale", "shift"});
  if (grid.dimensions == 2) body.reject("a surface is for three dimensions");
  const double scale = body.find("scale") != nullptr ? positive(body.at("scale")) : 1;
  const Point shift = body.find("shift") != nullptr ? pointOf(body.at("shift"), 3) : Point{};
  try {
    const StlSurface surface =
        StlSurface::load(settings.resolve(body.at("file").text()), grid.cell / scale)
            .placed(scale, shift);
    for (const std::string& note : surface.notes())
      notes.push_back(fmt::format("{}: {}", body.at("file").where(), note));
    const auto [low, high] = surface.bounds();
    for (std::size_t i = 0; i < 3; ++i) {
      const double rounding = 1e-3 * grid.cell;
      if (low[i] < -rounding || high[i] > grid.size()[i] + rounding) {
        body.at("file").reject(fmt::format(
            "extends from {:.6g} m to {:.6g} m along {}, but the box from 0 to {:.6g} m: give it "
            "another scale or shift",
            low[i], high[i], "xyz"[i], grid.size()[i]));
      }
    }
    return surface.inside({grid.cells[2], grid.cells[1], grid.cells[0]}, grid.cell);
  } catch (const mass::InputError& error) {
    body.at("file").reject(error.what());
  } catch (const mass::UsageError& error) {  // the scaled surface is not finite
    body.at("file").reject(error.what());
  }
}

/// Sets `solid` to 1 for the cells whose centre is inside.
void add(std::vector<std::uint8_t>& solid, const Grid& grid, const Inside& inside) {
  std::size_t number = 0;
  const auto centre = [&](std::int64_t i) { return (static_cast<double>(i) + 0.5) * grid.cell; };
  for (std::int64_t z = 0; z < grid.cells[0]; ++z) {
    for (std::int64_t y = 0; y < grid.cells[1]; ++y) {
      for (std::int64_t x = 0; x < grid.cells[2]; ++x, ++number) {
        if (inside({centre(x), centre(y), centre(z)})) solid[number] = 1;
      }
    }
  }
}

}  // namespace

Obstacles obstaclesOf(const mass::ConfigNode& bodies, const mass::Settings& settings,
                      const LatticeCase& lattice, double cell) {
  if (bodies.entries().empty()) return {};
  const Grid grid{lattice.dimensions, lattice.cells, cell};
  Obstacles obstacles;
  std::vector<std::uint8_t>& solid = obstacles.solid;
  solid.resize(static_cast<std::size_t>(lattice.cellCount()), 0);
  for (const mass::ConfigNode& item : bodies.entries()) {
    item.refuseOthers({"sphere", "box", "cylinder", "surface"});
    if (item.entries().empty()) item.reject("has no shape: a sphere, box, cylinder or surface");
    const auto before = std::count(solid.begin(), solid.end(), 1);
    for (const mass::ConfigNode& body : item.entries()) {
      if (body.key() == "surface") {
        const auto inside = insideSurface(body, settings, grid, obstacles.notes);
        for (std::size_t i = 0; i < solid.size(); ++i) {
          if (inside[i]) solid[i] = 1;
        }
      } else {
        add(solid, grid,
            body.key() == "sphere" ? sphere(body, grid)
            : body.key() == "box"  ? box(body, grid)
                                   : cylinder(body, grid));
      }
    }
    if (std::count(solid.begin(), solid.end(), 1) == before)
      item.reject(
          "covers no further cell: it is outside of the box, smaller than a cell, or inside other "
          "bodies");
  }
  if (std::count(solid.begin(), solid.end(), 0) == 0)
    bodies.reject("leave no room for the fluid: make them smaller");
  return obstacles;
}

std::vector<Probe> probesOf(const mass::ConfigNode& probes, const LatticeCase& lattice,
                            double cell) {
  std::vector<Probe> found;
  for (const mass::ConfigNode& item : probes.entries()) {
    if (item.key().empty() || item.key().find_first_of(",\"\r\n") != std::string::npos) {
      item.reject(
          "is the name of columns of the table: give it one without commas, quotes and line "
          "breaks");
    }
    Probe& probe = found.emplace_back();
    probe.name = item.key();
    const Point at = pointOf(item, lattice.dimensions);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lattice.dimensions); ++i) {
      const std::size_t axis = 2 - i;
      const double place = std::floor(at[i] / cell);
      if (!(place >= 0 && place < static_cast<double>(lattice.cells[axis]))) {
        item.reject(fmt::format("is outside of the box, which extends from 0 to {:.6g} m along {}",
                                cell * static_cast<double>(lattice.cells[axis]), "xyz"[i]));
      }
      probe.cell[axis] = static_cast<std::int64_t>(place);
    }
    const auto& [z, y, x] = probe.cell;
    const auto number = (z * lattice.cells[1] + y) * lattice.cells[2] + x;
    if (!lattice.solid.empty() && lattice.solid[static_cast<std::size_t>(number)] != 0)
      item.reject("is inside an obstacle: move it into the fluid");
  }
  return found;
}

}  // namespace lbm

#include <apps/lbm/case/obstacles.hpp>

#include <apps/lbm/case/shape.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace lbm {
namespace {

/// Cells of all shapes of a body.
std::vector<bool> bodyCells(const mass::ConfigNode& item, const mass::Settings& settings,
                            const Grid& grid, std::vector<std::string>& notes) {
  std::vector<bool> all(static_cast<std::size_t>(grid.count()));
  for (const mass::ConfigNode& body : item.entries()) {
    const Shape shape = readShape(body, settings, grid);
    for (const std::string& note : shape.notes)
      notes.push_back(fmt::format("{}: {}", body.at("file").where(), note));
    const ShapeCells found = cellsOf(shape, grid);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] || found.cells[i];
  }
  return all;
}

}  // namespace

Obstacles obstaclesOf(const mass::ConfigNode& bodies, const mass::Settings& settings,
                      const LatticeCase& lattice, double cell) {
  if (bodies.entries().empty()) return {};
  const Grid grid(lattice, cell);
  Obstacles obstacles;
  std::vector<std::uint8_t>& solid = obstacles.solid;
  solid.resize(static_cast<std::size_t>(lattice.cellCount()), 0);
  for (const mass::ConfigNode& item : bodies.entries()) {
    item.refuseOthers({"sphere", "box", "cylinder", "surface"});
    if (item.entries().empty()) item.reject("has no shape: a sphere, box, cylinder or surface");
    const auto inside = bodyCells(item, settings, grid, obstacles.notes);
    bool isNew = false;
    for (std::size_t i = 0; i < solid.size(); ++i) {
      isNew = isNew || (inside[i] && solid[i] == 0);
      if (inside[i]) solid[i] = 1;
    }
    if (!isNew)
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
  const Grid grid(lattice, cell);
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
      const double place = std::floor(at[i] / cell), cells = static_cast<double>(grid.cells[i]);
      const double least = grid.isPeriodic[i] ? -cells : 0;
      const double end = grid.isPeriodic[i] ? 2 * cells : cells;
      if (!(place >= least && place < end)) {
        item.reject(fmt::format("is {} the box, which extends from 0 to {:.6g} m along {}",
                                grid.isPeriodic[i] ? "more than a period outside of" : "outside of",
                                grid.extent(i), "xyz"[i]));
      }
      probe.cell[2 - i] = static_cast<std::int64_t>(place - cells * std::floor(place / cells));
    }
    const auto& [z, y, x] = probe.cell;
    const auto number = (z * lattice.cells[1] + y) * lattice.cells[2] + x;
    if (!lattice.solid.empty() && lattice.solid[static_cast<std::size_t>(number)] != 0)
      item.reject("is inside an obstacle: move it into the fluid");
  }
  return found;
}

}  // namespace lbm

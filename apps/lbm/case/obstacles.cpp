#include <apps/lbm/case/obstacles.hpp>

#include <apps/lbm/case/shape.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lbm {
namespace {

/// Returns the reason for which a shape has no cells, with a remedy.
std::string emptyBecause(const Shape& shape, const Grid& grid) {
  for (std::size_t i = 0; i < 3; ++i) {
    const double low = shape.bounds.low[i], high = shape.bounds.high[i], extent = grid.extent(i);
    if (grid.isPeriodic[i] || (high > 0 && low < extent)) continue;
    return fmt::format(
        "it extends from {:.6g} to {:.6g} m along {}, outside of the box, which "
        "extends from 0 to {:.6g} m: move it",
        low, high, "xyz"[i], extent);
  }
  if (shape.isOutside) return "it is outside of the box, beyond one of its edges: move it";
  return fmt::format(
      "it contains the centre of no cell: it lies between centres, which are {:.6g} m apart: "
      "enlarge it, move it or use more cells",
      grid.cell);
}

/// Returns the axes along which a shape leaves the box, such as "x and y"; empty if none.
std::string axesBeyond(const Shape& shape, const Grid& grid) {
  std::string axes;
  for (std::size_t i = 0; i < 3; ++i) {
    const double rounding = 1e-3 * grid.cell;
    if (grid.isPeriodic[i] ||
        (shape.bounds.low[i] >= -rounding && shape.bounds.high[i] <= grid.extent(i) + rounding))
      continue;
    axes += (axes.empty() ? "" : " and ") + std::string(1, "xyz"[i]);
  }
  return axes;
}

/// Reads bodies and collects their cells and a report.
class ObstacleReader {
 public:
  ObstacleReader(const mass::Settings& settings, const Grid& grid)
      : settings_(settings), grid_(grid) {
    obstacles_.solid.resize(static_cast<std::size_t>(grid.count()), 0);
  }

  void add(const mass::ConfigNode& item) {
    item.refuseOthers({"sphere", "box", "cylinder", "surface"});
    if (item.entries().empty()) item.reject("has no shape: a sphere, box, cylinder or surface");
    std::vector<bool> all(obstacles_.solid.size());
    std::string emptyReason;
    for (const mass::ConfigNode& body : item.entries()) {
      const Shape shape = readShape(body, settings_, grid_);
      const ShapeCells found = cellsOf(shape, grid_);
      if (found.count == 0) emptyReason = emptyBecause(shape, grid_);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] || found.cells[i];
      describe(item, body, shape, found);
    }
    if (std::find(all.begin(), all.end(), true) == all.end())
      item.reject("covers no cell: " + emptyReason);
    requireNewCells(item, all);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]) obstacles_.solid[i] = 1;
    items_.push_back(&item);
  }

  Obstacles finish() { return std::move(obstacles_); }

 private:
  /// Rejects a body all of whose cells are those of earlier ones.
  void requireNewCells(const mass::ConfigNode& item, std::vector<bool> cells) const {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i] && obstacles_.solid[i] == 0) return;
    const auto count = std::count(cells.begin(), cells.end(), true);
    std::vector<std::string> owners;
    for (const mass::ConfigNode* const other : items_) {
      bool isOwner = false;
      for (const mass::ConfigNode& body : other->entries()) {
        const auto covered = cellsOf(readShape(body, settings_, grid_), grid_).cells;
        for (std::size_t i = 0; i < cells.size(); ++i) {
          isOwner = isOwner || (cells[i] && covered[i]);
          if (covered[i]) cells[i] = false;
        }
      }
      if (isOwner) owners.push_back(other->key());
    }
    std::string names = owners.front();
    for (std::size_t i = 1; i < owners.size(); ++i)
      names += (i + 1 < owners.size() ? ", " : " and ") + owners[i];
    item.reject(fmt::format(
        "covers no further cell: all of its {} cells are those of {}: leave it out, or move it",
        count, names));
  }

  /// Adds the lines on a shape to the report.
  void describe(const mass::ConfigNode& item, const mass::ConfigNode& body, const Shape& shape,
                const ShapeCells& found) {
    ObstacleReport& report = obstacles_.report;
    const char* const unit = grid_.dimensions == 3 ? "m^3" : "m^2";
    // Counts overlaps once, as the cells do.
    const double overlap =
        found.count > 0 ? static_cast<double>(found.multiplicity) / static_cast<double>(found.count)
                        : 1;
    const double own = shape.volume / overlap,
                 ofCells = static_cast<double>(found.count) * grid_.cellVolume();
    report.bodies.push_back(fmt::format("{}: {} of {:.4g} {}, {} cells of {:.4g} {}", item.key(),
                                        body.key(), own, unit, found.count, ofCells, unit));
    for (const std::string& note : shape.notes)
      report.notes.push_back(fmt::format("{}: {}", body.at("file").where(), note));
    const auto warn = [&](const std::string& warning) {
      report.warnings.push_back(fmt::format("{}: {}", body.where(), warning));
    };
    if (found.count == 0) {
      warn("covers no cell: " + emptyBecause(shape, grid_));
    } else if (std::abs(ofCells - own) >= maxDifference * own) {
      const std::string beyond = axesBeyond(shape, grid_);
      warn(fmt::format(
          "its cells have {:.3g} times its own {}: {}", ofCells / own,
          grid_.dimensions == 3 ? "volume" : "area",
          beyond.empty() ? "use more cells" : "it extends beyond the box along " + beyond));
    }
    if (!shape.thinness.empty())
      warn(
          fmt::format("{}; cells have edges of {:.4g} m, so its cells may have holes: use more "
                      "cells or a thicker body",
                      shape.thinness, grid_.cell));
  }

  static constexpr double maxDifference = 0.2;  ///< least share of the volume that is reported

  const mass::Settings& settings_;
  const Grid& grid_;
  Obstacles obstacles_;
  std::vector<const mass::ConfigNode*> items_;
};

}  // namespace

Obstacles obstaclesOf(const mass::ConfigNode& bodies, const mass::Settings& settings,
                      const LatticeCase& lattice, double cell) {
  if (bodies.entries().empty()) return {};
  const Grid grid(lattice, cell);
  ObstacleReader reader(settings, grid);
  for (const mass::ConfigNode& item : bodies.entries()) reader.add(item);
  Obstacles obstacles = reader.finish();
  if (std::count(obstacles.solid.begin(), obstacles.solid.end(), 0) == 0)
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

#pragma once

#include "../../support/make_mass.hpp"

#include <apps/lbm/solver/solver.hpp>

#include <mass/mass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace lbm::testing {

/// TRT rates. @param magic Ginzburg's Lambda: 1/4 is the most stable, 3/16 places walls half-way
inline RelaxationRates twoRates(double viscosity, double magic = 0.25) {
  const double even = 3 * viscosity, odd = magic / even;
  const double e = 1 / (even + 0.5), o = 1 / (odd + 0.5);
  return {e, e, e, o, e, o};
}
/// BGK rates.
inline RelaxationRates oneRate(double viscosity) {
  const double rate = 1 / (3 * viscosity + 0.5);
  return {rate, rate, rate, rate, rate, rate};
}
/// MRT rates of d'Humieres et al. 2002.
inline RelaxationRates manyRates(double viscosity) {
  return {1 / (3 * viscosity + 0.5), 1.19, 1.4, 1.2, 1.4, 1.98};
}

/// MRT rates of which no two are equal, so that a test sees which one is used.
inline RelaxationRates distinctRates(double viscosity) {
  return {1 / (3 * viscosity + 0.5), 1.19, 1.43, 1.27, 1.61, 1.98};
}

/// Periodic box in double precision, at rest.
inline LatticeCase box(std::array<std::int64_t, 3> cells, const RelaxationRates& rates) {
  LatticeCase lattice;
  lattice.dimensions = cells[0] == 1 ? 2 : 3;
  lattice.cells = cells;
  lattice.isDouble = true;
  lattice.rates = rates;
  lattice.start = [](const std::array<std::int64_t, 3>&) { return Macroscopic<3>{}; };
  return lattice;
}
inline LatticeCase& withWalls(LatticeCase& lattice, std::size_t axis) {
  lattice.faces[2 * axis].kind = lattice.faces[2 * axis + 1].kind = FaceKind::wall;
  return lattice;
}
/// Cavity whose lid, the high face of y, moves along x.
inline LatticeCase lidDriven(std::array<std::int64_t, 3> cells, const RelaxationRates& rates,
                             double speed) {
  LatticeCase lattice = box(cells, rates);
  for (std::size_t axis = 0; axis < 3; ++axis) withWalls(lattice, axis);
  lattice.faces[3].kind = FaceKind::lid;
  lattice.faces[3].velocity[2] = speed;
  return lattice;
}

struct Trial {
  mass::Mass mass;
  std::unique_ptr<Solver> solver;

  /// @param more further settings, as "partition=2x2"
  explicit Trial(const LatticeCase& lattice, int devices = 1,
                 const std::vector<std::string>& more = {})
      : mass(settings(devices, more)), solver(createSolver(mass, lattice)) {}
  Trial& advance(std::int64_t steps) {
    solver->advance(mass::steps(steps));
    return *this;
  }
  static mass::Settings settings(int devices, const std::vector<std::string>& more = {}) {
    mass::Settings settings;
    mass::testing::setDevices(settings, devices, std::max(devices, 2));
    for (const std::string& assignment : more) settings.set(assignment);
    return settings;
  }
};

/// Published velocities of a cavity along the centre lines: u along x at heights y, v along y at
/// positions x.
struct Profile {
  std::vector<double> at, value;

  Profile(const std::string& file, const std::string& which, const std::string& column) {
    std::ifstream stream(std::filesystem::path(MASS_SOURCE_DIR) / "tests/apps/lbm" / file);
    std::string line, cell;
    std::getline(stream, line);
    std::vector<std::string> names;
    for (std::istringstream head(line); std::getline(head, cell, ',');) names.push_back(cell);
    while (std::getline(stream, line)) {
      std::vector<std::string> cells;
      for (std::istringstream row(line); std::getline(row, cell, ',');) cells.push_back(cell);
      if (cells.empty() || cells[0] != which) continue;
      at.push_back(std::stod(cells[1]));
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == column) value.push_back(std::stod(cells.at(i)));
      }
    }
  }
};

/// Interpolates linearly between the centres of cells of a box of side 1 and the values `low` and
/// `high` at its half-way walls.
inline double between(const std::vector<double>& cells, double at, double low, double high) {
  const double n = static_cast<double>(cells.size());
  const double position = at * n - 0.5;
  if (position <= 0) return low + (cells.front() - low) * (position + 0.5) / 0.5;
  if (position >= n - 1) return high + (cells.back() - high) * (n - 0.5 - position) / 0.5;
  const auto i = static_cast<std::size_t>(position);
  const double share = position - static_cast<double>(i);
  return cells[i] * (1 - share) + cells[i + 1] * share;
}

/// Returns the largest distance from a published cavity in lid speeds, ignoring v beyond x =
/// `upTo`.
inline double distanceFrom(const LatticeCase& lattice, const std::vector<Macroscopic<3>>& flow,
                           const std::string& file, const std::string& column, double upTo = 1) {
  const auto [nz, ny, nx] = lattice.cells;
  const double speed = lattice.faces[3].velocity[2];
  const auto at = [&, ny = ny, nx = nx](std::int64_t z, std::int64_t y, std::int64_t x,
                                        std::size_t axis) {
    return flow[static_cast<std::size_t>((z * ny + y) * nx + x)].velocity[axis] / speed;
  };
  // Mean of the two middle cells if their number is even.
  const auto middle = [&, nz = nz](std::int64_t n, const auto& value) {
    const auto plane = [&](std::int64_t i) {
      return 0.5 * (value(i, (nz - 1) / 2) + value(i, nz / 2));
    };
    return 0.5 * (plane((n - 1) / 2) + plane(n / 2));
  };
  std::vector<double> u, v;
  for (std::int64_t y = 0; y < ny; ++y)
    u.push_back(middle(nx, [&, y](std::int64_t x, std::int64_t z) { return at(z, y, x, 2); }));
  for (std::int64_t x = 0; x < nx; ++x)
    v.push_back(middle(ny, [&, x](std::int64_t y, std::int64_t z) { return at(z, y, x, 1); }));
  double most = 0;
  const Profile ofU(file, "u", column), ofV(file, "v", column);
  for (std::size_t i = 0; i < ofU.at.size(); ++i)
    most = std::max(most, std::abs(between(u, ofU.at[i], 0, 1) - ofU.value[i]));
  for (std::size_t i = 0; i < ofV.at.size(); ++i) {
    if (ofV.at[i] > upTo && ofV.at[i] < 1) continue;
    most = std::max(most, std::abs(between(v, ofV.at[i], 0, 0) - ofV.value[i]));
  }
  return most;
}

}  // namespace lbm::testing

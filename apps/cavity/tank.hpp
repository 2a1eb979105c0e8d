#pragma once

#include <apps/cavity/observed.hpp>
#include <apps/cavity/rates.hpp>
#include <apps/cavity/walls.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cavity {

/// A flow in units of the lattice: lengths in cells, times in steps, densities in that of the fluid
/// at rest. Lists are in the order of the axes: z, y, x; in two dimensions there is one cell along
/// z, and what is said of z means nothing.
struct Problem {
  int dimensions = 3;
  std::array<std::int64_t, 3> cells{1, 1, 1};
  bool doubles = false;  ///< numbers of 64 bits
  bool halves = false;   ///< numbers of 32 bits, stored in 16
  bool moments = false;  ///< what is stored of populations: their moments, by which they collide
  Rates rates;
  FreeParameters free;
  double force[3] = {0, 0, 0};
  std::array<Face<3, double>, 6> faces;  ///< below and above along each axis
  std::vector<std::uint8_t> solid;       ///< by cell, whether it is; empty: none is
  /// Density and velocity of a cell at the start.
  std::function<Observed<3>(const std::array<std::int64_t, 3>& cell)> start;

  std::int64_t cellCount() const { return cells[0] * cells[1] * cells[2]; }
};

/// Cells where there is no flow any more, but numbers that have left all bounds.
struct Broken {
  std::int64_t count = 0;
  std::array<std::int64_t, 3> low{}, high{};  ///< the first and the last along every axis
};

/// A body of fluid that flows, whatever it is made of.
class Tank {
 public:
  virtual ~Tank() = default;
  /// Makes the flow that of the problem's start, at step 0.
  virtual void start(mass::Mass& mass, const Problem& problem) = 0;
  virtual void advance(mass::Steps steps) = 0;
  virtual std::vector<Observed<3>> observed() const = 0;
  /// The same of a box of cells, those from `low` on and before `high` along every axis; of no
  /// others anything comes to the host.
  virtual std::vector<Observed<3>> observed(const std::array<std::int64_t, 3>& low,
                                            const std::array<std::int64_t, 3>& high) const = 0;
  /// The mean density less 1, and the mean kinetic energy, over all cells.
  virtual double excess() const = 0;
  virtual double energy() const = 0;
  /// The force of the fluid on all obstacles.
  virtual std::array<double, 3> push() const = 0;
  /// The largest speed; infinite where a cell is broken.
  virtual double fastest() const = 0;
  virtual Broken broken() const = 0;
  virtual std::uint64_t hash() const = 0;
  /// Of memory on all devices together, from the start.
  virtual std::size_t bytes() const = 0;
  /// Tells a run what to write for ParaView.
  virtual void writeData(mass::Simulation& run, double spacing,
                         const std::function<mass::DataFrame()>& frame) const = 0;
};

std::unique_ptr<Tank> createTank(mass::Mass& mass, const Problem& problem);

}  // namespace cavity

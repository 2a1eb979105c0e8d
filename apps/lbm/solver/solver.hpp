#pragma once

#include <apps/lbm/lattice/macroscopic.hpp>
#include <apps/lbm/solver/lattice_case.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace lbm {

/// Name of the program in messages and checkpoints.
inline constexpr const char* programName = "lbm";

/// Bounding box of the cells in which the flow has diverged: density or speed out of bounds
/// (Cell::isDiverged).
struct DivergedRegion {
  std::int64_t count = 0;                     ///< diverged cells
  std::array<std::int64_t, 3> low{}, high{};  ///< first and last cell along each axis: z, y, x
};

/// A lattice Boltzmann solver, independent of lattice, cell class and precision. All quantities are
/// in lattice units; arrays are in the order z, y, x.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Sets all cells to the initial state of `lattice`, and the step to 0. @pre `lattice` has the
  /// cells, faces and solid cells that this solver was created with.
  virtual void start(mass::Mass& mass, const LatticeCase& lattice) = 0;
  virtual void advance(mass::Steps steps) = 0;
  /// Returns density and velocity of all cells; row-major, x fastest.
  virtual std::vector<Macroscopic<3>> macroscopic() const = 0;
  /// Returns density and velocity of the cells of the box [low, high), and copies no other cells to
  /// the host.
  virtual std::vector<Macroscopic<3>> macroscopic(
      const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high) const = 0;
  /// Returns the mean over all cells of density - 1.
  virtual double excess() const = 0;
  /// Returns the mean over all cells of the kinetic energy density.
  virtual double energy() const = 0;
  /// Returns the force of the fluid on all obstacles (momentum exchange).
  virtual std::array<double, 3> obstacleForce() const = 0;
  /// Returns the largest speed in cells per step; infinity if a cell has diverged.
  virtual double maxSpeed() const = 0;
  virtual DivergedRegion divergedRegion() const = 0;
  /// Returns the hash of the state of all cells.
  virtual std::uint64_t hash() const = 0;
  /// Returns the memory in bytes of the state on all devices together; constant during a run.
  virtual std::size_t bytes() const = 0;
  /// Registers `frame` as the source of the data files of `run`. @param spacing edge of a cell in
  /// m.
  virtual void writeData(mass::Simulation& run, double spacing,
                         const std::function<mass::DataFrame()>& frame) const = 0;
};

/// Creates the solver of apps/lbm/variants.cmake that fits `lattice`, and sets its initial state.
/// @throws UsageError if `lattice` asks for half precision in two dimensions.
std::unique_ptr<Solver> createSolver(mass::Mass& mass, const LatticeCase& lattice);

/// Creates a solver whose cells are of class F: Fluid or MomentFluid. Defined in solver_impl.hpp,
/// instantiated by solver.cpp.in.
template <class F>
std::unique_ptr<Solver> createSolverOf(mass::Mass& mass, const LatticeCase& lattice);

}  // namespace lbm

#include <apps/lbm/solver/solver.hpp>

#include <apps/lbm/solver/fluid.hpp>
#include <apps/lbm/solver/moment_fluid.hpp>

#include <type_traits>

namespace lbm {
namespace {

/// True if cells of class F have the dimensions, the state and the precision of `lattice`.
template <class F>
bool fits(const LatticeCase& lattice) {
  return F::D == lattice.dimensions && F::storesMoments == lattice.storesMoments &&
         std::is_same_v<typename F::Number, double> == lattice.isDouble &&
         F::isHalf == (lattice.isHalf && !lattice.isDouble);
}

/// Returns the solver of the cells Cell<L, Number, Storage>, or null if they do not fit `lattice`.
template <template <class, class, class> class Cell, class L, class Number, class Storage>
std::unique_ptr<Solver> createIfFits(mass::Mass& mass, const LatticeCase& lattice) {
  using F = Cell<L, Number, Storage>;
  return fits<F>(lattice) ? createSolverOf<F>(mass, lattice) : nullptr;
}

}  // namespace

std::unique_ptr<Solver> createSolver(mass::Mass& mass, const LatticeCase& lattice) {
#define MASS_VARIANT(unit, L, Cell, Number, Storage) \
  if (auto solver = createIfFits<Cell, L, Number, Storage>(mass, lattice)) return solver;
#include <lbm_model/variants.inc>
#undef MASS_VARIANT
  throw mass::UsageError("no solver for {} dimensions in half precision: use three dimensions",
                         lattice.dimensions);
}

}  // namespace lbm

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

}  // namespace

std::unique_ptr<Solver> createSolver(mass::Mass& mass, const LatticeCase& lattice) {
#define MASS_VARIANT(unit, L, Cell, Number, Storage) \
  if (fits<Cell<L, Number, Storage>>(lattice))       \
    return createSolverOf<Cell<L, Number, Storage>>(mass, lattice);
#include <lbm_model/variants.inc>
#undef MASS_VARIANT
  throw mass::UsageError("no solver for {} dimensions in half precision: use three dimensions",
                         lattice.dimensions);
}

}  // namespace lbm

#pragma once

#include <apps/lbm/solver/fluid.hpp>
#include <apps/lbm/solver/moment_fluid.hpp>
#include <apps/lbm/solver/solver.hpp>

namespace lbm {

/// Collision operators and choice of the rule that steps cells of class F.
template <class F>
class StepRule;

/// Chooses among the rules of Fluid: step, stepGeneral (force or free parameters), stepOpen (inlets
/// or outlets).
template <class L, class Real, class Storage>
class StepRule<Fluid<L, Real, Storage>> {
 public:
  using F = Fluid<L, Real, Storage>;

  explicit StepRule(const LatticeCase& lattice)
      : collision_(lattice.rates, lattice.free, lattice.force, F::rest),
        general_(lattice.rates, lattice.free, lattice.force, F::rest),
        isGeneral_(!isPlain(lattice)) {}

  /// Returns the collision that observables of Cell take.
  const MrtCollision<L, Real, true>& collision() const { return general_; }
  /// Applies the rule for `steps` steps.
  void advance(const mass::Places<F>& cells, const Boundaries<L, Real>& boundaries,
               mass::Steps steps) const {
    if (boundaries.hasOpenings()) {
      cells.template callAll<&F::stepOpen>(steps, general_, boundaries);
    } else if (isGeneral_) {
      cells.template callAll<&F::stepGeneral>(steps, general_, boundaries);
    } else {
      cells.template callAll<&F::step>(steps, collision_, boundaries);
    }
  }
  /// Allocates the memory that the rule needs.
  void reserve(const mass::Places<F>& cells, const Boundaries<L, Real>& boundaries) const {
    if (boundaries.hasOpenings()) {
      cells.template reserve<&F::stepOpen>();
    } else if (isGeneral_) {
      cells.template reserve<&F::stepGeneral>();
    } else {
      cells.template reserve<&F::step>();
    }
  }

 private:
  /// True if there is no force and the equilibrium is that of BGK.
  static bool isPlain(const LatticeCase& lattice) {
    const FreeParameters ofBgk;
    return lattice.force[0] == 0 && lattice.force[1] == 0 && lattice.force[2] == 0 &&
           (F::D == 2 || (lattice.free.rest == ofBgk.rest && lattice.free.speed == ofBgk.speed &&
                          lattice.free.pi == ofBgk.pi));
  }

  MrtCollision<L, Real, false> collision_;
  MrtCollision<L, Real, true> general_;
  bool isGeneral_;
};

/// MomentFluid has one rule.
template <class L, class Real, class Storage>
class StepRule<MomentFluid<L, Real, Storage>> {
 public:
  using F = MomentFluid<L, Real, Storage>;

  explicit StepRule(const LatticeCase& lattice)
      : collision_(lattice.rates, lattice.force, F::rest) {}

  const RegularizedCollision<L, Real>& collision() const { return collision_; }
  void advance(const mass::Places<F>& cells, const Boundaries<L, Real>& boundaries,
               mass::Steps steps) const {
    cells.template callAll<&F::step>(steps, collision_, boundaries);
  }
  void reserve(const mass::Places<F>& cells, const Boundaries<L, Real>& /*boundaries*/) const {
    cells.template reserve<&F::step>();
  }

 private:
  RegularizedCollision<L, Real> collision_;
};

}  // namespace lbm

#pragma once

#include <apps/lbm/solver/fluid.hpp>
#include <apps/lbm/solver/moment_fluid.hpp>
#include <apps/lbm/solver/solver.hpp>

namespace lbm {

/// What steps of places of class F are made of: the rule that a problem needs.
template <class F>
class StepRule;

template <class L, class Real, class Form>
class StepRule<Fluid<L, Real, Form>> {
 public:
  using F = Fluid<L, Real, Form>;

  explicit StepRule(const LatticeCase& lattice)
      : collision_(lattice.rates, lattice.free, lattice.force, F::rest),
        general_(lattice.rates, lattice.free, lattice.force, F::rest),
        isGeneral_(!isPlain(lattice)) {}

  /// What places are read with.
  const MrtCollision<L, Real, true>& collision() const { return general_; }
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
  /// Whether there is neither a force nor another equilibrium than that of BGK.
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

template <class L, class Real, class Form>
class StepRule<MomentFluid<L, Real, Form>> {
 public:
  using F = MomentFluid<L, Real, Form>;

  explicit StepRule(const LatticeCase& lattice)
      : collision_(lattice.rates, lattice.force, F::rest) {}

  const RegularizedCollision<L, Real>& collision() const { return collision_; }
  void advance(const mass::Places<F>& cells, const Boundaries<L, Real>& boundaries,
               mass::Steps steps) const {
    cells.template callAll<&F::step>(steps, collision_, boundaries);
  }
  void reserve(const mass::Places<F>& cells, const Boundaries<L, Real>& /*walls*/) const {
    cells.template reserve<&F::step>();
  }

 private:
  RegularizedCollision<L, Real> collision_;
};

}  // namespace lbm

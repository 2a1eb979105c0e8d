#pragma once

#include <apps/cavity/fluid.hpp>
#include <apps/cavity/moment_fluid.hpp>
#include <apps/cavity/tank.hpp>

namespace cavity {

/// What steps of places of class F are made of: the rule that a problem needs.
template <class F>
class Course;

template <class L, class Real, class Form>
class Course<Fluid<L, Real, Form>> {
 public:
  using F = Fluid<L, Real, Form>;

  explicit Course(const Problem& problem)
      : collision_(problem.rates, problem.free, problem.force, F::rest),
        general_(problem.rates, problem.free, problem.force, F::rest),
        isGeneral_(!isPlain(problem)) {}

  /// What places are read with.
  const Collision<L, Real, true>& reading() const { return general_; }
  void advance(const mass::Places<F>& cells, const Walls<L, Real>& walls, mass::Steps steps) const {
    if (walls.haveOpenings()) {
      cells.template callAll<&F::flowThrough>(steps, general_, walls);
    } else if (isGeneral_) {
      cells.template callAll<&F::flowInGeneral>(steps, general_, walls);
    } else {
      cells.template callAll<&F::flow>(steps, collision_, walls);
    }
  }
  void reserve(const mass::Places<F>& cells, const Walls<L, Real>& walls) const {
    if (walls.haveOpenings()) {
      cells.template reserve<&F::flowThrough>();
    } else if (isGeneral_) {
      cells.template reserve<&F::flowInGeneral>();
    } else {
      cells.template reserve<&F::flow>();
    }
  }

 private:
  /// Whether there is neither a force nor another equilibrium than that of BGK.
  static bool isPlain(const Problem& problem) {
    const FreeParameters ofBgk;
    return problem.force[0] == 0 && problem.force[1] == 0 && problem.force[2] == 0 &&
           (F::D == 2 || (problem.free.rest == ofBgk.rest && problem.free.speed == ofBgk.speed &&
                          problem.free.pi == ofBgk.pi));
  }

  Collision<L, Real, false> collision_;
  Collision<L, Real, true> general_;
  bool isGeneral_;
};

template <class L, class Real, class Form>
class Course<MomentFluid<L, Real, Form>> {
 public:
  using F = MomentFluid<L, Real, Form>;

  explicit Course(const Problem& problem) : collision_(problem.rates, problem.force, F::rest) {}

  const Regularized<L, Real>& reading() const { return collision_; }
  void advance(const mass::Places<F>& cells, const Walls<L, Real>& walls, mass::Steps steps) const {
    cells.template callAll<&F::go>(steps, collision_, walls);
  }
  void reserve(const mass::Places<F>& cells, const Walls<L, Real>& /*walls*/) const {
    cells.template reserve<&F::go>();
  }

 private:
  Regularized<L, Real> collision_;
};

}  // namespace cavity

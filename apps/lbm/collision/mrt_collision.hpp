#pragma once

#include <apps/lbm/collision/relaxation_rates.hpp>
#include <apps/lbm/lattice/lattice.hpp>

namespace lbm {

/// A collision with many relaxation times, in units of places and steps, and a force by Guo, Zheng
/// & Shi, Phys. Rev. E 65 (2002) 046308. Populations are less their weights, so that a fluid at
/// rest is all zeros and rounding is relative to what flows (Skordos, Phys. Rev. E 48 (1993) 4823).
///
/// Of opposite populations, the sum depends on moments of even order alone and the difference on
/// those of odd order. All even ones go by the rate of shear and all odd ones by that of the flux;
/// what e, epsilon, pi and m take beyond is found for all velocities along the same axes at once.
/// RelaxationRates are computed with whatever they are, as branches would keep CPUs from taking
/// several places at once. Only what is general knows forces and the free parameters.
template <class L, class Real, bool isGeneral>
class MrtCollision {
 public:
  static constexpr int D = L::dimensions;

  /// `rest` is the density of the fluid at rest, to which that of populations is relative: what
  /// makes good use of the numbers that they are stored as.
  MrtCollision(const RelaxationRates& rates, const FreeParameters& free, const double (&force)[3],
               double rest = 1);

  /// The state of a place, from populations before or after a collision.
  MASS_FN Moments<D, Real> momentsBefore(const Populations<L, Real>& f) const {
    return moments(f, Real(0.5));
  }
  MASS_FN Moments<D, Real> momentsAfter(const Populations<L, Real>& f) const {
    return moments(f, Real(-0.5));
  }

  /// Replaces populations by those after a collision.
  MASS_FN void operator()(Populations<L, Real>& f) const;

  /// Populations in equilibrium (Qian et al. 1992), less their weights.
  MASS_FN static void equilibrium(const Moments<D, Real>& at, Populations<L, Real>& f) {
    const Real still = at.excess - Real(1.5) * at.density * at.squared;
    f[0] = Real(L::weight(0)) * still;
    unroll<L::pairs>([&](auto p) {
      constexpr int k = 2 * p + 1;
      constexpr Real weight = static_cast<Real>(L::weight(k));
      const Real u = along<L, k>(at.velocity);
      const Real even = weight * (still + Real(4.5) * at.density * u * u);
      f[k] = even + 3 * weight * at.density * u;
      f[k + 1] = even - 3 * weight * at.density * u;
    });
  }

 private:
  /// A number for each set of axes that velocities go along.
  struct ValuesByAxes {
    Vector<(1 << D), Real> of;
    MASS_FN ValuesByAxes() { fillNegativeZero(of); }
  };

  MASS_FN Moments<D, Real> moments(const Populations<L, Real>& f, Real shareOfForce) const;
  /// What the even moments that have rates of their own take beyond the rate of shear, by velocity.
  MASS_FN ValuesByAxes extraEven(const Populations<L, Real>& f, const Moments<D, Real>& at) const;
  MASS_FN void extraPi(const ValuesByAxes& sums, const Moments<D, Real>& at,
                       const Vector<D, Real>& flow, Vector<2, Real>& pi) const;
  /// The same of m, by component.
  MASS_FN void extraOdd(const Populations<L, Real>& f, Vector<3, Real>& third) const;
  MASS_FN void addForce(Populations<L, Real>& f, const Moments<D, Real>& at) const;

  Real rest_ = 1;
  Real even_ = 1, odd_ = 1;  ///< rates of all moments that have none of their own
  // What follows from these: half of what is kept of a sum or difference of opposite populations;
  // what they get of the flow and its square, for velocities along one axis and along two.
  Real keptEven_ = 0, keptOdd_ = 0, squares_[2] = {0, 0}, flow_[2] = {0, 0};
  // Of those that have: by how much more, over the square of the moment's norm.
  Real energy_ = 0, energySquare_ = 0, pi_[2] = {0, 0}, third_ = 0;
  Vector<D, Real> force_ = {};  ///< on a place, in a step
  // What e, epsilon and pi are beyond in an equilibrium of other parameters, times rate over norm.
  Real restBeyond_ = 0, speedBeyond_ = 0, piBeyond_[2] = {0, 0};
};

}  // namespace lbm

#include <apps/lbm/collision/mrt_collision_impl.hpp>

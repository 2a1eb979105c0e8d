#pragma once

#include <apps/lbm/collision/relaxation_rates.hpp>
#include <apps/lbm/lattice/lattice.hpp>

namespace lbm {

/// Collision with multiple relaxation times (MRT) in lattice units, with the force of Guo, Zheng &
/// Shi, Phys. Rev. E 65 (2002) 046308. Populations are stored minus their weights: a fluid at rest
/// is all zeros, and round-off is relative to the flow (Skordos, Phys. Rev. E 48 (1993) 4823).
///
/// The sum of two opposite populations depends only on moments of even order, the difference only
/// on moments of odd order. All even moments relax at the shear rate and all odd moments at the
/// flux rate; corrections then account for the other rates. Those of e, epsilon and pi are equal
/// for all velocities with components along the same axes, and computed once for each such set of
/// axes. All terms are computed for all rates: branches would prevent CPUs from vectorizing over
/// cells.
///
/// @tparam isGeneral includes the force and the FreeParameters, which are ignored otherwise.
template <class L, class Real, bool isGeneral>
class MrtCollision {
 public:
  static constexpr int D = L::dimensions;

  /// @param rates each between 0 and 2
  /// @param force on a cell of density 1, per step; z, y, x
  /// @param rest density of the fluid at rest, which scales all populations; chosen to use the
  /// range of the type that they are stored as
  MrtCollision(const RelaxationRates& rates, const FreeParameters& free, const double (&force)[3],
               double rest = 1);

  /// Returns the moments of a cell from its populations before a collision. The velocity includes
  /// half of the force's momentum.
  MASS_FN Moments<D, Real> momentsBefore(const Populations<L, Real>& f) const {
    return moments(f, Real(0.5));
  }
  /// Returns the same moments from the populations after the collision.
  MASS_FN Moments<D, Real> momentsAfter(const Populations<L, Real>& f) const {
    return moments(f, Real(-0.5));
  }

  /// Replaces the populations of a cell by those after a collision.
  MASS_FN void operator()(Populations<L, Real>& f) const;

  /// Sets `f` to the equilibrium populations (Qian et al. 1992) minus their weights.
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
  /// One number per set of axes (Lattice::axes).
  struct ValuesByAxes {
    Vector<(1 << D), Real> of;
    MASS_FN ValuesByAxes() { fillNegativeZero(of); }
  };

  /// Returns the moments of `f`, with `shareOfForce` times the force added to the momentum.
  MASS_FN Moments<D, Real> moments(const Populations<L, Real>& f, Real shareOfForce) const;
  /// Returns the amounts by which relaxation of e, epsilon and pi at their own rates, rather than
  /// the shear rate, reduces each population.
  MASS_FN ValuesByAxes extraEven(const Populations<L, Real>& f, const Moments<D, Real>& at) const;
  /// Sets `pi` to the corrections for 3 pi_xx and pi_ww, as multiples of their rows. @param sums
  /// sums of populations by axes @param flow diagonal of the momentum flux, as in extraEven
  MASS_FN void extraPi(const ValuesByAxes& sums, const Moments<D, Real>& at,
                       const Vector<D, Real>& flow, Vector<2, Real>& pi) const;
  /// Sets `third` to the corrections for m, as multiples of its three rows.
  MASS_FN void extraOdd(const Populations<L, Real>& f, Vector<3, Real>& third) const;
  /// Adds the force term of Guo et al. 2002.
  MASS_FN void addForce(Populations<L, Real>& f, const Moments<D, Real>& at) const;

  Real rest_ = 1;            ///< density of the fluid at rest
  Real even_ = 1, odd_ = 1;  ///< shear and flux rates
  // Derived from these: half of (1 - rate), the factor of sums and differences of opposite
  // populations; factors of the velocity (flow_) and its square, for velocities along one axis [0]
  // and along two [1].
  Real keptEven_ = 0, keptOdd_ = 0, squares_[2] = {0, 0}, flow_[2] = {0, 0};
  // Rate minus shear rate (third_: minus flux rate), over the squared norm of the moment's row.
  Real energy_ = 0, energySquare_ = 0, pi_[2] = {0, 0}, third_ = 0;
  Vector<D, Real> force_ = {};  ///< on a cell, per step
  // FreeParameters minus those of BGK, times the rate over the squared norm.
  Real restBeyond_ = 0, speedBeyond_ = 0, piBeyond_[2] = {0, 0};
};

}  // namespace lbm

#include <apps/lbm/collision/mrt_collision_impl.hpp>

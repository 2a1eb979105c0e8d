#pragma once

#include <apps/cavity/lattice.hpp>
#include <apps/cavity/rates.hpp>

namespace cavity {

/// A collision with many relaxation times, in units of places and steps, and a force by Guo, Zheng
/// & Shi, Phys. Rev. E 65 (2002) 046308. Populations are less their weights, so that a fluid at
/// rest is all zeros and rounding is relative to what flows (Skordos, Phys. Rev. E 48 (1993) 4823).
///
/// Of opposite populations, the sum depends on moments of even order alone and the difference on
/// those of odd order. All even ones go by the rate of shear and all odd ones by that of the flux;
/// what e, epsilon, pi and m take beyond is found for all velocities along the same axes at once.
/// Rates are computed with whatever they are, as branches would keep CPUs from taking several
/// places at once. Only what is general knows forces and the free parameters.
template <class L, class Real, bool isGeneral>
class Collision {
 public:
  static constexpr int D = L::dimensions;

  Collision(const Rates& rates, const FreeParameters& free, const double (&force)[3]);

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
  struct ByAxes {
    Vector<(1 << D), Real> of = {};
  };

  MASS_FN Moments<D, Real> moments(const Populations<L, Real>& f, Real shareOfForce) const;
  /// What the even moments that have rates of their own take beyond the rate of shear, by velocity.
  MASS_FN ByAxes extraEven(const Populations<L, Real>& f, const Moments<D, Real>& at) const;
  MASS_FN void extraPi(const ByAxes& sums, const Moments<D, Real>& at, const Vector<D, Real>& flow,
                       Vector<2, Real>& pi) const;
  /// The same of m, by component.
  MASS_FN void extraOdd(const Populations<L, Real>& f, Vector<3, Real>& third) const;
  MASS_FN void addForce(Populations<L, Real>& f, const Moments<D, Real>& at) const;

  Real even_ = 1, odd_ = 1;  ///< rates of all moments that have none of their own
  // Of those that have: by how much more, over the square of the moment's norm.
  Real energy_ = 0, energySquare_ = 0, pi_[2] = {0, 0}, third_ = 0;
  Vector<D, Real> force_ = {};  ///< on a place, in a step
  // What e, epsilon and pi are beyond in an equilibrium of other parameters, times rate over norm.
  Real restBeyond_ = 0, speedBeyond_ = 0, piBeyond_[2] = {0, 0};
};

template <class L, class Real, bool isGeneral>
Collision<L, Real, isGeneral>::Collision(const Rates& rates, const FreeParameters& free,
                                         const double (&force)[3])
    : even_(static_cast<Real>(rates.shear)), odd_(static_cast<Real>(rates.flux)) {
  const auto over = [](double number, double norm) { return static_cast<Real>(number / norm); };
  energy_ = over(rates.energy - rates.shear, L::energyNorm);
  energySquare_ = over(rates.energySquare - rates.shear, L::energySquareNorm);
  if constexpr (D == 3) {
    const FreeParameters ofBgk;
    third_ = over(rates.third - rates.flux, L::thirdNorm);
    restBeyond_ = over(rates.energySquare * (free.rest - ofBgk.rest), L::energySquareNorm);
    speedBeyond_ = over(rates.energySquare * (free.speed - ofBgk.speed), L::energySquareNorm);
    for (int i = 0; i < 2; ++i) {
      pi_[i] = over(rates.pi - rates.shear, L::piNorm(i));
      piBeyond_[i] = over(rates.pi * (free.pi - ofBgk.pi), L::piNorm(i));
    }
  }
  for (int axis = 0; axis < D; ++axis) force_[axis] = static_cast<Real>(force[axis + 3 - D]);
}

template <class L, class Real, bool isGeneral>
MASS_FN inline auto Collision<L, Real, isGeneral>::moments(const Populations<L, Real>& f,
                                                           Real shareOfForce) const
    -> Moments<D, Real> {
  Moments<D, Real> at{};
  Vector<D, Real> momentum = {};
  at.excess = f[0];
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    at.excess += f[k] + f[k + 1];
    const Real difference = f[k] - f[k + 1];
    unroll<D>([&](auto axis) {
      constexpr int c = L::velocity(k)[axis];
      if constexpr (c == 1) momentum[axis] += difference;
      if constexpr (c == -1) momentum[axis] -= difference;
    });
  });
  at.density = 1 + at.excess;
  const Real inverse = 1 / at.density;
  for (int axis = 0; axis < D; ++axis) {
    if constexpr (isGeneral) momentum[axis] += shareOfForce * force_[axis];
    at.velocity[axis] = momentum[axis] * inverse;
    at.squared += at.velocity[axis] * at.velocity[axis];
  }
  return at;
}

template <class L, class Real, bool isGeneral>
MASS_FN inline void Collision<L, Real, isGeneral>::operator()(Populations<L, Real>& f) const {
  const Moments<D, Real> at = momentsBefore(f);
  const ByAxes extra = extraEven(f, at);
  Vector<3, Real> third = {};
  if constexpr (D == 3) extraOdd(f, third);
  const Real keptEven = Real(0.5) * (1 - even_), keptOdd = Real(0.5) * (1 - odd_);
  const Real still = even_ * (at.excess - Real(1.5) * at.density * at.squared);
  f[0] = (1 - even_) * f[0] + (Real(L::weight(0)) * still - extra.of[0]);
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    constexpr Real weight = static_cast<Real>(L::weight(k));
    const Real u = along<L, k>(at.velocity);
    const Real even = keptEven * (f[k] + f[k + 1]) + (weight * still - extra.of[L::axes(k)]) +
                      (Real(4.5) * weight * even_ * at.density) * (u * u);
    Real odd = keptOdd * (f[k] - f[k + 1]) + (3 * weight * odd_ * at.density) * u;
    if constexpr (D == 3) {
      unroll<3>([&](auto i) {
        constexpr int m = L::third(i, k);
        if constexpr (m == 1) odd -= third[i];
        if constexpr (m == -1) odd += third[i];
      });
    }
    f[k] = even + odd;
    f[k + 1] = even - odd;
  });
  if constexpr (isGeneral) addForce(f, at);
}

/// e, epsilon and pi are the same for all velocities that go along the same axes.
template <class L, class Real, bool isGeneral>
MASS_FN inline auto Collision<L, Real, isGeneral>::extraEven(const Populations<L, Real>& f,
                                                             const Moments<D, Real>& at) const
    -> ByAxes {
  ByAxes sums;
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    sums.of[L::axes(k)] += f[k] + f[k + 1];
  });
  Vector<D, Real> flow;  // of momentum along itself, less half of what the force does
  Real flows = 0;
  for (int axis = 0; axis < D; ++axis) {
    flow[axis] = at.density * at.velocity[axis] * at.velocity[axis];
    if constexpr (isGeneral) flow[axis] -= at.velocity[axis] * force_[axis];
    flows += flow[axis];
  }
  Real straight = 0, oblique = 0;
  unroll<(1 << D)>([&](auto axes) {
    constexpr int k = L::first(axes);
    if constexpr (k > 0) (L::square(k) == 1 ? straight : oblique) += sums.of[axes];
  });
  constexpr int one = L::first(1), two = L::first(3);
  const Real energy = energy_ * (Real(L::energy(0)) * f[0] + Real(L::energy(one)) * straight +
                                 Real(L::energy(two)) * oblique -
                                 Real(L::energyOfRest) * at.excess - Real(L::energyOfFlow) * flows);
  Real square = energySquare_ *
                (Real(L::energySquare(0)) * f[0] + Real(L::energySquare(one)) * straight +
                 Real(L::energySquare(two)) * oblique - Real(L::energySquareOfRest) * at.excess -
                 Real(L::energySquareOfFlow) * flows);
  if constexpr (isGeneral) square -= at.density * (restBeyond_ + speedBeyond_ * at.squared);
  Real pi[2] = {0, 0};
  if constexpr (D == 3) extraPi(sums, at, flow, pi);
  ByAxes extra;
  extra.of[0] = Real(L::energy(0)) * energy + Real(L::energySquare(0)) * square;
  unroll<(1 << D)>([&](auto axes) {
    constexpr int k = L::first(axes);
    if constexpr (k > 0) {
      extra.of[axes] = Real(L::energy(k)) * energy + Real(L::energySquare(k)) * square;
      if constexpr (D == 3) {
        extra.of[axes] += Real(L::pi(0, k)) * pi[0];
        if constexpr (L::pi(1, k) != 0) extra.of[axes] += Real(L::pi(1, k)) * pi[1];
      }
    }
  });
  return extra;
}

template <class L, class Real, bool isGeneral>
MASS_FN inline void Collision<L, Real, isGeneral>::extraPi(const ByAxes& sums,
                                                           const Moments<D, Real>& at,
                                                           const Vector<D, Real>& flow,
                                                           Vector<2, Real>& pi) const {
  unroll<(1 << D)>([&](auto axes) {
    constexpr int k = L::first(axes);
    if constexpr (k > 0) {
      pi[0] += Real(L::pi(0, k)) * sums.of[axes];
      if constexpr (L::pi(1, k) != 0) pi[1] += Real(L::pi(1, k)) * sums.of[axes];
    }
  });
  const auto& u = at.velocity;
  pi[0] = pi_[0] * (pi[0] + Real(0.5) * (2 * flow[2] - flow[1] - flow[0]));
  pi[1] = pi_[1] * (pi[1] + Real(0.5) * (flow[1] - flow[0]));
  if constexpr (isGeneral) {
    pi[0] -= piBeyond_[0] * at.density * (3 * u[2] * u[2] - at.squared);
    pi[1] -= piBeyond_[1] * at.density * (u[1] * u[1] - u[0] * u[0]);
  }
}

template <class L, class Real, bool isGeneral>
MASS_FN inline void Collision<L, Real, isGeneral>::extraOdd(const Populations<L, Real>& f,
                                                            Vector<3, Real>& third) const {
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    unroll<3>([&](auto i) {
      constexpr int m = L::third(i, k);
      if constexpr (m == 1) third[i] += f[k] - f[k + 1];
      if constexpr (m == -1) third[i] -= f[k] - f[k + 1];
    });
  });
  for (int i = 0; i < 3; ++i) third[i] *= third_;
}

/// Adds the force's populations, less half of what of them vanishes by the common rates.
template <class L, class Real, bool isGeneral>
MASS_FN inline void Collision<L, Real, isGeneral>::addForce(Populations<L, Real>& f,
                                                            const Moments<D, Real>& at) const {
  const Real leftEven = 1 - Real(0.5) * even_, leftOdd = 1 - Real(0.5) * odd_;
  Real power = 0;
  for (int axis = 0; axis < D; ++axis) power += at.velocity[axis] * force_[axis];
  f[0] -= leftEven * Real(3 * L::weight(0)) * power;
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    constexpr Real weight = static_cast<Real>(L::weight(k));
    const Real push = along<L, k>(force_);
    const Real even = leftEven * weight * (9 * along<L, k>(at.velocity) * push - 3 * power);
    const Real odd = leftOdd * 3 * weight * push;
    f[k] += even + odd;
    f[k + 1] += even - odd;
  });
}

}  // namespace cavity

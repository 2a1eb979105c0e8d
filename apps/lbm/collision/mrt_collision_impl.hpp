#pragma once

// Definitions for mrt_collision.hpp.

#include <apps/lbm/collision/mrt_collision.hpp>

namespace lbm {

template <class L, class Real, bool isGeneral>
MrtCollision<L, Real, isGeneral>::MrtCollision(const RelaxationRates& rates,
                                               const FreeParameters& free, const double (&force)[3],
                                               double rest)
    : rest_(static_cast<Real>(rest)),
      even_(static_cast<Real>(rates.shear)),
      odd_(static_cast<Real>(rates.flux)) {
  keptEven_ = static_cast<Real>(0.5 * (1 - rates.shear));
  keptOdd_ = static_cast<Real>(0.5 * (1 - rates.flux));
  for (const int square : {1, 2}) {
    const double weight = L::weight(L::first(square == 1 ? 1 : 3));
    squares_[square - 1] = static_cast<Real>(4.5 * weight * rates.shear);
    flow_[square - 1] = static_cast<Real>(3 * weight * rates.flux);
  }
  const auto scaled = [](double number, double norm) { return static_cast<Real>(number / norm); };
  energy_ = scaled(rates.energy - rates.shear, L::energyNorm);
  energySquare_ = scaled(rates.energySquare - rates.shear, L::energySquareNorm);
  if constexpr (D == 3) {
    const FreeParameters ofBgk;
    third_ = scaled(rates.third - rates.flux, L::thirdNorm);
    restBeyond_ = scaled(rates.energySquare * (free.rest - ofBgk.rest), L::energySquareNorm);
    speedBeyond_ = scaled(rates.energySquare * (free.speed - ofBgk.speed), L::energySquareNorm);
    for (int i = 0; i < 2; ++i) {
      pi_[i] = scaled(rates.pi - rates.shear, L::piNorm(i));
      piBeyond_[i] = scaled(rates.pi * (free.pi - ofBgk.pi), L::piNorm(i));
    }
  }
  for (int axis = 0; axis < D; ++axis) force_[axis] = static_cast<Real>(rest * force[axis + 3 - D]);
}

template <class L, class Real, bool isGeneral>
MASS_FN inline auto MrtCollision<L, Real, isGeneral>::moments(const Populations<L, Real>& f,
                                                              Real shareOfForce) const
    -> Moments<D, Real> {
  Moments<D, Real> at{};
  Vector<D, Real> momentum;
  fillNegativeZero(momentum);
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
  at.density = rest_ + at.excess;
  const Real inverse = 1 / at.density;
  at.squared = negativeZero<Real>;
  for (int axis = 0; axis < D; ++axis) {
    if constexpr (isGeneral) momentum[axis] += shareOfForce * force_[axis];
    at.velocity[axis] = momentum[axis] * inverse;
    at.squared += at.velocity[axis] * at.velocity[axis];
  }
  return at;
}

template <class L, class Real, bool isGeneral>
MASS_FN inline void MrtCollision<L, Real, isGeneral>::operator()(Populations<L, Real>& f) const {
  const Moments<D, Real> at = momentsBefore(f);
  const ValuesByAxes extra = extraEven(f, at);
  Vector<3, Real> third;
  if constexpr (D == 3) extraOdd(f, third);
  const Real still = even_ * (at.excess - Real(1.5) * at.density * at.squared);
  f[0] = 2 * keptEven_ * f[0] + (Real(L::weight(0)) * still - extra.of[0]);
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    constexpr Real weight = static_cast<Real>(L::weight(k));
    const Real u = along<L, k>(at.velocity);
    constexpr int group = L::square(k) - 1;
    const Real even = keptEven_ * (f[k] + f[k + 1]) + (weight * still - extra.of[L::axes(k)]) +
                      (squares_[group] * at.density) * (u * u);
    Real odd = keptOdd_ * (f[k] - f[k + 1]) + (flow_[group] * at.density) * u;
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

// The rows of e, epsilon and pi have one value for all velocities with the same axes.
template <class L, class Real, bool isGeneral>
MASS_FN inline auto MrtCollision<L, Real, isGeneral>::extraEven(const Populations<L, Real>& f,
                                                                const Moments<D, Real>& at) const
    -> ValuesByAxes {
  ValuesByAxes sums;
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    sums.of[L::axes(k)] += f[k] + f[k + 1];
  });
  // Diagonal of the momentum flux rho u u, minus half of the force's moment 2 u F.
  Vector<D, Real> flow;
  Real flows = negativeZero<Real>;
  for (int axis = 0; axis < D; ++axis) {
    flow[axis] = at.density * at.velocity[axis] * at.velocity[axis];
    if constexpr (isGeneral) flow[axis] -= at.velocity[axis] * force_[axis];
    flows += flow[axis];
  }
  Real straight = negativeZero<Real>, oblique = negativeZero<Real>;
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
  Vector<2, Real> pi;
  fillNegativeZero(pi);
  if constexpr (D == 3) extraPi(sums, at, flow, pi);
  ValuesByAxes extra;
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
MASS_FN inline void MrtCollision<L, Real, isGeneral>::extraPi(const ValuesByAxes& sums,
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
MASS_FN inline void MrtCollision<L, Real, isGeneral>::extraOdd(const Populations<L, Real>& f,
                                                               Vector<3, Real>& third) const {
  fillNegativeZero(third);
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

// Multiplies the even part by 1 - shear rate / 2 and the odd part by 1 - flux rate / 2.
template <class L, class Real, bool isGeneral>
MASS_FN inline void MrtCollision<L, Real, isGeneral>::addForce(Populations<L, Real>& f,
                                                               const Moments<D, Real>& at) const {
  const Real leftEven = 1 - Real(0.5) * even_, leftOdd = 1 - Real(0.5) * odd_;
  Real power = negativeZero<Real>;
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

}  // namespace lbm

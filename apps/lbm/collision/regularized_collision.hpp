#pragma once

#include <apps/lbm/collision/relaxation_rates.hpp>
#include <apps/lbm/lattice/lattice.hpp>

#include <cmath>
#include <type_traits>

namespace lbm {

/// Regularized collision (Latt & Chopard, Math. Comput. Simul. 72 (2006) 165), after which
/// populations have no moments beyond second order. The trace of the stress has a relaxation rate
/// of its own; the force is Guo's, as in MrtCollision. With the density rho minus that of the fluid
/// at rest, the momentum j, and h = sum_k f_k c_k c_k - rho / 3, the populations after a collision
/// are
///
///     f_k = w_k (rho + 3 c_k.j + 4.5 (c_k c_k - 1/3) : h),
///
/// so 10 moments in three dimensions, or 6 in two, determine all of them. Stored are the terms of
/// f_k / (36 w_k), where 36 w_k is an integer: `flow` is (rho - 1.5 tr h) / 36 and j / 12; `stress`
/// is h_aa / 8 for each axis, then h_ab / 4 for each pair of axes. Rounded weights would lose mass
/// in each step, with a systematic sign.
template <class L, class Real>
class RegularizedCollision {
 public:
  static constexpr int D = L::dimensions, stresses = D * (D + 1) / 2;
  using Flow = Vector<1 + D, Real>;
  using Stress = Vector<stresses, Real>;

  /// @param rates shear and energy are used
  /// @param force on a cell of density 1, per step; z, y, x
  /// @param rest density of the fluid at rest, which scales all moments
  RegularizedCollision(const RelaxationRates& rates, const double (&force)[3], double rest = 1)
      : rest_(static_cast<Real>(rest)),
        shear_(static_cast<Real>(rates.shear)),
        kept_(static_cast<Real>(1 - rates.shear)),
        forced_(static_cast<Real>(1 - 0.5 * rates.shear)),
        trace_(static_cast<Real>((rates.shear - rates.energy) / D)) {
    for (int axis = 0; axis < D; ++axis)
      force_[axis] = static_cast<Real>(rest * force[axis + 3 - D]);
  }

  /// Returns population k of the cell whose stored moments flow(i) and stress(i) return. Calls
  /// these only for the entries that population k depends on.
  template <int k, class FlowAt, class StressAt>
  MASS_FN static Real population(const FlowAt& flow, const StressAt& stress) {
    constexpr int share = static_cast<int>(36 * L::weight(k) + 0.5);
    Real sum = flow(0);
    unroll<D>([&](auto a) {
      constexpr int c = L::velocity(k)[a];
      if constexpr (c != 0) sum += stress(a);
    });
    unroll<stresses - D>([&](auto pair) {
      constexpr int c = L::velocity(k)[first(pair)] * L::velocity(k)[second(pair)];
      if constexpr (c == 1) sum += stress(D + pair);
      if constexpr (c == -1) sum -= stress(D + pair);
    });
    unroll<D>([&](auto a) {
      constexpr int c = L::velocity(k)[a];
      if constexpr (c == 1) sum += flow(1 + a);
      if constexpr (c == -1) sum -= flow(1 + a);
    });
    return share * sum;
  }

  /// Returns the moments of a cell after a collision; the velocity includes half of the force's
  /// momentum.
  MASS_FN Moments<D, Real> momentsAfter(const Flow& flow, const Stress& stress) const {
    Vector<D, Real> momentum;
    for (int a = 0; a < D; ++a) momentum[a] = 12 * flow[1 + a] - Real(0.5) * force_[a];
    return stateOf(excessOf(flow, stress), momentum);
  }
  /// Returns the density minus that of the fluid at rest.
  MASS_FN static Real excessOf(const Flow& flow, const Stress& stress) {
    Real trace = stress[0];
    for (int a = 1; a < D; ++a) trace += stress[a];
    return 36 * flow[0] + 12 * trace;
  }

  /// Collides the populations `f` and sets `flow` and `stress` to the result. The stress is first
  /// rounded to the storage format `Form` (void: none), and flow[0] computed from the rounded
  /// stress, so that rounding does not change the density.
  template <class Form>
  MASS_FN void collide(const Populations<L, Real>& f, Flow& flow, Stress& stress) const;

  /// Sets `flow` and `stress` to an equilibrium.
  MASS_FN static void equilibrium(const Moments<D, Real>& at, Flow& flow, Stress& stress) {
    for (int a = 0; a < D; ++a) {
      flow[1 + a] = at.density * at.velocity[a] / 12;
      stress[a] = at.density * at.velocity[a] * at.velocity[a] / 8;
    }
    unroll<stresses - D>([&](auto pair) {
      stress[D + pair] = at.density * at.velocity[first(pair)] * at.velocity[second(pair)] / 4;
    });
    flow[0] = (at.excess - Real(1.5) * at.density * at.squared) / 36;
  }

 private:
  /// The axes of pairs: 0 and 1, 0 and 2, 1 and 2.
  /// Axes of each off-diagonal pair: first(pair) < second(pair).
  MASS_FN static constexpr int first(int pair) { return pair < D - 1 ? 0 : 1; }
  MASS_FN static constexpr int second(int pair) { return pair < D - 1 ? 1 + pair : 2; }

  /// Returns the moments of a cell from its density and momentum.
  MASS_FN Moments<D, Real> stateOf(Real excess, const Vector<D, Real>& momentum) const {
    Moments<D, Real> at{};
    at.excess = excess;
    at.density = rest_ + excess;
    const Real inverse = 1 / at.density;
    at.squared = negativeZero<Real>;
    for (int a = 0; a < D; ++a) {
      at.velocity[a] = momentum[a] * inverse;
      at.squared += at.velocity[a] * at.velocity[a];
    }
    return at;
  }
  /// Returns the sum of `f`, and sets `momentum` and `products` to the sums of f_k c_k and of the
  /// products f_k c_k c_k.
  MASS_FN static Real moments(const Populations<L, Real>& f, Vector<D, Real>& momentum,
                              Stress& products);
  /// Returns number / divisor, also on GPUs whose division is inexact. A product with the rounded
  /// inverse would change the momentum in the same direction in each step; in large boxes as much
  /// as a small viscosity does.
  template <int divisor>
  MASS_FN static Real divided(Real number) {
    if constexpr (mass::onGpu) {
      constexpr Real inverse = Real(1) / divisor;
      constexpr Real rest = static_cast<Real>(1.0 / divisor - static_cast<double>(inverse));
      return std::fma(number, inverse, number * rest);
    } else {
      return number / divisor;
    }
  }
  /// Returns the value that the storage format `Form` holds for `number`.
  template <class Form>
  MASS_FN static Real rounded(Real number) {
    if constexpr (std::is_void_v<Form>) {
      return number;
    } else {
      return Form::decode(Form::encode(number));
    }
  }

  Real rest_ = 1;      ///< density of the fluid at rest
  Real shear_ = 1;     ///< shear rate
  Real kept_ = 0;      ///< 1 - shear rate
  Real forced_ = 0.5;  ///< 1 - shear rate / 2, factor of the force's moments
  Real trace_ = 0;     ///< (shear rate - energy rate) / D, correction of the trace per axis
  Vector<D, Real> force_ = {};  ///< on a cell, per step
};

template <class L, class Real>
MASS_FN inline Real RegularizedCollision<L, Real>::moments(const Populations<L, Real>& f,
                                                           Vector<D, Real>& momentum,
                                                           Stress& products) {
  fillNegativeZero(momentum);
  fillNegativeZero(products);
  Real all = f[0];
  unroll<L::pairs>([&](auto p) {
    constexpr int k = 2 * p + 1;
    const Real sum = f[k] + f[k + 1], difference = f[k] - f[k + 1];
    all += sum;
    unroll<D>([&](auto a) {
      constexpr int c = L::velocity(k)[a];
      if constexpr (c != 0) products[a] += sum;
      if constexpr (c == 1) momentum[a] += difference;
      if constexpr (c == -1) momentum[a] -= difference;
    });
    unroll<stresses - D>([&](auto pair) {
      constexpr int c = L::velocity(k)[first(pair)] * L::velocity(k)[second(pair)];
      if constexpr (c == 1) products[D + pair] += sum;
      if constexpr (c == -1) products[D + pair] -= sum;
    });
  });
  return all;
}

template <class L, class Real>
template <class Form>
MASS_FN inline void RegularizedCollision<L, Real>::collide(const Populations<L, Real>& f,
                                                           Flow& flow, Stress& stress) const {
  Vector<D, Real> momentum;
  Stress before;
  const Real excess = moments(f, momentum, before);
  for (int a = 0; a < D; ++a) momentum[a] += Real(0.5) * force_[a];
  const Moments<D, Real> at = stateOf(excess, momentum);
  const auto& u = at.velocity;
  // Trace of the stress minus its equilibrium, plus half of the force's moment 2 u F.
  Real beyond = -Real(D / 3.0) * excess;
  for (int a = 0; a < D; ++a) beyond += before[a] - momentum[a] * u[a] + u[a] * force_[a];
  const Real pressure = Real(1.0 / 3) * excess;
  Real trace = negativeZero<Real>;
  for (int a = 0; a < D; ++a) {
    const Real after = kept_ * (before[a] - pressure) + shear_ * momentum[a] * u[a] +
                       2 * forced_ * u[a] * force_[a] + trace_ * beyond;
    stress[a] = rounded<Form>(Real(0.125) * after);
    trace += stress[a];
  }
  unroll<stresses - D>([&](auto pair) {
    constexpr int a = first(pair), b = second(pair);
    const Real after = kept_ * before[D + pair] + shear_ * momentum[a] * u[b] +
                       forced_ * (u[a] * force_[b] + u[b] * force_[a]);
    stress[D + pair] = rounded<Form>(Real(0.25) * after);
  });
  flow[0] = divided<36>(excess - 12 * trace);
  for (int a = 0; a < D; ++a) flow[1 + a] = divided<12>(momentum[a] + Real(0.5) * force_[a]);
}

}  // namespace lbm

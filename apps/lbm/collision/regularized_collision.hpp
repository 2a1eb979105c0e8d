#pragma once

#include <apps/lbm/collision/relaxation_rates.hpp>
#include <apps/lbm/lattice/lattice.hpp>

#include <cmath>
#include <type_traits>

namespace lbm {

/// A collision after which populations have no moments but those up to the second order (Latt &
/// Chopard, Math. Comput. Simul. 72 (2006) 165), with a rate of its own for the stress's trace, and
/// a force by Guo as in MrtCollision. With density rho, less that of the fluid at rest, momentum j
/// and h = sum f c c - rho / 3, they are
///
///     f_k = w_k (rho + 3 c_k.j + 4.5 (c_k c_k - 1/3) : h),
///
/// so that 10 numbers in three dimensions, and 6 in two, stand for all of them. Kept are those of
/// which populations are sums, times 36 w_k, which is a whole number: of the flow
/// (rho - 1.5 tr h) / 36 and j / 12; of the stress h / 8 along each axis, then h / 4 of pairs of
/// axes. With rounded weights, mass would be lost in every step, always in the same direction.
template <class L, class Real>
class RegularizedCollision {
 public:
  static constexpr int D = L::dimensions, stresses = D * (D + 1) / 2;
  using Flow = Vector<1 + D, Real>;
  using Stress = Vector<stresses, Real>;

  /// `rest` is the density of the fluid at rest.
  RegularizedCollision(const RelaxationRates& rates, const double (&force)[3], double rest = 1)
      : rest_(static_cast<Real>(rest)),
        shear_(static_cast<Real>(rates.shear)),
        kept_(static_cast<Real>(1 - rates.shear)),
        forced_(static_cast<Real>(1 - 0.5 * rates.shear)),
        trace_(static_cast<Real>((rates.shear - rates.energy) / D)) {
    for (int axis = 0; axis < D; ++axis)
      force_[axis] = static_cast<Real>(rest * force[axis + 3 - D]);
  }

  /// Population k of what flow(i) and stress(i) return the numbers of. Only those are asked for
  /// that it takes.
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

  /// The state of a place after a collision.
  MASS_FN Moments<D, Real> momentsAfter(const Flow& flow, const Stress& stress) const {
    Vector<D, Real> momentum;
    for (int a = 0; a < D; ++a) momentum[a] = 12 * flow[1 + a] - Real(0.5) * force_[a];
    return stateOf(excessOf(flow, stress), momentum);
  }
  /// The density less that of the fluid at rest.
  MASS_FN static Real excessOf(const Flow& flow, const Stress& stress) {
    Real trace = stress[0];
    for (int a = 1; a < D; ++a) trace += stress[a];
    return 36 * flow[0] + 12 * trace;
  }

  /// What is kept of populations after they collide. The stress is rounded to what `Form` stores of
  /// it, and the density's share computed from that, so that rounding does not change the density.
  template <class Form>
  MASS_FN void collide(const Populations<L, Real>& f, Flow& flow, Stress& stress) const;

  /// What is kept of an equilibrium.
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
  MASS_FN static constexpr int first(int pair) { return pair < D - 1 ? 0 : 1; }
  MASS_FN static constexpr int second(int pair) { return pair < D - 1 ? 1 + pair : 2; }

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
  /// MomentumSum of populations: of all, times velocities, and times their products.
  MASS_FN static Real moments(const Populations<L, Real>& f, Vector<D, Real>& momentum,
                              Stress& second);
  /// A number over a whole one, as near as can be: by a rounded inverse, momentum would grow or
  /// shrink in every step, in large boxes as fast as it does of a small viscosity.
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
  template <class Form>
  MASS_FN static Real rounded(Real number) {
    if constexpr (std::is_void_v<Form>) {
      return number;
    } else {
      return Form::decode(Form::encode(number));
    }
  }

  Real rest_ = 1;
  Real shear_ = 1;              ///< rate
  Real kept_ = 0;               ///< of the stress
  Real forced_ = 0.5;           ///< how much of what the force does to it is left after a collision
  Real trace_ = 0;              ///< by how much more the trace is kept, for each axis
  Vector<D, Real> force_ = {};  ///< on a place, in a step
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
  // Of the trace: what it is beyond its equilibrium, less half of what the force does to it.
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

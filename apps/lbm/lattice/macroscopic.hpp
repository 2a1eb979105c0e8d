#pragma once

#include <apps/lbm/lattice/lattice.hpp>

namespace lbm {

/// Largest |density - 1| of a valid flow; the fluid at rest has density 1. Errors of the method and
/// differences of density both grow with the square of the Mach number; in nearly incompressible
/// flows these are a few hundredths.
inline constexpr double maxExcess = 0.5;
/// Largest Mach number that settings may prescribe, and above which a run warns. Compressibility
/// errors grow with its square.
inline constexpr double maxMach = 0.35;

/// Macroscopic state of a cell in lattice units; a solid cell has density 1 and velocity 0.
template <int D>
struct Macroscopic {
  double density = 1;               ///< relative to the fluid at rest
  Vector<D, double> velocity = {};  ///< cells per step, in the order of the axes
};

/// Moments that a collision conserves (without a force), and quantities that follow from them.
/// Densities have the scale of the populations, in which the fluid at rest has P::rest (Cell).
template <int D, class Real>
struct Moments {
  Real excess;               ///< density minus that of the fluid at rest
  Real density;              ///< mass of a cell
  Vector<D, Real> velocity;  ///< cells per step, in the order of the axes
  Real squared;              ///< speed^2
};

/// Momentum per axis; entries beyond the dimensions are 0.
struct MomentumSum {
  double of[4] = {0, 0, 0, 0};
};
/// Reduction for Places::reduce: adds momenta.
struct AddMomentum {
  template <class T>
  using Result = MomentumSum;
  template <class R>
  MASS_FN static constexpr R identity() {
    return {};
  }
  MASS_FN constexpr MomentumSum operator()(MomentumSum a, const MomentumSum& b) const {
    for (int i = 0; i < 4; ++i) a.of[i] += b.of[i];
    return a;
  }
};

}  // namespace lbm

#pragma once

#include <apps/lbm/lattice/lattice.hpp>

namespace lbm {

/// By how much the density may differ from that of the fluid at rest, which is 1, for the method to
/// say anything: its errors go with the square of the Mach number, as differences of density do,
/// and these are a few hundredths in flows that are not too compressible.
inline constexpr double maxExcess = 0.5;
/// A Mach number above which differences of density show: errors go with its square.
inline constexpr double maxMach = 0.35;

/// Density and velocity of a place, in units of the lattice; no velocity in what is solid.
template <int D>
struct Macroscopic {
  double density = 1;
  Vector<D, double> velocity = {};  ///< in the order of the axes
};

/// What is conserved at a collision, and what follows from it.
template <int D, class Real>
struct Moments {
  Real excess;  ///< density less that of the fluid at rest
  Real density;
  Vector<D, Real> velocity;  ///< places a step
  Real squared;              ///< of the velocity
};

/// Four numbers that are added up together.
struct MomentumSum {
  double of[4] = {0, 0, 0, 0};
};
/// The operation for Places::reduce.
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

#pragma once

#include <apps/cavity/lattice.hpp>

namespace cavity {

/// By how much the density may differ from that of the fluid at rest, which is 1, for the method to
/// say anything: its errors go with the square of the Mach number, as differences of density do,
/// and these are a few hundredths in flows that are not too compressible.
inline constexpr double mostExcess = 0.5;

/// Density and velocity of a place, in units of the lattice; no velocity in what is solid.
template <int D>
struct Observed {
  double density = 1;
  Vector<D, double> velocity = {};  ///< in the order of the axes
};

/// Four numbers that are added up together.
struct Sums {
  double of[4] = {0, 0, 0, 0};
};
/// The operation for Places::reduce.
struct AddSums {
  template <class T>
  using Result = Sums;
  template <class R>
  MASS_FN static constexpr R identity() {
    return {};
  }
  MASS_FN constexpr Sums operator()(Sums a, const Sums& b) const {
    for (int i = 0; i < 4; ++i) a.of[i] += b.of[i];
    return a;
  }
};

}  // namespace cavity

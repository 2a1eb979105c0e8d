#pragma once

#include <mass/mass.hpp>

namespace seismic {

/// Returns the central difference of fourth order on a staggered grid, the derivative times the
/// spacing (Levander, Geophysics 53, 1425, 1988, eq. 6).
/// @param after, before values half a spacing after and before the point of the derivative
/// @param farAfter, farBefore values three half spacings after and before it
template <class Real>
MASS_FN constexpr Real difference(Real after, Real before, Real farAfter, Real farBefore) {
  return Real{9} / 8 * (after - before) - Real{1} / 24 * (farAfter - farBefore);
}

/// Largest stable vp dt / h in three dimensions: 6 / (7 sqrt 3) (Levander 1988; Moczo, Kristek &
/// Halada, Bull. Seism. Soc. Am. 90, 587, 2000).
inline constexpr double largestCourant = 0.494871659305393528;

}  // namespace seismic

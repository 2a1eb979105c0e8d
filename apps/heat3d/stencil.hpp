#pragma once

#include <mass/mass.hpp>

#include <cmath>

namespace heat3d {

/// Smallest and largest order of the central differences.
constexpr int lowestOrder = 2, highestOrder = 8;

/// Returns spacing^2 times the weight of the places `distance` spacings away in the central
/// difference for a second derivative (Fornberg, Math. Comp. 51, 699, 1988, table 1).
/// @param order 2, 4, 6 or 8
/// @param distance 0 to order / 2
MASS_FN constexpr double weight(int order, int distance) {
  constexpr double weights[4][5] = {
      {-2.0, 1.0},
      {-5.0 / 2, 4.0 / 3, -1.0 / 12},
      {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90},
      {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560},
  };
  return weights[order / 2 - 1][distance];
}

/// Returns the largest r = diffusivity dt / spacing^2 at which explicit steps in three dimensions
/// are stable: 1/6, 1/8, 0.110294, 0.102539 for the orders 2 to 8. A step multiplies the wave
/// exp(i angle (x + y + z) / spacing) by 1 + 3 r s(angle), with the symbol
/// s(angle) = weight(0) + 2 sum_d weight(d) cos(d angle). It is lowest for angle pi, and the factor
/// must be at least -1 there (von Neumann's condition).
constexpr double largestRate(int order) {
  double symbol = weight(order, 0);
  for (int distance = 1; distance <= order / 2; ++distance)
    symbol += (distance % 2 == 0 ? 2 : -2) * weight(order, distance);
  return 2 / (3 * -symbol);
}

}  // namespace heat3d

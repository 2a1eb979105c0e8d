#pragma once

#include <apps/lbm/boundary/boundaries.hpp>
#include <apps/lbm/collision/relaxation_rates.hpp>
#include <apps/lbm/lattice/macroscopic.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace lbm {

/// A flow problem in lattice units: lengths in cells, times in steps, densities relative to the
/// fluid at rest. Arrays are in the order of the axes: z, y, x. In two dimensions there is one cell
/// along z, and all other entries for z are ignored.
struct LatticeCase {
  int dimensions = 3;                          ///< 2 or 3
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< along each axis
  bool isDouble = false;                       ///< 64-bit numbers, else 32-bit
  bool isHalf = false;         ///< state stored in 16 bits, computed in 32; three dimensions only
  bool storesMoments = false;  ///< state: moments (RegularizedCollision), else populations
  RelaxationRates rates;
  FreeParameters free;
  double force[3] = {0, 0, 0};                   ///< on a cell of density 1, per step
  std::array<BoundaryFace<3, double>, 6> faces;  ///< low and high face of each axis
  std::vector<std::uint8_t> solid;               ///< 1 for each solid cell, else 0; empty: no solid
  /// Returns the initial density and velocity of a cell.
  std::function<Macroscopic<3>(const std::array<std::int64_t, 3>& cell)> start;

  std::int64_t cellCount() const { return cells[0] * cells[1] * cells[2]; }
};

}  // namespace lbm

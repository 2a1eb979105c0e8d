#pragma once

#include <apps/lbm/solver/solver.hpp>

#include <array>
#include <cstdint>

namespace lbm {

/// Estimate of the flow that a uniform force drives in a box without obstacles, inlets and outlets,
/// in lattice units. Along periodic axes the force accelerates the fluid: unbounded if there are no
/// walls, towards Poiseuille flow between two, towards duct flow between four. Along other axes it
/// compresses the fluid against a wall. The defaults hold if a face is an inlet or outlet.
struct ForceDrivenEstimate {
  double speed = 0;       ///< largest speed, if the flow stays laminar
  bool isCertain = true;  ///< no walls, or a Reynolds number at which the flow stays laminar
  double density = 1;     ///< largest density of the fluid at rest under the force

  ForceDrivenEstimate() = default;
  /// @param viscosity in lattice units @param start initial velocity of all cells: z, y, x
  /// @param steps after which the speed is estimated
  ForceDrivenEstimate(const LatticeCase& lattice, double viscosity,
                      const std::array<double, 3>& start, std::int64_t steps);
};

}  // namespace lbm

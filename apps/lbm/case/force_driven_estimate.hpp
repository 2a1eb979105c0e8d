#pragma once

#include <apps/lbm/solver/solver.hpp>

#include <array>
#include <cstdint>

namespace lbm {

/// What a force makes of a fluid in a box without obstacles, inlets and outlets: it drives it along
/// periodic axes, between walls or without any. In units of the lattice.
struct ForceDrivenEstimate {
  double speed = 0;       ///< the largest after some steps, if the flow stays laminar
  bool isCertain = true;  ///< it is between no walls, or so slow that it does
  double density = 1;     ///< of fluid at rest, where the force presses it against a wall

  ForceDrivenEstimate() = default;
  /// `start` is the velocity of all fluid at first.
  ForceDrivenEstimate(const LatticeCase& lattice, double viscosity,
                      const std::array<double, 3>& start, std::int64_t steps);
};

}  // namespace lbm

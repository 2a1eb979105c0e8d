#pragma once

#include <apps/lbm/case/force_driven_estimate.hpp>
#include <apps/lbm/solver/solver.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace lbm {

/// Names of the faces in keys of the settings; indexed as LatticeCase::faces.
inline constexpr std::array<const char*, 6> faceNames{"z_low",  "z_high", "y_low",
                                                      "y_high", "x_low",  "x_high"};

/// What a cell, a step and the fluid's density at rest are in m, s and kg/m^3.
struct Units {
  double cell = 1, step = 1, density = 1;

  double speed() const { return cell / step; }
  /// Of a density less 1: that of an ideal gas at the lattice's speed of sound, 1/sqrt(3).
  double pressure() const { return density * speed() * speed() / 3; }
  /// N; in two dimensions N/m.
  double force(int dimensions) const {
    return density * speed() * speed() * cell * (dimensions == 3 ? cell : 1);
  }
};

/// Where a table's columns have velocity and pressure.
struct Probe {
  std::string name;
  std::array<std::int64_t, 3> cell{};  ///< z, y, x
};

/// A flow in physical units, and what it is in those of the lattice.
struct FlowCase {
  LatticeCase lattice;
  Units units;
  double viscosity = 0, length = 0, speed = 0;  ///< m^2/s, m and m/s of the Reynolds number
  double latticeViscosity = 0, latticeSpeed = 0;
  /// Of what is prescribed: the reference, faces, the start, and what a force is certain to drive.
  double maxLatticeSpeed = 0;
  ForceDrivenEstimate forceDriven;  ///< at the end of the run
  std::string collision;
  std::vector<Probe> probes;
  bool inSi = true;        ///< what is written
  std::int64_t steps = 0;  ///< at the end of the run

  /// Reads and checks the settings. @throws SettingsError, also for what the grid cannot hold: it
  /// names one that can.
  explicit FlowCase(const mass::Settings& settings);

  double reynolds() const { return speed * length / viscosity; }
  /// Of the fastest that is prescribed: over the speed of sound, 1/sqrt(3), which stands for how
  /// compressible the flow is.
  double mach() const { return maxLatticeSpeed * std::numbers::sqrt3; }
  double relaxationTime() const { return 3 * latticeViscosity + 0.5; }
  /// What a run says of it at the start.
  std::string report() const;
};

}  // namespace lbm

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

/// Lattice units in SI: the edge of a cell in m, the time of a step in s, and the density of the
/// fluid at rest in kg/m^3.
struct Units {
  double cell = 1, step = 1, density = 1;

  /// Returns the unit of speed, a cell per step, in m/s.
  double speed() const { return cell / step; }
  /// Returns the pressure in Pa above that at rest per unit of density - 1: the lattice gas is
  /// ideal with a speed of sound of 1/sqrt(3) cells per step.
  double pressure() const { return density * speed() * speed() / 3; }
  /// Returns the unit of force in N; in two dimensions in N/m.
  double force(int dimensions) const {
    return density * speed() * speed() * cell * (dimensions == 3 ? cell : 1);
  }
};

/// Cell whose velocity and pressure are columns of the table.
struct Probe {
  std::string name;
  std::array<std::int64_t, 3> cell{};  ///< z, y, x
};

/// Lines that a run prints about its obstacles.
struct ObstacleReport {
  std::vector<std::string> bodies;    ///< cells and volume of each shape, beside its own volume
  std::vector<std::string> notes;     ///< on the files of surfaces
  std::vector<std::string> warnings;  ///< on shapes that the cells resolve badly
};

/// Flow as the settings describe it, in SI units, and the LatticeCase that it is solved as.
struct FlowCase {
  LatticeCase lattice;
  Units units;
  double viscosity = 0, length = 0, speed = 0;    ///< in m^2/s, m, m/s: the Reynolds number
  double latticeViscosity = 0, latticeSpeed = 0;  ///< viscosity and speed in lattice units
  /// Largest prescribed speed in cells per step: of the reference, the faces, the start, and of
  /// `forceDriven` if that is certain.
  double maxLatticeSpeed = 0;
  ForceDrivenEstimate forceDriven;  ///< for the last step
  std::string collision;            ///< value of the setting: bgk, trt, mrt or regularized
  std::vector<Probe> probes;
  ObstacleReport obstacles;
  bool inSi = true;        ///< units of tables and data: SI, else lattice
  std::int64_t steps = 0;  ///< length of the run

  /// Reads and checks the settings. @throws SettingsError if a value is invalid or if the flow
  /// would be unstable or too compressible on this grid; the message then names a change that
  /// suffices.
  explicit FlowCase(const mass::Settings& settings);

  double reynolds() const { return speed * length / viscosity; }
  /// Returns the Mach number of maxLatticeSpeed, a measure of compressibility errors; the speed of
  /// sound is 1/sqrt(3).
  double mach() const { return maxLatticeSpeed * std::numbers::sqrt3; }
  double relaxationTime() const { return 3 * latticeViscosity + 0.5; }
  /// Returns the lines that a run prints about the flow at the start.
  std::string report() const;
};

}  // namespace lbm

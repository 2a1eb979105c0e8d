#pragma once

#include <apps/lbm/case/flow_case.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <vector>

namespace lbm {

/// Solid bodies of a flow.
struct Obstacles {
  /// 1 for each cell whose centre is inside a body, else 0; row-major, x fastest. Empty if there
  /// are no bodies.
  std::vector<std::uint8_t> solid;
  ObstacleReport report;
};

/// Reads the section `obstacles`. A body that crosses a periodic face continues at the opposite
/// one. Lengths are in m from the low corner of the box.
/// @param cell edge of a cell in m
/// @throws SettingsError if a body is invalid, covers no further cell, or leaves no fluid
Obstacles obstaclesOf(const mass::ConfigNode& bodies, const mass::Settings& settings,
                      const LatticeCase& lattice, double cell);

/// Returns the probes of the section `probes`. A probe beyond a periodic face is that inside.
/// @param cell edge of a cell in m @throws SettingsError if a probe is outside of the box or inside
/// an obstacle, or its name cannot be that of columns.
std::vector<Probe> probesOf(const mass::ConfigNode& probes, const LatticeCase& lattice,
                            double cell);

}  // namespace lbm

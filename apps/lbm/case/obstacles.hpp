#pragma once

#include <apps/lbm/case/flow_case.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <vector>

namespace lbm {

/// Which cells are in a body of the section `obstacles`: those whose centre is. Empty where there
/// are no bodies. Lengths are in m, from the low corner of the box. @throws SettingsError.
std::vector<std::uint8_t> solidCells(const mass::Tree& bodies, const mass::Settings& settings,
                                     const LatticeCase& lattice, double cell);

/// The probes of the section `probes`. @throws SettingsError, also for one outside of the box or
/// inside an obstacle, and for a name that cannot be one of columns.
std::vector<Probe> probesOf(const mass::Tree& probes, const LatticeCase& lattice, double cell);

}  // namespace lbm

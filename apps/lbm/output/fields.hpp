#pragma once

#include <apps/lbm/case/flow_case.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace lbm {

/// Density and velocity of every cell at one time, in units of the lattice, and what follows from
/// them. Vectors are along x, y, z.
class Fields {
 public:
  Fields(const LatticeCase& lattice, std::vector<Macroscopic<3>> cells)
      : lattice_(&lattice), cells_(std::move(cells)) {}

  std::array<double, 3> velocity(std::size_t cell) const {
    const auto& v = cells_[cell].velocity;
    return {v[2], v[1], v[0]};
  }
  double speed(std::size_t cell) const;
  /// The density less 1.
  double excess(std::size_t cell) const { return cells_[cell].density - 1; }
  /// The curl of the velocity in differences between the cells on either side; at walls and solid
  /// cells, from the cell to the other side. None in what is solid.
  std::array<double, 3> vorticity(std::size_t cell) const;
  std::size_t size() const { return cells_.size(); }

 private:
  double slope(std::size_t cell, std::size_t component, std::size_t axis) const;
  /// The number of the neighbour along an axis, or of the cell itself where there is no fluid.
  std::size_t neighborOf(std::size_t cell, std::size_t axis, std::int64_t way) const;

  const LatticeCase* lattice_;
  std::vector<Macroscopic<3>> cells_;
};

/// Density and velocity of the cells of a box, from one on and before another along every axis.
using SampleBox = std::function<std::vector<Macroscopic<3>>(
    const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high)>;

/// What a picture of the settings' quantity shows. It observes no cells but those of the slice.
mass::Picture pictureOf(const FlowCase& flow, const mass::Settings& settings,
                        const SampleBox& observe);

/// Density, pressure (beyond that at rest), velocity and vorticity for ParaView.
mass::DataFrame dataOf(const FlowCase& flow, const Fields& fields);

}  // namespace lbm

#pragma once

#include <apps/lbm/case/flow_case.hpp>

#include <mass/mass.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace lbm {

/// Density and velocity of all cells at one step, and fields derived from them, in lattice units.
/// Vectors are in the order x, y, z; cells are numbered row-major, x fastest.
class Fields {
 public:
  /// @param lattice must outlive this object
  Fields(const LatticeCase& lattice, std::vector<Macroscopic<3>> cells)
      : lattice_(&lattice), cells_(std::move(cells)) {}

  std::array<double, 3> velocity(std::size_t cell) const {
    const auto& v = cells_[cell].velocity;
    return {v[2], v[1], v[0]};
  }
  double speed(std::size_t cell) const;
  /// Returns density - 1.
  double excess(std::size_t cell) const { return cells_[cell].density - 1; }
  /// Returns the curl of the velocity by central differences, at walls and solid cells by one-sided
  /// ones; 0 in solid cells.
  std::array<double, 3> vorticity(std::size_t cell) const;
  std::size_t size() const { return cells_.size(); }

 private:
  /// Returns the derivative of a velocity component (order of the axes) along an axis.
  double slope(std::size_t cell, std::size_t component, std::size_t axis) const;
  /// Returns the number of the neighbour along an axis, `way` cells away (1 or -1), or that of the
  /// cell itself if there is a wall or a solid cell.
  std::size_t neighborOf(std::size_t cell, std::size_t axis, std::int64_t way) const;

  const LatticeCase* lattice_;
  std::vector<Macroscopic<3>> cells_;
};

/// Returns density and velocity of the cells of the box [low, high).
using SampleBox = std::function<std::vector<Macroscopic<3>>(
    const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high)>;

/// Returns the picture of output.quantity on the slice that the settings choose. Calls `observe`
/// for the cells of that slice only.
mass::Picture pictureOf(const FlowCase& flow, const mass::Settings& settings,
                        const SampleBox& observe);

/// Returns the picture of output.quantity on the slice across an axis at a position.
mass::Picture sliceOf(const FlowCase& flow, const mass::Settings& settings,
                      const SampleBox& observe, std::size_t across, std::int64_t at);

/// Returns density, pressure above that at rest, velocity and vorticity in the output units of
/// `flow`.
mass::DataFrame dataOf(const FlowCase& flow, const Fields& fields);

}  // namespace lbm

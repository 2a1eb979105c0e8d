#pragma once

#include <apps/lbm/solver/solver.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lbm {

/// Returns the bytes of memory traffic of a step per cell: reads of populations or moments and of
/// the kind, writes of populations or moments. The state of a cell occupies as many bytes with two
/// buffers, and about half with populations streamed in place.
std::int64_t bytesPerCell(const LatticeCase& lattice);

/// Partition of a flow over devices and its cost per step: in bands of rows (in three dimensions,
/// of planes), or in blocks that are cut along several axes.
struct PartitionReport {
  std::vector<std::int64_t> cells;       ///< cells of each device
  std::vector<std::int64_t> cellsAtCut;  ///< cells of each device that border on another device
  double bytesMoved = 0;                 ///< memory traffic of a step, of all devices together
  double bytesSent = 0;                  ///< transfer between devices per step, both directions

  /// @param parts parts of the places, by device
  PartitionReport(const LatticeCase& lattice, std::span<const mass::AnyPlaces::Part> parts);

  /// Returns the lines that a run prints at the start.
  std::string report() const;
};

}  // namespace lbm

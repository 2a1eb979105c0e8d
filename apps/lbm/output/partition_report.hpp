#pragma once

#include <apps/lbm/solver/solver.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lbm {

/// Bytes that a step moves of a cell: it reads populations, or their moments, and the kind, and
/// writes populations or moments. In memory a cell takes as many, or half where populations move in
/// place.
std::int64_t bytesPerCell(const LatticeCase& lattice);

/// How a flow is split over devices, in bands of rows: planes in three dimensions.
struct PartitionReport {
  std::vector<std::int64_t> cells;       ///< of each device
  std::vector<std::int64_t> cellsAtCut;  ///< those of which something goes to another device
  double bytesMoved = 0;  ///< bytes that a step reads and writes in all memories together
  double bytesSent = 0;   ///< bytes that a step sends across cuts, both ways

  /// `weights` has the share of each device.
  PartitionReport(const LatticeCase& lattice, std::span<const double> weights);

  /// Lines of what a run says at the start.
  std::string report() const;
};

}  // namespace lbm

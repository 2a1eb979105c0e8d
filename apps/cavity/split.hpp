#pragma once

#include <apps/cavity/tank.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cavity {

/// Bytes that a step moves of a cell: it reads populations, or their moments, and the kind, and
/// writes populations or moments. In memory a cell takes as many, or half where populations move in
/// place.
std::int64_t bytesOfCell(const Problem& problem);

/// How a flow is split over devices, in bands of rows: planes in three dimensions.
struct Split {
  std::vector<std::int64_t> cells;  ///< of each device
  std::vector<std::int64_t> atCut;  ///< those of which something goes to another device
  double moved = 0;                 ///< bytes that a step reads and writes in all memories together
  double sent = 0;                  ///< bytes that a step sends across cuts, both ways

  /// `weights` has the share of each device.
  Split(const Problem& problem, std::span<const double> weights);

  /// Lines of what a run says at the start.
  std::string report() const;
};

}  // namespace cavity

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mass {

/// Result of Mass::rebalance for one Places.
struct Rebalance {
  std::string places{};  ///< name of the Places
  /// Rows by device; equal if no cut was moved.
  std::vector<std::int64_t> before{}, after{};
  /// Cost of the most loaded device over the mean, minus 1; 0.5: half as much again.
  double imbalance = 0;
  double expected = 0;  ///< imbalance that the same costs yield with the rows in `after`
};

}  // namespace mass

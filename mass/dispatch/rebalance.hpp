#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mass {

/// Cost model of the load balancer.
enum class Balance {
  time,    ///< measured compute time per row
  agents,  ///< number of agents per row; reproducible
  rate,    ///< expected events per row; reproducible
};

/// Result of Mass::rebalance for one Places.
struct Rebalance {
  std::string places{};                ///< name of the Places
  std::vector<std::int64_t> before{};  ///< rows of each device before the call
  std::vector<std::int64_t> after{};   ///< rows of each device after the call
  /// Lines of a row of each device before the call, if axis 1 is cut; else empty.
  std::vector<std::int64_t> linesBefore{};
  std::vector<std::int64_t> linesAfter{};  ///< these lines after the call
  /// Cost of the most loaded device divided by the mean, minus 1, before the call; 0 is balanced.
  double imbalance = 0;
  double expected = 0;  ///< imbalance of the same costs with the rows of `after`

  /// True if places have moved to other devices.
  bool hasMoved() const { return after != before || linesAfter != linesBefore; }
};

}  // namespace mass

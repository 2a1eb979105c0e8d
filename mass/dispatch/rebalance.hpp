#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mass {

/// Cost model of the load balancer.
enum class Balance {
  time,    ///< measured compute time per row
  agents,  ///< number of agents per row; reproducible
};

/// Result of Mass::rebalance for one Places.
struct Rebalance {
  std::string places{};                ///< name of the Places
  std::vector<std::int64_t> before{};  ///< rows of each device before the call
  std::vector<std::int64_t> after{};   ///< rows of each device after it; equal if no cut was moved
  /// Cost of the most loaded device divided by the mean, minus 1; 0 is balanced.
  double imbalance = 0;
  double expected = 0;  ///< imbalance that the same costs yield with the rows in `after`
};

}  // namespace mass

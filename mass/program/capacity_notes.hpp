#pragma once

#include <mass/model/mass.hpp>

#include <string>
#include <vector>

namespace mass::detail {

/// Notes on capacities of agents that grow during a run.
class CapacityNotes {
 public:
  /// @param mass must outlive this
  /// @param program name of the program, the beginning of each line
  CapacityNotes(const Mass& mass, std::string program);

  /// Returns a line for each capacity that has grown since the last call, if at least 1 MiB.
  std::string take();

 private:
  const Mass& mass_;
  std::string program_;
  std::vector<AgentCapacity> reported_;
};

}  // namespace mass::detail

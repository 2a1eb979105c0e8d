#pragma once

#include <mass/memory/ring_memory.hpp>

#include <vector>

namespace mass::detail {

/// Memory of a CPU worker for rows between the steps of a pass. The worker keeps it between passes.
struct PassMemory {
  std::vector<char> bytes{};
  std::vector<RingMemory> rings{};
};

}  // namespace mass::detail

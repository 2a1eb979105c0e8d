#pragma once

#include <fstream>
#include <string>

namespace mass::testing {

/// Returns the number of mappings of rings (RingMemory) in this process: two for each ring.
inline int ringMappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("mass-ring") != std::string::npos) ++count;
  return count;
}

}  // namespace mass::testing

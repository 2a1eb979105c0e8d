#pragma once

#include <cstdint>

namespace mass {

/// What became of agents in a manageAll, over all devices.
struct Census {
  std::int64_t alive = 0;    ///< after it
  std::int64_t died = 0;     ///< killed
  std::int64_t moved = 0;    ///< to another place
  std::int64_t blocked = 0;  ///< wanted to move to a place that was full
  std::int64_t born = 0;
  std::int64_t unborn = 0;  ///< children whose place was full

  friend bool operator==(const Census&, const Census&) = default;
};

}  // namespace mass

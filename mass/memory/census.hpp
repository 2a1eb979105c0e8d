#pragma once

#include <cstdint>

namespace mass {

/// Numbers of agents in a manageAll(), summed over all devices.
struct Census {
  std::int64_t alive = 0;    ///< agents after the call
  std::int64_t died = 0;     ///< agents that died
  std::int64_t moved = 0;    ///< agents that moved to another place
  std::int64_t blocked = 0;  ///< agents that requested a move and were not admitted
  std::int64_t born = 0;     ///< children created
  std::int64_t unborn = 0;   ///< children not created because they were not admitted

  /// True if all numbers are equal.
  friend bool operator==(const Census&, const Census&) = default;
};

}  // namespace mass

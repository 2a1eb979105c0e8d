#pragma once

#include <mass/backend/ranks.hpp>

#include <cstdint>

namespace mass::detail {

/// Next action of the loop of steps, as a rank wishes it.
struct StepWish {
  int signal = 0;                ///< signal that asks the run to end; 0 for none
  bool wantsCheckpoint = false;  ///< SIGUSR1 has arrived
  std::int64_t chunk = 1;        ///< number of steps until the next check of signals
};

/// Agrees with all ranks on how to go on: with the first signal of any rank, and the chunk of rank
/// 0. All ranks call it together.
StepWish agree(Ranks& ranks, const StepWish& own);

}  // namespace mass::detail

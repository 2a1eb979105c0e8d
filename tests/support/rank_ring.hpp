#pragma once

#include <mass/backend/ranks.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace mass::testing {

/// Exchanges `bytes` bytes with both neighbours on a ring in each step, and with all ranks in every
/// tenth one. Ends by an exception only. @param atStep called with the step during the exchange
inline void simulateRing(detail::Ranks& ranks, std::size_t bytes,
                         const std::function<void(int)>& atStep) {
  const int next = (ranks.number() + 1) % ranks.count();
  const int previous = (ranks.number() + ranks.count() - 1) % ranks.count();
  std::vector<char> up(bytes), down(bytes), above(bytes), below(bytes);
  const std::array receives{detail::RankReceive{previous, above.data(), bytes},
                            detail::RankReceive{next, below.data(), bytes}};
  const std::array sends{detail::RankSend{next, down.data(), bytes},
                         detail::RankSend{previous, up.data(), bytes}};
  detail::RankExchange halo(ranks, receives, sends);
  for (int step = 0;; ++step) {
    ranks.setStep(step);
    halo.start();
    atStep(step);
    halo.finish();
    if (step % 10 == 0) ranks.barrier();
  }
}

}  // namespace mass::testing

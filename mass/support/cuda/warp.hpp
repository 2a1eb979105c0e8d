#pragma once

// Warps of GPUs; contracts in mass/support/warp.hpp.

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

MASS_FN inline unsigned laneInWarp() {
  return threadIdx.x % 32;
}

MASS_FN inline std::uint32_t shuffle(unsigned mask, std::uint32_t word, int lane, int width) {
  return __shfl_sync(mask, word, lane, width);
}

MASS_FN inline std::uint32_t shuffleDown(unsigned mask, std::uint32_t word, int distance,
                                         int width) {
  return __shfl_down_sync(mask, word, static_cast<unsigned>(distance), width);
}

}  // namespace mass::detail

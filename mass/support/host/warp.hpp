#pragma once

// Warps of one lane on CPUs; contracts in mass/support/warp.hpp.

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

MASS_FN inline unsigned laneInWarp() {
  return 0;
}

MASS_FN inline std::uint32_t shuffle(unsigned /*mask*/, std::uint32_t word, int /*lane*/,
                                     int /*width*/) {
  return word;
}

MASS_FN inline std::uint32_t shuffleDown(unsigned /*mask*/, std::uint32_t word, int /*distance*/,
                                         int /*width*/) {
  return word;
}

}  // namespace mass::detail

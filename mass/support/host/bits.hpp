#pragma once

// Bit operations on CPUs; contracts in mass/support/bits.hpp.

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace mass::detail {

MASS_FN inline int countOnes(std::uint32_t number) {
  return std::popcount(number);
}

MASS_FN inline std::uint32_t withSign(std::uint32_t number, float value) {
  return number << 1 | (std::signbit(value) ? 1U : 0U);
}

MASS_FN inline int bitWidth(std::uint32_t number) {
  return static_cast<int>(std::bit_width(number));
}
MASS_FN inline int bitWidth(std::uint64_t number) {
  return static_cast<int>(std::bit_width(number));
}

}  // namespace mass::detail

#pragma once

// Bit operations on GPUs; contracts in mass/support/bits.hpp.

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

MASS_FN inline int countOnes(std::uint32_t number) {
  return __popc(number);
}

MASS_FN inline std::uint32_t withSign(std::uint32_t number, float value) {
  return __funnelshift_l(__float_as_uint(value), number, 1);
}

MASS_FN inline int bitWidth(std::uint32_t number) {
  return 32 - __clz(static_cast<int>(number));
}
MASS_FN inline int bitWidth(std::uint64_t number) {
  return 64 - __clzll(static_cast<long long>(number));
}

}  // namespace mass::detail

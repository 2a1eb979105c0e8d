#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace mass::detail {

// Replacements for functions of <bit> in rules and kernels: nvcc 13.0 compiles the standard
// functions, but they always return 0 on a GPU (docs/decisions/gpu-kernels.md).

/// Returns the number of 1 bits (std::popcount).
MASS_FN inline int countOnes(std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  return __popc(number);
#else
  return std::popcount(number);
#endif
}

/// Returns `number << 1` with the sign bit of `value` as its lowest bit; the highest bit is lost.
MASS_FN inline std::uint32_t withSign(std::uint32_t number, float value) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(__float_as_uint(value), number, 1);
#else
  return number << 1 | (std::signbit(value) ? 1U : 0U);
#endif
}

/// Returns the number of bits without leading zeros (std::bit_width); 0 for 0.
MASS_FN inline int bitWidth(std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  return 32 - __clz(static_cast<int>(number));
#else
  return static_cast<int>(std::bit_width(number));
#endif
}
MASS_FN inline int bitWidth(std::uint64_t number) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(number));
#else
  return static_cast<int>(std::bit_width(number));
#endif
}

}  // namespace mass::detail

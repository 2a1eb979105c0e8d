#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace mass::detail {

// What <bit> has, for rules and kernels: nvcc 13.0 takes the standard functions, but always lets
// them find 0 on a GPU (docs/decisions/gpu-kernels.md).

/// How many digits of a number are 1.
MASS_FN inline int countOnes(std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  return __popc(number);
#else
  return std::popcount(number);
#endif
}

/// A number with the sign bit of another one after its own bits; the first of these is lost.
MASS_FN inline std::uint32_t withSign(std::uint32_t number, float value) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(__float_as_uint(value), number, 1);
#else
  return number << 1 | (std::signbit(value) ? 1U : 0U);
#endif
}

/// How many digits a number has.
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

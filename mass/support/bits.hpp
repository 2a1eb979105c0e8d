#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstdint>

namespace mass {

// What <bit> has, for rules and kernels: nvcc 13.0 takes the standard functions, but always lets
// them find 0 on a GPU (docs/decisions/gpu-kernels.md).

/// How many zeros a number ends with; it is not 0.
MASS_FN inline int countTrailingZeros(std::uint64_t number) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(number)) - 1;
#else
  return std::countr_zero(number);
#endif
}

/// How many digits a number has.
MASS_FN inline int bitWidth(std::uint64_t number) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(number));
#else
  return static_cast<int>(std::bit_width(number));
#endif
}

}  // namespace mass

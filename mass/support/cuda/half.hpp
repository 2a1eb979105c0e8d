#pragma once

// Numbers of 16 bits on GPUs; contracts in mass/support/half.hpp.

#include <mass/support/half.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

template <int Exponent>
MASS_FN inline std::uint16_t encodeHalf(float value) {
  std::uint16_t half;
  asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(half) : "f"(value * powerOfTwo<Exponent>));
  return half;
}

template <int Exponent>
MASS_FN inline float decodeHalf(std::uint16_t half) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value * powerOfTwo<-Exponent>;
}

template <int Exponent>
struct HalfPair {
  __device__ static std::uint32_t encodeTwo(float first, float second) {
    std::uint32_t halves;
    asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;"
        : "=r"(halves)
        : "f"(second * powerOfTwo<Exponent>), "f"(first * powerOfTwo<Exponent>));
    return halves;
  }

  /// Written in assembler as a whole: otherwise the compiler loads each half separately.
  __device__ static float decodeOne(std::uint32_t halves, int number) {
    float value;
    if (number == 0) {
      asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}"
          : "=f"(value)
          : "r"(halves));
    } else {
      asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high;}"
          : "=f"(value)
          : "r"(halves));
    }
    return value * powerOfTwo<-Exponent>;
  }
};

}  // namespace mass::detail

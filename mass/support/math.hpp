#pragma once

#include <mass/support/qualifiers.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace mass {

// Functions of <cmath> that are slow on GPUs, in forms that are not.

/// sin(pi x), for |x| < 2^22; NaN for others. Within 4 units in the last place; the same bits on
/// CPUs and GPUs, which std::sin does not give.
MASS_FN inline float sinPi(float x) {
  // Next to this number floats are integers: adding it rounds, and leaves the integer in the last
  // bits.
  constexpr float shift = 12582912.0F;
  const float shifted = x + shift;
  std::uint32_t bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  const float rest = x - (shifted - shift);  // between -1/2 and 1/2
  const float square = rest * rest;
  // sin(pi r) / r as a polynomial of r^2: through its values at 5 Chebyshev nodes of [0, 1/4],
  // where it is off by less than 7e-9 of itself before its coefficients are rounded.
  const float ratio =
      (((0x1.3e1420p-4F * square - 0x1.32531ep-1F) * square + 0x1.4668f0p+1F) * square -
       0x1.4abbc4p+2F) *
          square +
      0x1.921fb6p+1F;
  const float size = ratio * rest;
  if (!(std::fabs(x) < 4194304.0F)) return std::numeric_limits<float>::quiet_NaN();
  return (bits & 1) != 0 ? -size : size;
}

/// 1 / sqrt(x), within 2 units in the last place: not the same bits on CPUs and GPUs. For x below
/// 2^-126, which is as good as none, GPUs give infinity.
MASS_FN inline float inverseSqrt(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1 / std::sqrt(x);
#endif
}

}  // namespace mass

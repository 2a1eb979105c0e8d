#pragma once

#include <mass/support/platform.hpp>
#include <mass/support/qualifiers.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace mass {

// Faster forms of functions that are slow on GPUs in <cmath>.

/// Returns sin(pi x) for |x| < 2^22, NaN otherwise. The error is at most 4 units in the last place.
/// CPUs and GPUs return the same bits, unlike std::sin.
/// @param x angle in units of pi
MASS_FN inline float sinPi(float x) {
  // 1.5 * 2^23: the floats around it are integers, so the addition rounds x and leaves the integer
  // in the lowest bits.
  constexpr float shift = 12582912.0F;
  const float shifted = x + shift;
  std::uint32_t bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  const float rest = x - (shifted - shift);  // between -1/2 and 1/2
  const float square = rest * rest;
  // sin(pi r) / r as a polynomial of r^2 that interpolates it at 5 Chebyshev nodes of [0, 1/4]; the
  // relative error is below 7e-9 before the coefficients are rounded.
  const float ratio =
      (((0x1.3e1420p-4F * square - 0x1.32531ep-1F) * square + 0x1.4668f0p+1F) * square -
       0x1.4abbc4p+2F) *
          square +
      0x1.921fb6p+1F;
  const float size = ratio * rest;
  if (!(std::fabs(x) < 4194304.0F)) return std::numeric_limits<float>::quiet_NaN();
  return (bits & 1) != 0 ? -size : size;
}

/// Returns the natural logarithm of `x`. The error is at most 2 units in the last place of the
/// result, or of 1 if the result is less than 1 in magnitude. CPUs and GPUs return the same bits,
/// unlike std::log.
/// @pre `x` is a normal number above 0
MASS_FN inline double logarithm(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  // x = m 2^e with m between about sqrt(1/2) and sqrt(2).
  constexpr std::uint64_t rootOfHalf = 0x3fe6a09e00000000U;
  const auto exponent = static_cast<std::int64_t>(bits - rootOfHalf) >> 52;
  bits -= static_cast<std::uint64_t>(exponent) << 52;
  double mantissa;
  std::memcpy(&mantissa, &bits, sizeof(mantissa));
  // ln m = 2 artanh f = 2 (f + f^3/3 + f^5/5 + ...) with f = (m - 1) / (m + 1), |f| < 0.172; the
  // relative truncation error is below 2^-60.
  const double f = (mantissa - 1) / (mantissa + 1);
  const double square = f * f;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * square;
  constexpr double logOfTwo = 0x1.62e42fefa39efp-1;
  return static_cast<double>(exponent) * logOfTwo + 2 * (f + f * sum);
}

/// Returns 1 / sqrt(x) with an error of at most 2 units in the last place. CPUs and GPUs may return
/// different bits; GPUs return infinity for x < 2^-126 (subnormal numbers).
/// @pre x >= 0
MASS_FN inline float inverseSqrt(float x) {
  return detail::platformInverseSqrt(x);
}

}  // namespace mass

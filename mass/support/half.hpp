#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstdint>

namespace mass::detail {

/// 2^n.
template <int n>
requires(-126 <= n && n <= 127) inline constexpr float powerOfTwo =
    std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23);

/// Returns 2^Exponent times `value` as an IEEE 754 binary16 number: rounded to nearest, ties to
/// even; the largest finite number of its sign if it is beyond the range; NaN if it is NaN.
template <int Exponent>
MASS_FN std::uint16_t encodeHalf(float value);

/// Returns 2^-Exponent times a binary16 number, exactly.
template <int Exponent>
MASS_FN float decodeHalf(std::uint16_t half);

/// Conversions of two numbers at once, as static functions of the device; none on CPUs:
/// `std::uint32_t encodeTwo(float first, float second)` returns both as encodeHalf(), `first` in
/// the lower half; `float decodeOne(std::uint32_t halves, int number)` returns the lower half
/// (`number` 0) or the upper half (1) as decodeHalf().
template <int Exponent>
struct HalfPair;

}  // namespace mass::detail

#include <mass/support/platform.hpp>

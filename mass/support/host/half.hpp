#pragma once

// Numbers of 16 bits on CPUs; contracts in mass/support/half.hpp.

#include <mass/support/half.hpp>
#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstdint>

namespace mass::detail {

/// Uses integer arithmetic without branches, which compilers vectorise.
template <int Exponent>
MASS_FN inline std::uint16_t encodeHalf(float value) {
  constexpr std::uint32_t most = 0x477fe000;  // 65504, the largest half
  constexpr std::uint32_t infinity = 0x7f800000, noNumber = 0x7fff;
  constexpr std::uint32_t leastNormal = 113U << 23;  // 2^-14
  constexpr std::uint32_t magic = (127U - 1) << 23;  // 0.5: its last bit is that of a half, 2^-24
  constexpr std::uint32_t rebias = (127U - 15U) << 23;
  const auto bits = std::bit_cast<std::uint32_t>(value * powerOfTwo<Exponent>);
  const std::uint32_t sign = bits & 0x80000000U;
  const std::uint32_t whole = bits ^ sign;
  const std::uint32_t size = whole < most ? whole : most;
  const std::uint32_t tiny =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + std::bit_cast<float>(magic)) -
      magic;
  const std::uint32_t normal = (size - rebias + 0xfffU + ((size >> 13) & 1U)) >> 13;
  const std::uint32_t half = (size < leastNormal ? tiny : normal) | sign >> 16;
  return static_cast<std::uint16_t>(whole > infinity ? noNumber : half);
}

template <int Exponent>
MASS_FN inline float decodeHalf(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t size = (half & 0x7fffU) << 13;
  // The bits of a half, read as a float, are too small by a factor of 2^112. The product is exact,
  // also for subnormal halves.
  constexpr int factor = 112 - Exponent, first = factor < 127 ? factor : 127;
  const float value = std::bit_cast<float>(size) * powerOfTwo<first> * powerOfTwo<factor - first>;
  constexpr std::uint32_t largest = 0x7bffU << 13, noNumber = 0x7fffffff;
  const std::uint32_t bits = size > largest ? noNumber : std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>(bits | sign);
}

template <int Exponent>
struct HalfPair {};

}  // namespace mass::detail

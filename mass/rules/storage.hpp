#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace mass {

/// Representation of a float attribute as an IEEE 754 binary16 number, 2^Exponent times the value:
/// `mass::stored<&P::f, mass::Half<15>>`. Values are rounded to nearest, ties to even. Values
/// beyond the range become the largest finite number of their sign; NaN stays NaN.
///
/// With Exponent 15, the largest value is 1.999. Rounding changes values down to 2^-29 by at most
/// 2^-11 of themselves; smaller values are multiples of 2^-39.
///
/// A model may define its own representation as a class with a trivially copyable type `Stored` and
/// these two functions, which must return the same bits on all devices.
/// @tparam Exponent -99 to 99
template <int Exponent>
struct Half {
  using Stored = std::uint16_t;  ///< Type of an element in a buffer.
  static_assert(-100 < Exponent && Exponent < 100, "the Exponent of Half must be -99 to 99");

  /// Returns the representation of a value.
  MASS_FN static Stored encode(float value);
  /// Returns the value of a representation, exactly.
  MASS_FN static float decode(Stored stored);

#if defined(__CUDA_ARCH__) && !defined(MASS_EMULATED_GPUS)
  // A representation of 16 bits may have two more functions, for threads that process two places.

  /// Returns the representations of two values; the first one is in the lower half.
  __device__ static std::uint32_t encodeTwo(float first, float second);
  /// Returns the value of the lower (`number` 0) or upper half.
  __device__ static float decodeOne(std::uint32_t halves, int number);
#endif

 private:
  /// Returns 2^n, -126 <= n <= 127.
  static constexpr float power(int n) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23);
  }
};

template <int Exponent>
MASS_FN inline std::uint16_t Half<Exponent>::encode(float value) {
#if defined(__CUDA_ARCH__) && !defined(MASS_EMULATED_GPUS)
  Stored half;
  asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(half) : "f"(value * power(Exponent)));
  return half;
#else
  // Integer arithmetic without branches, which compilers vectorise on CPUs.
  constexpr std::uint32_t most = 0x477fe000;  // 65504, the largest half
  constexpr std::uint32_t infinity = 0x7f800000, noNumber = 0x7fff;
  constexpr std::uint32_t leastNormal = 113U << 23;  // 2^-14
  constexpr std::uint32_t magic = (127U - 1) << 23;  // 0.5: its last bit is that of a half, 2^-24
  constexpr std::uint32_t rebias = (127U - 15U) << 23;
  const auto bits = std::bit_cast<std::uint32_t>(value * power(Exponent));
  const std::uint32_t sign = bits & 0x80000000U;
  const std::uint32_t whole = bits ^ sign;
  const std::uint32_t size = whole < most ? whole : most;
  const std::uint32_t tiny =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + std::bit_cast<float>(magic)) -
      magic;
  const std::uint32_t normal = (size - rebias + 0xfffU + ((size >> 13) & 1U)) >> 13;
  const std::uint32_t half = (size < leastNormal ? tiny : normal) | sign >> 16;
  return static_cast<Stored>(whole > infinity ? noNumber : half);
#endif
}

template <int Exponent>
MASS_FN inline float Half<Exponent>::decode(std::uint16_t stored) {
#if defined(__CUDA_ARCH__) && !defined(MASS_EMULATED_GPUS)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(stored));
  return value * power(-Exponent);
#else
  const std::uint32_t sign = (stored & 0x8000U) << 16;
  const std::uint32_t size = (stored & 0x7fffU) << 13;
  // The bits of a half, read as a float, are too small by a factor of 2^112. The product is exact,
  // also for subnormal halves.
  constexpr int factor = 112 - Exponent, first = factor < 127 ? factor : 127;
  const float value = std::bit_cast<float>(size) * power(first) * power(factor - first);
  constexpr std::uint32_t largest = 0x7bffU << 13, noNumber = 0x7fffffff;
  const std::uint32_t bits = size > largest ? noNumber : std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>(bits | sign);
#endif
}

#if defined(__CUDA_ARCH__) && !defined(MASS_EMULATED_GPUS)

template <int Exponent>
__device__ inline std::uint32_t Half<Exponent>::encodeTwo(float first, float second) {
  std::uint32_t halves;
  asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;"
      : "=r"(halves)
      : "f"(second * power(Exponent)), "f"(first * power(Exponent)));
  return halves;
}

/// Written in assembler as a whole: otherwise the compiler loads each half separately.
template <int Exponent>
__device__ inline float Half<Exponent>::decodeOne(std::uint32_t halves, int number) {
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
  return value * power(-Exponent);
}

#endif

namespace detail {

/// Type of an element in a buffer by default: T, or a byte for bool.
template <class T>
using Packed = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

/// Default representation of an attribute: the value itself, a bool as a byte.
template <class T>
struct Plain {
  using Stored = Packed<T>;
  MASS_FN static constexpr Stored encode(const T& value) { return value; }
  MASS_FN static constexpr T decode(const Stored& stored) {
    if constexpr (!std::is_same_v<T, bool>) {
      return stored;
    } else if constexpr (onGpu) {
      return (stored & 1) != 0;  // needs no comparison in sums
    } else {
      return stored != 0;  // g++ vectorises logic on this expression, not on a conversion
    }
  }
};

/// Representation of an attribute: `Form`, or Plain if that is void.
template <class Element, class Form>
using FormOf = std::conditional_t<std::is_void_v<Form>, Plain<Element>, Form>;

}  // namespace detail
}  // namespace mass

#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace mass {

/// A form in which an attribute of type float lies in memory: a number of IEEE 754 binary16 that is
/// 2^Exponent times the value, rounded to nearest, ties to even. With Exponent 15, values up to
/// 1.999 in steps of 2^-11 of themselves, down to 2^-29, below which steps are 2^-39. Larger values
/// become the largest; what is not a number stays none.
///
/// A form of an attribute is a class like this one: a type `Stored`, trivially copyable, and the
/// two functions. On all devices they have to give the same bits.
template <int Exponent>
struct Half {
  using Stored = std::uint16_t;
  static_assert(-100 < Exponent && Exponent < 100);

  MASS_FN static Stored encode(float value);
  MASS_FN static float decode(Stored stored);

#if defined(__CUDA_ARCH__) && !defined(MASS_EMULATED_GPUS)
  // A form of 16 bits may also have these for GPUs, where a thread takes two places.

  /// Two of them, the first one lower.
  __device__ static std::uint32_t encodeTwo(float first, float second);
  /// The value of the lower half, for number 0, or of the upper one.
  __device__ static float decodeOne(std::uint32_t halves, int number);
#endif

 private:
  /// 2^n, for n within the exponents of normal numbers.
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
  // By whole numbers and without branches, so that CPUs do it in vectors.
  constexpr std::uint32_t most = 0x477fe000;  // 65504, the largest half
  constexpr std::uint32_t infinity = 0x7f800000, noNumber = 0x7fff;
  constexpr std::uint32_t leastNormal = 113U << 23;  // 2^-14
  constexpr std::uint32_t magic = (127U - 1) << 23;  // 0.5: its last bit is 2^-24, as a half's
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
  // As a float with a half's exponent, which is 2^112 too small; exact, also for what is tiny.
  const float value = std::bit_cast<float>(size) * power(112 - Exponent);
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

/// By assembler all of it: else the compiler loads halves one by one.
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

/// What an element is in a buffer where nothing else is said: bools are bytes there.
template <class T>
using Packed = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

/// The form of attributes that lie in memory as they are.
template <class T>
struct Plain {
  using Stored = Packed<T>;
  MASS_FN static constexpr Stored encode(const T& value) { return value; }
  MASS_FN static constexpr T decode(const Stored& stored) {
    if constexpr (!std::is_same_v<T, bool>) {
      return stored;
    } else if constexpr (onGpu) {
      return (stored & 1) != 0;  // to add it up takes no comparison
    } else {
      return stored != 0;  // rather than a conversion: g++ vectorises logic on this form only
    }
  }
};

template <class Element, class Form>
using FormOf = std::conditional_t<std::is_void_v<Form>, Plain<Element>, Form>;

}  // namespace detail
}  // namespace mass

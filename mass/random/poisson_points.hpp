#pragma once

#include <mass/support/qualifiers.hpp>

#include <bit>
#include <cstdint>

namespace mass::detail {

/// Identity of a Poisson process of the clock of events. Its points depend on nothing else.
struct PointKey {
  static constexpr std::uint64_t windows = std::uint64_t{1} << 40;  ///< bound of `window`
  static constexpr std::uint32_t numbers = 1 << 24;                 ///< bound of a point's number

  std::uint64_t seed = 0;    ///< seed of the run
  std::uint64_t window = 0;  ///< number of the window
  std::uint32_t place = 0;   ///< number of the place
  std::uint32_t stream = 0;  ///< number of the process at its place
};

/// N integers of 64 bits, and N numbers, on which operators work element by element.
template <int N>
struct VectorOf {
  using Words [[gnu::vector_size(8 * N)]] = std::uint64_t;
  using Numbers [[gnu::vector_size(8 * N)]] = double;
};
template <>
struct VectorOf<1> {
  using Words = std::uint64_t;
  using Numbers = double;
};

/// Numbers of 64 bits in a vector register of the CPU.
#if defined(__AVX512F__)
inline constexpr int numbersOfVector = 8;
#elif defined(__AVX__)
inline constexpr int numbersOfVector = 4;
#else
inline constexpr int numbersOfVector = 2;
#endif
/// Number of points that are drawn at a time. Results do not depend on it.
inline constexpr int pointsAtATime = mass::onGpu ? 1 : numbersOfVector;

/// Uniform numbers in [0, 1) of N consecutive points of a Poisson process.
template <int N>
struct PointDraws {
  typename VectorOf<N>::Numbers gaps;  ///< for the times between points; see exponentialOf()
  typename VectorOf<N>::Numbers heights;
};

/// Returns natural logarithms of finite numbers above 0, with a relative error below 1e-15. It
/// consists of additions, multiplications and divisions only, so that every processor yields the
/// same bits. Series of the inverse hyperbolic tangent (Abramowitz & Stegun, 4.1.27).
/// @tparam Words, Numbers types of VectorOf
template <class Words, class Numbers>
MASS_FN Numbers naturalLog(Numbers x) {
  constexpr std::uint64_t sqrtHalf = 0x3fe6a09e00000000;  // bits of 0.7071
  constexpr std::uint64_t integer = 0x4338000000000000;   // bits of 1.5 * 2^52
  constexpr std::uint64_t bias = std::uint64_t{2048} << 52;
  const Words bits = std::bit_cast<Words>(x) - sqrtHalf + bias;
  const Words exponent = bits >> 52;  // biased by 2048, so that it is not negative
  const Numbers mantissa = std::bit_cast<Numbers>(bits - (exponent << 52) + sqrtHalf);
  const Numbers ratio = (mantissa - 1.0) / (mantissa + 1.0);
  const Numbers square = ratio * ratio;
  Numbers sum = square * (1.0 / 17);
  for (int k = 15; k >= 3; k -= 2) sum = (sum + 1.0 / k) * square;
  const Numbers power = std::bit_cast<Numbers>(exponent + integer) - 0x1.8p52 - 2048.0;
  return power * 0x1.62e42fefa39efp-1 + (ratio + ratio * sum) * 2.0;
}

/// Returns exponentially distributed numbers with mean 1 of uniform numbers in [0, 1), to which
/// they are at least equal.
template <int N>
MASS_FN typename VectorOf<N>::Numbers exponentialOf(typename VectorOf<N>::Numbers uniform) {
  return -naturalLog<typename VectorOf<N>::Words, typename VectorOf<N>::Numbers>(1.0 - uniform);
}

/// Returns the numbers of N points of processes that differ in their places only: Philox4x32-7
/// (Salmon et al., see Random), the smallest number of rounds that passes all tests of TestU01's
/// BigCrush.
/// @param key identity of the processes, except for their places
/// @param places, numbers place and number of each point, below 2^32 and PointKey::numbers
template <int N>
MASS_FN PointDraws<N> drawPointsOf(const PointKey& key, typename VectorOf<N>::Words places,
                                   typename VectorOf<N>::Words numbers) {
  using Words = typename VectorOf<N>::Words;
  using Numbers = typename VectorOf<N>::Numbers;
  constexpr std::uint64_t low = 0xffffffff;
  // The key differs from that of Random, whose streams have the same counters.
  constexpr std::uint32_t ofPoints = 0x506f6973;
  std::uint64_t key0 = key.seed & low;
  std::uint64_t key1 = key.seed >> 32 ^ ofPoints;
  Words c0 = places;
  Words c1 = Words{} + (key.window & low);
  Words c2 = Words{} + key.stream;
  Words c3 = numbers | (key.window >> 32 << 24 & low);
  for (int round = 0; round < 7; ++round) {
    const Words product0 = c0 * std::uint64_t{0xd2511f53};
    const Words product1 = c2 * std::uint64_t{0xcd9e8d57};
    c0 = product1 >> 32 ^ c1 ^ key0;
    c2 = product0 >> 32 ^ c3 ^ key1;
    c1 = product1 & low;
    c3 = product0 & low;
    key0 = (key0 + 0x9e3779b9) & low;
    key1 = (key1 + 0xbb67ae85) & low;
  }
  // 52 bits are the fraction of a number in [1, 2).
  constexpr std::uint64_t one = 0x3ff0000000000000;
  return {std::bit_cast<Numbers>((c0 << 32 | c1) >> 12 | one) - 1.0,
          std::bit_cast<Numbers>((c2 << 32 | c3) >> 12 | one) - 1.0};
}
/// Returns the numbers of points [first, first + N) of a process.
template <int N>
MASS_FN PointDraws<N> drawPoints(const PointKey& key, std::uint32_t first) {
  using Words = typename VectorOf<N>::Words;
  Words numbers = Words{} + first;
  if constexpr (N > 1) {
    for (int i = 0; i < N; ++i) numbers[i] += static_cast<std::uint64_t>(i);
  }
  return drawPointsOf<N>(key, Words{} + key.place, numbers);
}

/// Returns element `i` of a vector, or a number itself.
template <int N>
MASS_FN double elementOf(const typename VectorOf<N>::Numbers& numbers, int i) {
  if constexpr (N == 1) {
    return numbers;
  } else {
    return numbers[i];
  }
}

}  // namespace mass::detail

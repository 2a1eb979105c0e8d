#pragma once

#include <mass/dispatch/bits/counting.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

// Vectors of words in which each bit is the state of a place: column 64 i + b of a row is bit b of
// word i. For sources of this folder only.

namespace mass::detail {

/// Bytes of a vector register.
#if defined(__AVX512F__)
inline constexpr std::size_t wordsBytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t wordsBytes = 32;
#else
inline constexpr std::size_t wordsBytes = 16;
#endif

/// Consecutive words of a row, as one vector.
using Words [[gnu::vector_size(wordsBytes)]] = std::uint64_t;

/// Loads words at any address.
inline Words loadWords(const std::uint64_t* from) {
  Words words;
  std::memcpy(&words, from, sizeof(words));
  return words;
}
/// Stores words at any address.
inline void storeWords(std::uint64_t* to, Words words) {
  std::memcpy(to, &words, sizeof(words));
}

/// Functions of three vectors, as one instruction if the processor has it.
template <>
struct Logic<Words> {
  template <class Function>
  static Words combine([[maybe_unused]] Function function, Words a, Words b, Words c) {
#if defined(__AVX512F__)
    constexpr int table = Function{}(0xf0, 0xcc, 0xaa) & 0xff;
    return reinterpret_cast<Words>(_mm512_ternarylogic_epi64(reinterpret_cast<__m512i>(a),
                                                             reinterpret_cast<__m512i>(b),
                                                             reinterpret_cast<__m512i>(c), table));
#else
    return function(a, b, c);
#endif
  }
};

/// Returns the neighbours at the previous column of the words at `at`.
inline Words beforeOf(const std::uint64_t* at) {
#if defined(__AVX512VBMI2__)
  return reinterpret_cast<Words>(_mm512_shldi_epi64(
      reinterpret_cast<__m512i>(loadWords(at)), reinterpret_cast<__m512i>(loadWords(at - 1)), 1));
#else
  return loadWords(at) << 1 | loadWords(at - 1) >> 63;
#endif
}
/// Returns the neighbours at the next column of the words at `at`.
inline Words afterOf(const std::uint64_t* at) {
#if defined(__AVX512VBMI2__)
  return reinterpret_cast<Words>(_mm512_shrdi_epi64(
      reinterpret_cast<__m512i>(loadWords(at)), reinterpret_cast<__m512i>(loadWords(at + 1)), 1));
#else
  return loadWords(at) >> 1 | loadWords(at + 1) << 63;
#endif
}

/// Number of words of a vector.
inline constexpr std::int64_t wordsOfVector = static_cast<std::int64_t>(wordsBytes / 8);

}  // namespace mass::detail

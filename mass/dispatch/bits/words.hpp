#pragma once

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

/// Returns a bitwise function of three vectors, as one instruction if the processor has it.
/// @param function of three integers or vectors, without state
template <class Function>
inline Words combine([[maybe_unused]] Function function, Words a, Words b, Words c) {
#if defined(__AVX512F__)
  constexpr int table = Function{}(0xf0, 0xcc, 0xaa) & 0xff;
  return reinterpret_cast<Words>(_mm512_ternarylogic_epi64(reinterpret_cast<__m512i>(a),
                                                           reinterpret_cast<__m512i>(b),
                                                           reinterpret_cast<__m512i>(c), table));
#else
  return function(a, b, c);
#endif
}
/// Returns the sum of three bits without its carry.
inline Words oddOf(Words a, Words b, Words c) {
  return combine([](auto x, auto y, auto z) { return x ^ y ^ z; }, a, b, c);
}
/// Returns the carry of the sum of three bits.
inline Words majorityOf(Words a, Words b, Words c) {
  return combine([](auto x, auto y, auto z) { return (x & y) | (z & (x | y)); }, a, b, c);
}
/// Returns the bits of `one` where `condition` is set, of `zero` elsewhere.
inline Words select(Words condition, Words one, Words zero) {
  return combine([](auto x, auto y, auto z) { return (x & y) | (~x & z); }, condition, one, zero);
}

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

#include <mass/support/byte_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace mass::detail {
namespace {

constexpr std::int64_t wordBits = 64;

#if defined(__AVX512BW__)

/// Returns the bits of 64 bytes.
std::uint64_t wordOf(const unsigned char* bytes) {
  const __m512i all = _mm512_loadu_si512(bytes);
  return _mm512_test_epi8_mask(all, all);
}
/// Stores the bits of a word as 64 bytes.
void storeBytes(std::uint64_t word, unsigned char* bytes) {
  _mm512_storeu_si512(bytes, _mm512_maskz_set1_epi8(word, 1));
}

#elif defined(__AVX2__)

std::uint64_t bitsOf32(const unsigned char* bytes) {
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(all, 7)));
}
std::uint64_t wordOf(const unsigned char* bytes) {
  return bitsOf32(bytes) | bitsOf32(bytes + 32) << 32;
}
void storeBytes32(std::uint32_t bits, unsigned char* bytes) {
  // Byte k receives byte k / 8 of `bits`, of which bit k % 8 counts.
  const __m256i source =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i mask = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
  const __m256i copies = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), source);
  const __m256i isSet = _mm256_cmpeq_epi8(_mm256_and_si256(copies, mask), mask);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes),
                      _mm256_and_si256(isSet, _mm256_set1_epi8(1)));
}
void storeBytes(std::uint64_t word, unsigned char* bytes) {
  storeBytes32(static_cast<std::uint32_t>(word), bytes);
  storeBytes32(static_cast<std::uint32_t>(word >> 32), bytes + 32);
}

#else

std::uint64_t wordOf(const unsigned char* bytes) {
  std::uint64_t word = 0;
  for (int k = 0; k < 8; ++k) {
    std::uint64_t eight = 0;  // the first byte is the lowest
    for (int b = 0; b < 8; ++b) eight |= std::uint64_t{bytes[8 * k + b]} << (8 * b);
    // The product has bit 56 + b from byte b: no two terms meet in the highest byte.
    word |= (eight * 0x0102040810204080ULL >> 56) << (8 * k);
  }
  return word;
}
void storeBytes(std::uint64_t word, unsigned char* bytes) {
  for (int b = 0; b < wordBits; ++b) bytes[b] = static_cast<unsigned char>(word >> b & 1U);
}

#endif

}  // namespace

void packBytes(const unsigned char* bytes, std::int64_t count, std::uint64_t* words) {
  const std::int64_t whole = count / wordBits, rest = count % wordBits;
  for (std::int64_t i = 0; i < whole; ++i) words[i] = wordOf(bytes + wordBits * i);
  if (rest == 0) return;
  unsigned char last[wordBits] = {};
  std::memcpy(last, bytes + wordBits * whole, static_cast<std::size_t>(rest));
  words[whole] = wordOf(last);
}

void unpackBytes(const std::uint64_t* words, std::int64_t count, unsigned char* bytes) {
  const std::int64_t whole = count / wordBits, rest = count % wordBits;
  for (std::int64_t i = 0; i < whole; ++i) storeBytes(words[i], bytes + wordBits * i);
  if (rest == 0) return;
  unsigned char last[wordBits];
  storeBytes(words[whole], last);
  std::memcpy(bytes + wordBits * whole, last, static_cast<std::size_t>(rest));
}

}  // namespace mass::detail

#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mass::detail {

/// Mixes the bits of `value`: one step of SplitMix64 (Steele, Lea & Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014). A bijection; each input bit affects all output
/// bits.
MASS_FN constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

/// Returns a hash of `bytes` bytes, read in words of 8; the last word is padded with zeros.
MASS_FN inline std::uint64_t hashBytes(const char* data, std::size_t bytes, std::uint64_t seed) {
  std::uint64_t hash = mix(seed);
  for (std::size_t done = 0; done < bytes; done += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    const std::size_t left = bytes - done;
    memcpy(&word, data + done, left < sizeof(word) ? left : sizeof(word));
    hash = mix(hash ^ word);
  }
  return hash;
}

}  // namespace mass::detail

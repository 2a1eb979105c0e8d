#pragma once

#include <mass/support/bits.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Pseudorandom permutation of 0 .. size - 1 that a key selects; yields distinct random numbers
/// without a table. A balanced Feistel network over a power of four above `size`, with cycle
/// walking: it is repeated until the result is below `size` (Black & Rogaway, "Ciphers with
/// arbitrary finite domains", CT-RSA 2002).
class Permutation {
 public:
  /// @param size number of elements, at most 2^62
  /// @param key selects the permutation
  MASS_FN Permutation(std::uint64_t size, std::uint64_t key)
      : size_(size), halfBits_((bitWidth(size) + 1) / 2), key_(mix(key)) {}

  /// Returns element `i` of the permutation. @pre i < size
  MASS_FN std::uint64_t operator()(std::uint64_t i) const {
    do i = encrypt(i);
    while (i >= size_);
    return i;
  }

 private:
  static constexpr std::uint64_t rounds = 6;

  /// Applies the Feistel network once, on numbers of 2 halfBits_ bits.
  MASS_FN std::uint64_t encrypt(std::uint64_t number) const {
    const std::uint64_t mask = (std::uint64_t{1} << halfBits_) - 1;
    std::uint64_t left = number >> halfBits_;
    std::uint64_t right = number & mask;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t next = left ^ (mix(key_ ^ mix(right ^ round << 56)) & mask);
      left = right;
      right = next;
    }
    return left << halfBits_ | right;
  }

  std::uint64_t size_;
  int halfBits_;
  std::uint64_t key_;
};

}  // namespace mass::detail

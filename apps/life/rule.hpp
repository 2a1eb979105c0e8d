#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <string>

namespace life {

/// Two-state rule that depends on the number of living cells among the eight nearest, such as
/// Conway's B3/S23. Trivially copyable: an argument of kernels.
struct Rule {
  std::uint32_t birth = 1U << 3;  ///< bit mask: bit n is birth with n living neighbours
  std::uint32_t survival = 1U << 2 | 1U << 3;  ///< bit mask: bit n is survival with n of them

  /// Returns the rule in the form `B3/S23`.
  std::string text() const;

  /// Returns true if the cell is alive in the next generation.
  /// @param living number of living neighbours, 0 to 8
  ///
  /// Computes `(alive ? survival : birth) >> living & 1`. The form for CPUs is one that compilers
  /// vectorise at one byte a cell: x86 has no SIMD shift of bytes by a variable. `few` and `many`
  /// hold the results for 0..3 and 4..7 neighbours in bits 3..6. Bits 2, 1 and 0 of `living` select
  /// half of the remaining results each, and the last one is bit 3. For 8 neighbours bit 3 of
  /// `living` selects that of `eight`. Comparing with zero at the end, rather than shifting, lets
  /// g++ store the result to a row of bools.
  MASS_FN bool next(bool alive, int living) const {
    if constexpr (mass::onGpu) {  // GPUs shift by a variable in one instruction
      return ((birth | survival << 16U) >> (living + 16 * alive) & 1U) != 0;
    }
    const auto n = static_cast<std::uint8_t>(living);
    const std::uint8_t survives = maskFrom(alive);
    const std::uint8_t few =
        choose(byte(birth << 3 & 0x78U), byte(survival << 3 & 0x78U), survives);
    const std::uint8_t many =
        choose(byte(birth >> 1 & 0x78U), byte(survival >> 1 & 0x78U), survives);
    const std::uint8_t eight = choose(byte(birth >> 5), byte(survival >> 5), survives);
    std::uint8_t results = choose(few, many, maskFrom(n & 4));
    results = choose(results, byte(results >> 2U), maskFrom(n & 2));
    results = choose(results, byte(results >> 1U), maskFrom(n & 1));
    return (choose(results, eight, n) & 8) != 0;
  }

  friend bool operator==(const Rule&, const Rule&) = default;

 private:
  MASS_FN static std::uint8_t byte(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
  /// Returns the mask of `bit` and all higher bits; 0 for 0.
  MASS_FN static std::uint8_t maskFrom(int bit) { return static_cast<std::uint8_t>(0 - bit); }

  /// Returns the bits of `b` at the ones of `mask`, and the bits of `a` at its zeros.
  MASS_FN static std::uint8_t choose(std::uint8_t a, std::uint8_t b, std::uint8_t mask) {
    return static_cast<std::uint8_t>(a ^ ((a ^ b) & mask));
  }
};

}  // namespace life

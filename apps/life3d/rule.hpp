#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace life3d {

/// Two-state rule that depends on the number of living cells among the 26 nearest, such as 5766 of
/// Bays. Trivially copyable: an argument of kernels.
struct Rule {
  static constexpr int neighbors = 26;  ///< Largest number of living neighbours.

  std::uint32_t birth = 0;     ///< bit mask: bit n is birth with n living neighbours, n <= 26
  std::uint32_t survival = 0;  ///< bit mask: bit n is survival with n of them

  /// Returns the rule in the form `B6/S5-7`, with ranges where three or more counts are adjacent.
  std::string text() const;

  /// Returns true if the cell is alive in the next generation.
  /// @param living number of living neighbours, 0 to 26
  ///
  /// Computes `(alive ? survival : birth) >> living & 1`. The form for CPUs is one that compilers
  /// vectorise at one byte a cell: x86 has no SIMD shift of bytes by a variable. Bits 4 and 3 of
  /// `living` select one of four bytes of results, and bits 2 to 0 select half of the remaining
  /// results each. Comparing with zero at the end, rather than shifting, lets g++ store the result
  /// to a row of bools.
  MASS_FN bool next(bool alive, int living) const {
    if constexpr (mass::onGpu) {  // GPUs shift by a variable in one instruction
      return ((alive ? survival : birth) >> living & 1U) != 0;
    }
    const auto n = static_cast<std::uint8_t>(living);
    const std::uint8_t survives = maskFrom(alive);
    const std::uint8_t low = choose(results(0, survives), results(8, survives), maskFrom(n & 8));
    const std::uint8_t high = choose(results(16, survives), results(24, survives), maskFrom(n & 8));
    std::uint8_t outcome = choose(low, high, maskFrom(n & 16));
    outcome = choose(outcome, byte(outcome >> 4U), maskFrom(n & 4));
    outcome = choose(outcome, byte(outcome >> 2U), maskFrom(n & 2));
    outcome = choose(outcome, byte(outcome >> 1U), maskFrom(n & 1));
    return (outcome & 1) != 0;
  }

  friend bool operator==(const Rule&, const Rule&) = default;

 private:
  /// Returns the results for `first` to `first` + 7 living neighbours in bits 0 to 7.
  /// @param survives 255 for a living cell, 0 for a dead one
  MASS_FN std::uint8_t results(int first, std::uint8_t survives) const {
    return choose(byte(birth >> first), byte(survival >> first), survives);
  }
  MASS_FN static std::uint8_t byte(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
  /// Returns 255 if a bit of `bits` is set, otherwise 0.
  MASS_FN static std::uint8_t maskFrom(int bits) { return bits != 0 ? 255 : 0; }
  /// Returns the bits of `b` at the ones of `mask`, and the bits of `a` at its zeros.
  MASS_FN static std::uint8_t choose(std::uint8_t a, std::uint8_t b, std::uint8_t mask) {
    return static_cast<std::uint8_t>(a ^ ((a ^ b) & mask));
  }
};

/// Reads a rule; letters may be upper or lower case:
/// - `B6/S5-7,10`: birth with 6 living neighbours, survival with 5, 6, 7 or 10;
/// - `5766`: survival with 5 to 7, birth with 6 to 6 (El, Eu, Fl, Fu of Bays, Complex Systems 1,
///   373, 1987).
/// @throws mass::InputError if the text is anything else, a count is above 26, or a list is empty
Rule parseRule(std::string_view text);

}  // namespace life3d

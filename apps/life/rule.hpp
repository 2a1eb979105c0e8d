#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace life {

/// A two-state rule of the eight nearest cells, such as Conway's B3/S23. A plain value: it may be a
/// kernel's argument.
struct Rule {
  std::uint32_t birth = 1U << 3;  ///< bit n: a dead cell with n living neighbours is born
  std::uint32_t survival = 1U << 2 | 1U << 3;  ///< bit n: a living one survives

  /// Reads `B3/S23` (either case) or the older survival/birth form `23/3`. Digits go from 0 to 8,
  /// each at most once, in any order. Throws mass::InputError, naming the position, for all else:
  /// also for rules of more states, other neighbourhoods and bounded grids.
  static Rule parse(std::string_view text);

  /// The rule as `B3/S23`.
  std::string text() const;

  /// Whether the cell lives in the next generation; `living` is its living neighbours, 0 to 8.
  ///
  /// `(alive ? survival : birth) >> living & 1`, spelled so that compilers vectorise it at one byte
  /// a cell on CPUs: none of them shifts bytes by a variable. The answers for 0..7 neighbours, in
  /// bits 3..6 of two bytes, are halved by each bit of `living` until one is left in bit 3, where
  /// `living` itself says if it is 8. Minus a bit of `living` is a mask of that bit and all above,
  /// hence the places. Comparing with zero at the end, rather than shifting, is what lets g++ store
  /// the result to a row of bools.
  MASS_FN bool next(bool alive, int living) const {
    if constexpr (mass::onGpu) {  // where a shift costs no more than anything else
      return ((birth | survival << 16U) >> (living + 16 * alive) & 1U) != 0;
    }
    const auto n = static_cast<std::uint8_t>(living);
    const std::uint8_t survives = minus(alive);
    const std::uint8_t few =
        choose(byte(birth << 3 & 0x78U), byte(survival << 3 & 0x78U), survives);
    const std::uint8_t many =
        choose(byte(birth >> 1 & 0x78U), byte(survival >> 1 & 0x78U), survives);
    const std::uint8_t eight = choose(byte(birth >> 5), byte(survival >> 5), survives);
    std::uint8_t answers = choose(few, many, minus(n & 4));
    answers = choose(answers, byte(answers >> 2U), minus(n & 2));
    answers = choose(answers, byte(answers >> 1U), minus(n & 1));
    return (choose(answers, eight, n) & 8) != 0;
  }

  friend bool operator==(const Rule&, const Rule&) = default;

 private:
  MASS_FN static std::uint8_t byte(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
  MASS_FN static std::uint8_t minus(int value) { return static_cast<std::uint8_t>(0 - value); }

  /// The bits of `b` where `mask` has ones, of `a` elsewhere.
  MASS_FN static std::uint8_t choose(std::uint8_t a, std::uint8_t b, std::uint8_t mask) {
    return static_cast<std::uint8_t>(a ^ ((a ^ b) & mask));
  }
};

}  // namespace life

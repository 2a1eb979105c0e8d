#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mass::detail {

/// Results of a rule that counts living neighbours.
struct LifeCounts {
  std::uint32_t birth = 0;     ///< bit n: a false place with n true neighbours becomes true
  std::uint32_t survival = 0;  ///< bit n: a true place with n true neighbours stays true

  friend bool operator==(const LifeCounts&, const LifeCounts&) = default;
};

/// Results of a rule whose place is one bool, by the states of the place and its eight neighbours.
class BoolTable {
 public:
  /// Number of patterns: states of a place and its neighbours. Bit 3 (dy + 1) + dx + 1 of a pattern
  /// is the state of the place at offset (dy, dx).
  static constexpr int patterns = 512;
  static constexpr int ownBit = 4;  ///< bit of the place itself

  /// Returns the result for a pattern.
  bool at(int pattern) const {
    return (words_[static_cast<std::size_t>(pattern) / 64] >> (pattern % 64) & 1U) != 0;
  }
  /// Sets the result for a pattern.
  void set(int pattern, bool result) {
    std::uint64_t& word = words_[static_cast<std::size_t>(pattern) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (pattern % 64);
    word = result ? word | bit : word & ~bit;
  }
  /// Returns the numbers of living neighbours for which a place becomes or stays true; nothing if
  /// the rule is not totalistic: its result depends on more than their number and the own state.
  std::optional<LifeCounts> counts() const;

  friend bool operator==(const BoolTable&, const BoolTable&) = default;

 private:
  std::array<std::uint64_t, patterns / 64> words_{};
};

/// Rule of places with one bool, which kernels on bits replace.
struct BoolRule {
  /// Returns the table of the rule with some arguments, by calls of the rule for all patterns on
  /// the host; nothing if the rule depends on more than the pattern, or throws.
  /// @param arguments tuple Traits<Rule>::Arguments of the rule
  /// @param device number of a device of this rank
  std::optional<BoolTable> (*table)(const void* arguments, int device) = nullptr;
  bool readsArrays = false;  ///< table() reads Shared arrays, in the memory of the device
};

}  // namespace mass::detail

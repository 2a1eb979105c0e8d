#pragma once

#include <apps/life/rule.hpp>

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

namespace life {

/// Rule of two or more states over the arrangements of living cells among the eight nearest (see
/// hensel.hpp). State 0 is dead and 1 alive. A living cell that does not survive takes the states
/// 2, 3, ..., states - 1 in turn, one a generation, and is dead then; cells in these states do not
/// count as living, and nothing is born there.
struct RuleTable {
  static constexpr int maxStates = 256;

  std::bitset<256> birth;     ///< arrangements in which a dead cell is born
  std::bitset<256> survival;  ///< arrangements in which a living cell survives
  int states = 2;             ///< 2 to maxStates

  /// Creates Conway's rule.
  RuleTable() : RuleTable(Rule{}) {}
  /// Creates the table of a two-state rule.
  explicit RuleTable(const Rule& rule);

  /// Returns the rule by numbers of living cells; nothing if it has more than two states or
  /// depends on the arrangement.
  std::optional<Rule> totalistic() const;

  /// Returns a byte for each arrangement: bit 0 is birth, bit 1 survival.
  std::array<std::uint8_t, 256> outcomes() const;

  /// Returns the rule as `B3/S23`, `B2-a/S12` or `B2/S345/C4`.
  /// @pre the table is isotropic
  std::string text() const;

  friend bool operator==(const RuleTable&, const RuleTable&) = default;
};

}  // namespace life

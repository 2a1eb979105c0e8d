#pragma once

#include <apps/life/rule_table.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace life {

/// World that a rule's text names, as `:T72,48` of Golly.
struct BoundedGrid {
  std::int64_t rows = 0;     ///< at least 1
  std::int64_t columns = 0;  ///< at least 1
  bool isTorus = true;       ///< true for T: periodic borders. False for P, a plane: dead borders
  friend bool operator==(const BoundedGrid&, const BoundedGrid&) = default;
};

/// Rule with the world that its text names.
struct NamedRule {
  RuleTable table;
  std::optional<BoundedGrid> grid;
  bool isHistory = false;  ///< see isHistoryRule()
};

/// Reads a rule in any spelling in use; letters may be upper or lower case:
/// - `B3/S23`, `B3_S23`, `b3s23`, `S23/B3`; without letters survival comes first: `23/3`;
/// - Hensel's notation: `B2-a/S12`, `B3/S2-i34q`;
/// - states after the counts: `B2/S345/C4`, `B2/S345/G4`, `G4B2S345`, `B2/S345/4`, `345/2/4`;
/// - V at the end: the four orthogonal neighbours only, as in `B2/S013V`;
/// - a name, such as `HighLife` or `Brian's Brain` (ruleNames());
/// - History at the end of a rule of two states, as in `LifeHistory` or `B36/S23History`;
/// - a bounded grid at the end, `:T72,48` (torus, width first) or `:P72,48` (plane).
/// Quotes around the text are skipped.
/// @throws mass::InputError, with the position in `text` and the rule that may be meant, if it is
///   anything else
NamedRule parseRule(std::string_view text);

/// True if a rule has the suffix History of Golly, also if the rule before it is unknown here. Its
/// cells have states with marks: 1, 3 and 5 are alive, 0, 2 and 4 dead, and 6 is a boundary.
bool isHistoryRule(std::string_view text);

/// Returns at most 60 characters of a text from outside, for a message, with `?` for unprintable
/// ones.
std::string printable(std::string_view text);

}  // namespace life

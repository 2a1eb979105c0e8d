#pragma once

#include <apps/life/pattern.hpp>

#include <mass/mass.hpp>

#include <optional>
#include <string>

namespace life {

/// World and rule of a run, from the settings and the pattern file.
struct Start {
  std::optional<Pattern> pattern;  ///< nothing: random cells
  RuleTable rule;
  mass::Shape<2> shape{};  ///< rows and columns
  mass::Border border = mass::Border::periodic;
  std::string note;  ///< on the cells of the pattern; empty if there is none
};

/// Returns the start of the settings. A setting replaces the value of the pattern file: `rule` the
/// file's rule, which is else that of the run, or B3/S23 if the file names none. `rows`, `columns`
/// and `border` that are not given are those of the rule's bounded grid, if it has one. If one of
/// the rules has the suffix History, the marks of cells are removed.
/// @throws mass::SettingsError if the rule of the settings is malformed or of another grid
/// @throws mass::InputError if the pattern is unreadable or larger than the world, or its rule is
/// malformed, of another grid, or of fewer states than its cells, or a cell is a boundary
Start startOf(const mass::Settings& settings);

/// Returns the rule after a change of settings during a run.
/// @param given text of the setting `rule` at the start @param first rule at the start
/// @throws mass::SettingsError if the rule is malformed, empty, of a bounded grid, or of another
/// number of states
RuleTable changedRule(const mass::Settings& settings, const std::string& given,
                      const RuleTable& first);

}  // namespace life

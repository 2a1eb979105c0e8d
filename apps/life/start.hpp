#pragma once

#include <apps/life/pattern.hpp>

#include <mass/mass.hpp>

#include <optional>

namespace life {

/// World and rule of a run, from the settings and the pattern file.
struct Start {
  std::optional<Pattern> pattern;  ///< nothing: random cells
  RuleTable rule;
  mass::Shape<2> shape{};  ///< rows and columns
  mass::Border border = mass::Border::periodic;
};

/// Returns the start of the settings. A setting replaces the value of the pattern file: `rule` the
/// file's rule, which is else that of the run, or B3/S23 if the file names none. `rows`, `columns`
/// and `border` that are not given are those of the rule's bounded grid, if it has one.
/// @throws mass::SettingsError if the rule of the settings is malformed or of another grid
/// @throws mass::InputError if the pattern is unreadable or larger than the world, or its rule is
/// malformed, of another grid, or of fewer states than its cells
Start startOf(const mass::Settings& settings);

}  // namespace life

#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/io/settings.hpp>

#include <string>

namespace mass::detail {

/// Returns settings with which the ranks run one simulation: this rank's `devices`, `threads` and
/// `tile`, and rank 0's values of the other keys without effect on results. All ranks call it
/// together.
/// @param program name and version of the program
/// @throws SettingsError on all ranks if the program, or a setting that affects results, differs on
/// one of them
Settings commonSettings(Ranks& ranks, Settings settings, const std::string& program);

/// Checks that all ranks were started alike. All ranks call it together.
/// @param start text that follows "was started", such as "with --restart"
/// @throws SettingsError on all ranks if it differs on one of them
void requireSameStart(Ranks& ranks, const std::string& start);

/// Checks that the model's input files have the same contents on all ranks. All ranks call it
/// together. @pre the model is set up
/// @throws SettingsError on all ranks if a file differs on one of them
void requireSameInputs(Ranks& ranks, const Settings& settings);

}  // namespace mass::detail

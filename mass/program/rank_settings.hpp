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

}  // namespace mass::detail

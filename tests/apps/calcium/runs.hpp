#pragma once

#include <apps/calcium/front.hpp>
#include <apps/calcium/setup.hpp>

#include "../program_run.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace calcium {

/// Returns the settings of a text.
inline mass::Settings settingsOf(const std::string& yaml,
                                 const std::vector<std::string>& assignments = {}) {
  return mass::testing::settingsOf(yaml, schema(), assignments);
}

/// Run of the program as main() starts it, and its table.
struct ProgramRun : mass::testing::ProgramRun {
  Profile profile;  ///< calcium, in runs of a wave

  explicit ProgramRun(const std::string& yaml, const std::vector<std::string>& assignments = {})
      : mass::testing::ProgramRun(settingsOf(yaml, assignments), "calcium", setUp) {
    if (std::find(columns.begin(), columns.end(), "Ca.0") != columns.end())
      profile = Profile::read(folder / "calcium.csv");
  }
};

/// Assignments of an injection of nothing, for runs that end before the injection.
inline const std::vector<std::string> noInjection{"stimulus.adds=true", "stimulus.ip3=0"};

/// Runs until a step, and writes a checkpoint after every step. @return the state hash
inline std::uint64_t hashAfter(const std::string& yaml,
                               const mass::testing::TemporaryFolder& folder, int steps,
                               bool restarts, int devices,
                               const std::vector<std::string>& assignments = {}) {
  auto settings = settingsOf(yaml, assignments);
  settings.set("steps=" + std::to_string(steps));
  settings.set("checkpoint.every=1");
  settings.set("devices=" + std::to_string(devices));
  return mass::testing::runIn(folder, std::move(settings), "calcium", setUp, restarts).hash;
}

/// Front of the settings' defaults, for a wave that is triggered after 1 s.
inline constexpr FrontRule defaultFront{0.5, 1000, 0.5, 5};

}  // namespace calcium

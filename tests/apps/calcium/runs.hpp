#pragma once

#include <apps/calcium/front.hpp>
#include <apps/calcium/setup.hpp>

#include "../../support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace calcium {

/// Returns the settings of a text.
inline mass::Settings settingsOf(const std::string& yaml,
                                 const std::vector<std::string>& assignments = {}) {
  auto settings = mass::Settings::parse(yaml, "test.yaml", schema());
  settings.set("threads=1");
  for (const std::string& assignment : assignments) settings.set(assignment);
  return settings;
}

/// Run of the program as main() starts it, and its table.
struct ProgramRun {
  std::uint64_t hash = 0;
  std::vector<std::string> columns;       ///< names of the table's columns
  std::vector<std::vector<double>> rows;  ///< one row per line of the table
  std::string report;                     ///< standard output
  Profile profile;                        ///< calcium, in runs of a wave

  explicit ProgramRun(const std::string& yaml, std::vector<std::string> assignments = {}) {
    const mass::testing::TemporaryFolder folder;
    assignments.push_back("output.folder=" + folder.path().string());
    mass::Mass mass(settingsOf(yaml, assignments));
    mass::Simulation simulation(mass, "calcium");
    testing::internal::CaptureStdout();
    try {
      setUp(mass, simulation);
      EXPECT_EQ(simulation.run(), 0);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    report = testing::internal::GetCapturedStdout();
    hash = mass.hash();
    mass::CsvReader table(folder / "calcium.csv");
    columns = table.columns();
    while (table.next()) {
      rows.emplace_back();
      for (std::size_t i = 0; i < columns.size(); ++i)
        rows.back().push_back(table.number<double>(i));
    }
    if (std::find(columns.begin(), columns.end(), "Ca.0") != columns.end())
      profile = Profile::read(folder / "calcium.csv");
  }

  std::vector<double> column(const std::string& name) const {
    const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(row.at(static_cast<std::size_t>(at)));
    return values;
  }
};

/// Runs until a step, and writes a checkpoint after every step. @return the state hash
inline std::uint64_t hashAfter(const std::string& yaml,
                               const mass::testing::TemporaryFolder& folder, int steps,
                               bool restarts, int devices) {
  mass::Mass mass(
      settingsOf(yaml, {"output.folder=" + folder.path().string(), "steps=" + std::to_string(steps),
                        "checkpoint.every=1", "devices=" + std::to_string(devices)}));
  mass::Simulation simulation(mass, "calcium");
  testing::internal::CaptureStdout();
  setUp(mass, simulation);
  if (restarts) simulation.restart(folder / "checkpoint.h5");
  EXPECT_EQ(simulation.run(), 0);
  testing::internal::GetCapturedStdout();
  return mass.hash();
}

/// Front of the settings' defaults, for a wave that is triggered after 1 s.
inline constexpr FrontRule defaultFront{0.5, 1000, 0.5, 5};

}  // namespace calcium

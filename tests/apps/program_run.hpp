#pragma once

#include "../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mass::testing {

/// Declares the steps and outputs of a program.
using SetUp = void (*)(Mass&, Simulation&);

/// Returns the settings of a text, for one thread.
inline Settings settingsOf(const std::string& yaml, Schema schema,
                           const std::vector<std::string>& assignments = {}) {
  auto settings = Settings::parse(yaml, "test.yaml", std::move(schema));
  settings.set("threads=1");
  for (const std::string& assignment : assignments) settings.set(assignment);
  return settings;
}

/// State hash at the end of a run, and its standard output.
struct RunResult {
  std::uint64_t hash = 0;
  std::string report;
};

/// Runs a program as main() starts it, with a folder for its outputs.
/// @param restarts true: continues from the checkpoint in the folder
/// @throws mass::Error as the program does
inline RunResult runIn(const TemporaryFolder& folder, Settings settings, const std::string& program,
                       SetUp setUp, bool restarts = false) {
  settings.set("output.folder=" + folder.path().string());
  Mass mass(settings);
  Simulation simulation(mass, program);
  ::testing::internal::CaptureStdout();
  try {
    setUp(mass, simulation);
    if (restarts) simulation.restart(folder / "checkpoint.h5");
    EXPECT_EQ(simulation.run(), 0);
  } catch (...) {
    ::testing::internal::GetCapturedStdout();
    throw;
  }
  return {mass.hash(), ::testing::internal::GetCapturedStdout()};
}

/// Run of a program as main() starts it, and its table.
struct ProgramRun {
  TemporaryFolder folder;                 ///< output folder
  std::uint64_t hash = 0;                 ///< state hash at the end
  std::vector<std::string> columns;       ///< names of the table's columns
  std::vector<std::vector<double>> rows;  ///< one row per line of the table
  std::string report;                     ///< standard output

  ProgramRun(Settings settings, const std::string& program, SetUp setUp) {
    const RunResult result = runIn(folder, std::move(settings), program, setUp);
    hash = result.hash;
    report = result.report;
    readTable(program + ".csv");
  }

  std::vector<double> column(const std::string& name) const {
    const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(row.at(static_cast<std::size_t>(at)));
    return values;
  }

 private:
  void readTable(const std::string& name) {
    CsvReader table(folder / name);
    columns = table.columns();
    while (table.next()) {
      rows.emplace_back();
      for (std::size_t i = 0; i < columns.size(); ++i)
        rows.back().push_back(table.number<double>(i));
    }
  }
};

}  // namespace mass::testing

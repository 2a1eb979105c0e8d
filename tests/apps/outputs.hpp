#pragma once

#include "../support/temporary_folder.hpp"
#include "program_run.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace mass::testing {

/// Runs a program's model in a folder for some steps. Writes every kind of output, at every step
/// unless the settings have an interval for it.
/// @return the names of the files written
inline std::set<std::string> outputsOf(Settings settings, const std::string& program, SetUp setUp,
                                       const TemporaryFolder& folder, int steps = 2) {
  settings.set("steps=" + std::to_string(steps));
  settings.set("output.animation=none");
  for (const std::string kind : {"table", "frame", "data", "agents"}) {
    const std::string key = "output." + kind + "_every";
    if (!settings.given(key)) settings.set(key + "=1");
  }
  runIn(folder, std::move(settings), program, setUp);
  return folder.names();
}

/// Returns the cells of a CSV file, line by line.
inline std::vector<std::vector<std::string>> cellsOf(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(readBytes(file));
  for (std::string line; std::getline(text, line);) {
    std::istringstream cells(line);
    lines.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) lines.back().push_back(cell);
  }
  return lines;
}

/// Succeeds if `names` contains all of `wanted`.
inline ::testing::AssertionResult hasAll(const std::set<std::string>& names,
                                         const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    if (names.count(name) == 0) return ::testing::AssertionFailure() << "no " << name;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace mass::testing

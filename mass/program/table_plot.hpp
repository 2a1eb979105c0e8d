#pragma once

#include <mass/io/settings.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mass::detail {

/// Plot of the columns of a table that `output.plot` names, made at the end of a run.
class TablePlot {
 public:
  /// Declares the settings key `output.plot`.
  static void addKeys(Schema& schema);

  explicit TablePlot(const Settings& settings);

  /// Checks that the table has the columns of the plot, and no two of one name.
  /// @param program name of the program
  /// @param columns columns of the table; empty if there is no table
  /// @throws SettingsError that names the nearest column
  void requireColumns(const std::string& program, const std::vector<std::string>& columns) const;
  /// Returns the files of the plot, beside the table; empty without columns.
  std::vector<std::filesystem::path> files(const std::filesystem::path& table) const;
  /// Reads the finished table and writes the plot, if there are columns.
  /// @param title text above the plot
  /// @param timeStep time of a step in seconds; 1: the horizontal axis shows steps
  /// @throws InputError if the table cannot be read, OutputError if a file cannot be written
  void write(const std::string& title, const std::filesystem::path& table, double timeStep) const;

 private:
  const Settings& settings_;
  std::vector<std::string> columns_;
};

}  // namespace mass::detail

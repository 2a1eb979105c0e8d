#pragma once

#include <mass/io/resumable_csv.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// A CSV file of observables: a ResumableCsv with one row a step, each number as the shortest text
/// that reads back as the same double.
class Table {
 public:
  /// Begins a new table, as ResumableCsv does. columns: names without the step.
  Table(std::filesystem::path path, const std::vector<std::string>& columns);

  /// Goes on with the table of an earlier run, as ResumableCsv::resume does.
  static Table resume(std::filesystem::path path, const std::vector<std::string>& columns,
                      std::int64_t lastStep, std::int64_t lastRow = -1);

  /// Adds a row: a value for each column, at a later step than the row before. Throws UsageError
  /// otherwise, or after `finish`. A row that cannot be written whole (OutputError) leaves no part
  /// behind.
  void add(std::int64_t step, std::span<const double> values);

  /// Puts every row on the disk: what a checkpoint may rely on.
  void flush() { rows_.flush(); }

  /// Makes the table appear under its name, complete.
  void finish() { rows_.finish(); }

  const std::filesystem::path& path() const { return rows_.path(); }

 private:
  Table(ResumableCsv rows, std::size_t columns);

  ResumableCsv rows_;
  std::size_t columns_;
};

}  // namespace mass::detail

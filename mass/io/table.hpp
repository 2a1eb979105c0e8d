#pragma once

#include <mass/io/resumable_csv.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// CSV file of observables: a ResumableCsv with one row per step. Each number is the shortest text
/// that reads back to the same double.
class Table {
 public:
  /// Begins a new table; see ResumableCsv.
  /// @param columns names of all columns except the step
  Table(std::filesystem::path path, const std::vector<std::string>& columns);

  /// Continues the table of an earlier run; see ResumableCsv::resume.
  static Table resume(std::filesystem::path path, const std::vector<std::string>& columns,
                      std::int64_t lastStep, std::int64_t lastRow = -1);

  /// Appends a row. If it cannot be written completely, nothing is.
  /// @param step greater than the step of the row before
  /// @param values one value per column
  /// @throws UsageError if an argument is not as stated, or after `finish`; OutputError if the row
  ///   cannot be written
  void add(std::int64_t step, std::span<const double> values);

  /// Flushes every row to the disk, so that a checkpoint may refer to it.
  void flush() { rows_.flush(); }

  /// Flushes the table to the disk and gives it its final name.
  void finish() { rows_.finish(); }

  /// Returns the final name.
  const std::filesystem::path& path() const { return rows_.path(); }

 private:
  Table(ResumableCsv rows, std::size_t columns);

  ResumableCsv rows_;
  std::size_t columns_;
};

}  // namespace mass::detail

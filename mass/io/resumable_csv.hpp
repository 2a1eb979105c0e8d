#pragma once

#include <mass/io/file_descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Number of rows per step in a ResumableCsv.
enum class RowsPerStep { one, any };

/// CSV file that can be continued after an interruption: a header, then rows whose first column is
/// the step. All rows of a step are written to `<path>.partial` at once; `finish` renames it to
/// `<path>`. An interrupted run leaves the partial file, for `resume`. All functions throw
/// OutputError if the file cannot be written.
class ResumableCsv {
 public:
  /// Begins a new file. Replaces an earlier partial file; an earlier finished one stays until
  /// `finish`.
  /// @param columns names of all columns except the step
  /// @throws UsageError if a name is empty or has a comma, a quote or a line break
  ResumableCsv(std::filesystem::path path, const std::vector<std::string>& columns);

  /// Continues the file of an earlier run: the partial file or, if there is none, the finished one.
  /// Removes rows after `lastStep` and an incomplete last line, so that the contents become those
  /// of an uninterrupted run. Begins a new file if there is neither.
  /// @param columns names of all columns except the step
  /// @param rows number of rows per step
  /// @param lastStep step of the checkpoint
  /// @param lastRow last step with a row at the checkpoint; -1 if none
  /// @throws OutputError if the file has another header, a line that is no row, or no rows up to
  ///   `lastRow`
  static ResumableCsv resume(std::filesystem::path path, const std::vector<std::string>& columns,
                             RowsPerStep rows, std::int64_t lastStep, std::int64_t lastRow);

  /// Appends the rows of a step. If they cannot be written completely, none is.
  /// @param step greater than the step before
  /// @param rows lines with their line breaks
  /// @throws UsageError if the step is not greater, or after `finish`
  void add(std::int64_t step, std::string_view rows);

  /// Flushes every row to the disk, so that a checkpoint may refer to it.
  void flush();

  /// Flushes the file to the disk and gives it its final name.
  void finish();

  /// Returns the final name.
  const std::filesystem::path& path() const { return path_; }
  /// Returns the last step that has rows; -1 if there is none.
  std::int64_t lastRow() const { return lastRow_; }

 private:
  ResumableCsv(std::filesystem::path path, std::string_view contents, std::int64_t lastRow);

  std::filesystem::path path_;
  std::filesystem::path partial_;
  FileDescriptor file_;
  std::int64_t lastStep_, lastRow_;
};

}  // namespace mass::detail

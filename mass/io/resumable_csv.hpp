#pragma once

#include <mass/io/file_descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// How many rows a step has in a ResumableCsv.
enum class Rows { oneAStep, anyNumber };

/// A CSV file that grows: a header, then rows, each with the step it is of in the first column.
/// They go to `<path>.partial`, those of a step at once and whole, so that one can watch it grow;
/// `finish` makes it `<path>`. An unfinished one stays as the partial file, for `resume`.
/// Whatever cannot be written throws OutputError.
class ResumableCsv {
 public:
  /// Begins a new file; an earlier partial one is lost, an earlier finished one stays until
  /// `finish`. `columns` are those beside the step.
  /// Throws UsageError for a name with a comma, a quote or a line break.
  ResumableCsv(std::filesystem::path path, const std::vector<std::string>& columns);

  /// Goes on with the file of an earlier run: keeps its rows up to `lastStep`, from the partial
  /// file or, where there is none, the finished one; drops later rows and a line that was being
  /// written when that run ended. The contents become what they are in a run that never stopped.
  /// Where there is no such file, begins a new one. Throws OutputError for a file with another
  /// header, with something that is no row, or without the rows up to `lastRow`, the last step of
  /// which the earlier run had flushed any (-1: none): it is another run's.
  static ResumableCsv resume(std::filesystem::path path, const std::vector<std::string>& columns,
                             Rows rows, std::int64_t lastStep, std::int64_t lastRow);

  /// Adds the rows of a step, with line breaks. Throws UsageError for a step that is not later than
  /// the one before, or after `finish`. Rows that cannot be written whole leave no part behind.
  void add(std::int64_t step, std::string_view rows);

  /// Puts every row on the disk: what a checkpoint may rely on.
  void flush();

  /// Makes the file appear under its name, complete.
  void finish();

  const std::filesystem::path& path() const { return path_; }
  /// The last step that has rows; -1: there is none.
  std::int64_t lastRow() const { return lastRow_; }

 private:
  ResumableCsv(std::filesystem::path path, std::string_view contents, std::int64_t lastRow);

  std::filesystem::path path_;
  std::filesystem::path partial_;
  FileDescriptor file_;
  std::int64_t lastStep_, lastRow_;
};

}  // namespace mass::detail

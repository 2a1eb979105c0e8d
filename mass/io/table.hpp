#pragma once

#include <cstdint>
#include <filesystem>
#include <mass/io/file_descriptor.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mass {

/// A CSV file of observables: a header, then a row a step, with the step in the first column and
/// each number as the shortest text that reads back as the same double. Rows go to
/// `<path>.partial`, each at once and whole, so that one can watch it grow; `finish` makes it
/// `<path>`. An unfinished table stays as the partial file, for `resume`.
/// Whatever cannot be written throws OutputError.
class Table {
 public:
  /// Begins a new table; an earlier partial file is lost, an earlier finished one stays until
  /// `finish`. columns: names without the step. Throws UsageError for a name with a comma, a quote
  /// or a line break.
  Table(std::filesystem::path path, const std::vector<std::string>& columns);

  /// Goes on with the table of an earlier run: keeps its rows up to `lastStep`, from the partial
  /// file or, where there is none, the finished one; drops later rows and a line that was being
  /// written when that run ended. The contents become what they are in a run that never stopped.
  /// Where there is no such file, begins a new table. Throws OutputError for a file with another
  /// header, with something that is no row, or without the rows up to `lastRow`, the last one that
  /// the earlier run had flushed (-1: none): it is another run's.
  static Table resume(std::filesystem::path path, const std::vector<std::string>& columns,
                      std::int64_t lastStep, std::int64_t lastRow = -1);

  /// Adds a row: a value for each column, at a later step than the row before. Throws UsageError
  /// otherwise, or after `finish`. A row that cannot be written whole (OutputError) leaves no part
  /// behind.
  void add(std::int64_t step, std::span<const double> values);

  /// Puts every row on the disk: what a checkpoint may rely on.
  void flush();

  /// Makes the table appear under its name, complete.
  void finish();

 private:
  Table(std::filesystem::path path, const std::vector<std::string>& columns,
        std::string_view contents, std::int64_t lastStep);

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::size_t columns_;
  FileDescriptor file_;
  std::int64_t lastStep_;
};

}  // namespace mass

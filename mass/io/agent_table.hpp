#pragma once

#include <mass/io/field_array.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Table of agents over a run: one row per agent and written step; the first column is the step.
/// The extension of the file selects the format:
///
/// `<name>.csv` is a ResumableCsv. An array has one column per component, `name.0`, `name.1`, ...
/// Each number is the shortest text that reads back to the same value.
///
/// `<name>.h5` is HDF5 with one dataset per column, each of all rows. The values are in one file
/// per range of steps, `<name>/<last step>.h5`, which appears by rename and can be opened alone;
/// `<name>.h5` refers to them (HDF5 virtual datasets, relative paths: move the file and the folder
/// together). flush() and finish() write both; later rows are buffered, up to about 64 MiB.
///
/// All functions throw OutputError if a file cannot be written.
class AgentTable {
 public:
  /// State of the table at the checkpoint from which a run continues.
  struct Resumed {
    std::int64_t lastStep = -1;  ///< step of the checkpoint; rows of later steps are removed
    std::int64_t lastRow = -1;   ///< lastRow() at the checkpoint
    std::string list{};          ///< list() at the checkpoint; empty in earlier versions
  };

  /// Begins a table, or continues the one of an earlier run if there is one. Its contents become
  /// those of an uninterrupted run.
  /// @param columns all columns except the step; their data are not read
  /// @param resumed empty to begin a new table
  /// @param run description of the run, the attribute `run` of HDF5 files. A new table with a
  ///   description removes no file of an earlier run.
  /// @throws OutputError if the table is not one of the resumed run; UsageError if a column name is
  ///   malformed or used twice
  static std::unique_ptr<AgentTable> open(const std::filesystem::path& path,
                                          std::span<const FieldArray> columns,
                                          const std::optional<Resumed>& resumed = {},
                                          const std::string& run = {});

  AgentTable() = default;
  AgentTable(const AgentTable&) = delete;
  AgentTable& operator=(const AgentTable&) = delete;
  virtual ~AgentTable() = default;

  /// Adds the rows of a step.
  /// @param step greater than the step before
  /// @param columns the columns given to `open`, each with `rows` values (or arrays)
  /// @throws UsageError if the step is not greater than the one before
  virtual void add(std::int64_t step, std::size_t rows, std::span<const FieldArray> columns) = 0;
  /// Writes every row: of CSV to the disk; of HDF5 to files that are on the disk after the next
  /// synchronizeFolder(). Then a checkpoint may refer to it.
  virtual void flush() = 0;
  /// Completes the table; it then has its final name.
  virtual void finish() = 0;
  /// Returns the last step that the flushed table records; -1 if none.
  virtual std::int64_t lastRow() const = 0;
  /// Returns the paths of the files written so far.
  virtual std::vector<std::filesystem::path> files() const = 0;
  /// Returns the list of the files of an HDF5 table, for a checkpoint; see FieldSeries::list. Empty
  /// for CSV.
  virtual std::string list() const { return {}; }
  /// Returns a note on files of a resumed HDF5 table that are missing, whose rows are left out;
  /// empty if none is.
  virtual std::string note() const { return {}; }
};

}  // namespace mass::detail

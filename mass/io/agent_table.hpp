#pragma once

#include <mass/io/field_array.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mass::detail {

/// A table of agents over a run: for each step that is written a row an agent, whose first column
/// is the step. What it is made of says the name of its file:
///
/// `<name>.csv` is a ResumableCsv; an array has a column a component, `name.0`, `name.1`, ... and
/// each number is the shortest text that reads back as the same.
///
/// `<name>.h5` is HDF5 and has an array with all rows for each column. The values lie in files of
/// their own for stretches of steps, `<name>/<last step>.h5`, which appear by rename and can be
/// opened alone; `<name>.h5` only points at them (HDF5 virtual datasets, relative paths: move the
/// file and the folder together). Both are written by flush() and finish(); what was added since is
/// in memory, up to 64 MiB.
///
/// Whatever cannot be written throws OutputError. No two threads may use this class, a FieldSeries
/// or the checkpoint files at the same time.
class AgentTable {
 public:
  /// Where a run goes on.
  struct Resumed {
    std::int64_t lastStep = -1;  ///< rows of later steps are dropped; the table was flushed then
    std::int64_t lastRow = -1;   ///< what lastRow() was then
  };

  /// Begins a table, or goes on with that of an earlier run, where there is one: its contents
  /// become what they are in a run that never stopped. `columns` are those beside the step; their
  /// data are not looked at. Throws OutputError for a table that is not of the run that is to go
  /// on, UsageError for columns that cannot be named so, or two of a name.
  static std::unique_ptr<AgentTable> open(const std::filesystem::path& path,
                                          std::span<const FieldArray> columns,
                                          const std::optional<Resumed>& resumed = {});

  AgentTable() = default;
  AgentTable(const AgentTable&) = delete;
  AgentTable& operator=(const AgentTable&) = delete;
  virtual ~AgentTable() = default;

  /// Adds the rows of a step, which is later than the one before. `columns` are as in `open`, with
  /// `rows` values (or arrays) each.
  virtual void add(std::int64_t step, std::size_t rows, std::span<const FieldArray> columns) = 0;
  /// Puts every row on the disk: what a checkpoint may rely on.
  virtual void flush() = 0;
  /// Makes the table appear under its name, complete.
  virtual void finish() = 0;
  /// The last step of which the flushed table shows that it is there; -1: none.
  virtual std::int64_t lastRow() const = 0;
};

}  // namespace mass::detail

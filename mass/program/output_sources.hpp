#pragma once

#include <mass/io/agent_table.hpp>
#include <mass/io/field_array.hpp>
#include <mass/model/agent_output.hpp>
#include <mass/program/finite_check.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mass::detail {

/// Columns of the table of a run whose values one function returns.
struct ColumnGroup {
  std::vector<std::string> names;
  std::function<std::vector<double>()> values;
};

/// Data files of a run for ParaView: a FieldSeries or a PointSeries.
struct DataSource {
  std::filesystem::path file;
  std::function<void(const std::string& run)> begin;
  /// Returns a note on missing frames.
  std::function<std::string(std::int64_t lastStep, const std::string& list, const std::string& run)>
      resume;
  std::function<std::vector<std::filesystem::path>()> files;
  std::function<std::string()> list;  ///< list of the frames, for a checkpoint
  std::function<void(std::int64_t step, double time)> write;

  /// Creates a source without `write`.
  template <class Series>
  static DataSource of(const std::shared_ptr<Series>& series) {
    return {series->path(),
            [series](const std::string& run) { series->begin(run); },
            [series](std::int64_t last, const std::string& frames, const std::string& run) {
              return series->resume(last, frames, run);
            },
            [series] { return series->files(); },
            [series] { return series->list(); },
            nullptr};
  }
};

/// Table of agents of a run.
struct AgentTableSource {
  std::string name;  ///< name of the agents
  std::filesystem::path file;
  std::vector<FieldArray> columns;
  std::function<AgentFrame()> rows;
  std::unique_ptr<AgentTable> table{};
  std::int64_t lastRow = -1;  ///< step of the last flushed row; -1: none

  /// Begins the table. @param run description of the run
  void begin(const std::string& run);
  /// Continues the table of a checkpoint.
  /// @param lastStep step of the checkpoint
  /// @param list list of the files of the table
  /// @param run description of the run
  /// @return note on missing files
  std::string resume(std::int64_t lastStep, const std::string& list, const std::string& run);
  /// Adds the rows of a step. All ranks call it together; those without a table check their rows.
  void write(std::int64_t step, const FiniteCheck& check);
  /// Makes the rows durable.
  void flush();
};

/// Checks the values of agents. @param name name of the agents
/// @throws ModelError with the identity of an agent
void requireFinite(const FiniteCheck& check, std::int64_t step, const std::string& name,
                   const AgentFrame& frame);

}  // namespace mass::detail

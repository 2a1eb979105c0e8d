#pragma once

#include <mass/io/table.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/sink.hpp>
#include <mass/program/table_plot.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mass::detail {

/// Counter of a checkpoint: the step of the table's last row.
inline constexpr const char* lastRowCounter = "simulation.last_row";

/// Table of a run, `<program>.csv`, and its plot.
class TableSink : public Sink {
 public:
  /// Reads the settings of `model`, which must outlive this.
  TableSink(const ModelRun& model, const FiniteCheck& check);

  /// Checks that the table has the columns of the plot.
  /// @throws SettingsError, see TablePlot::requireColumns
  void requireColumns() const;
  /// Returns the values of all columns.
  /// @throws ModelError if one is not finite, and that is not allowed
  std::vector<double> checkedRow() const;

  std::int64_t every() const override { return model_.columns.empty() ? 0 : every_; }
  void addNames(OutputNames& names) const override;
  std::vector<UsedPath> finalFiles() const override;
  std::vector<std::filesystem::path> files() const override;
  void begin(const std::string& run) override;
  std::string resume(const ContinuedRun& from, const std::string& run) override;
  void write(std::int64_t step) override;
  void flush(OutputProgress& progress) override;
  void finish() override;
  std::string report() const override;

 private:
  void renameFormer(const std::string& writer) const;

  const ModelRun& model_;
  const FiniteCheck& check_;
  std::filesystem::path file_;
  std::int64_t every_;
  TablePlot plot_;
  std::optional<Table> table_;
  std::int64_t lastRow_ = -1;  ///< step of the last row; -1: none
};

}  // namespace mass::detail

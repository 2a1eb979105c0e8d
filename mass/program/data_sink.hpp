#pragma once

#include <mass/io/field_series.hpp>
#include <mass/io/point_series.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/sink.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace mass::detail {

/// Checks the values of agents. @param name name of the agents
/// @throws ModelError with the identity of an agent
void requireFinite(const FiniteCheck& check, std::int64_t step, const std::string& name,
                   const AgentFrame& frame);

/// Data files of a run for ParaView, of some places or agents.
class DataSink : public Sink {
 public:
  /// Has no effect on the disk. All parameters must outlive this.
  /// @throws UsageError if the name or the grid is malformed
  DataSink(const ModelRun& model, const DataDeclaration& data, const FiniteCheck& check);

  std::int64_t every() const override { return every_; }
  void addNames(OutputNames& names) const override;
  std::vector<UsedPath> finalFiles() const override { return {{"the data", path()}}; }
  std::vector<UsedPath> folders() const override;
  std::vector<std::filesystem::path> files() const override;
  void begin(const std::string& run) override;
  std::string resume(const ContinuedRun& from, const std::string& run) override;
  void write(std::int64_t step) override;
  void flush(OutputProgress& progress) override;
  std::string report() const override;

 private:
  std::filesystem::path path() const;
  void write(FieldSeries& series, std::int64_t step) const;
  void write(PointSeries& series, std::int64_t step) const;

  const ModelRun& model_;
  const DataDeclaration& data_;
  const FiniteCheck& check_;
  std::int64_t every_;
  std::variant<FieldSeries, PointSeries> series_;
};

}  // namespace mass::detail

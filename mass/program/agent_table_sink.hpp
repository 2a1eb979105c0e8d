#pragma once

#include <mass/io/agent_table.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/sink.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mass::detail {

/// Returns the file of a table of agents. @param agents name of the agents
std::filesystem::path agentTableFile(const Settings& settings, const std::string& agents);

/// Table of agents of a run, `<agents>.csv` or `.h5`.
class AgentTableSink : public Sink {
 public:
  /// All parameters must outlive this.
  AgentTableSink(const ModelRun& model, const AgentTableDeclaration& table,
                 const FiniteCheck& check);

  std::int64_t every() const override { return every_; }
  void addNames(OutputNames& names) const override;
  std::vector<UsedPath> finalFiles() const override { return {{"the table of agents", file_}}; }
  std::vector<UsedPath> folders() const override;
  std::vector<std::filesystem::path> files() const override;
  void begin(const std::string& run) override;
  std::string resume(const ContinuedRun& from, const std::string& run) override;
  void write(std::int64_t step) override;
  void flush(OutputProgress& progress) override;
  void finish() override;
  std::string report() const override;

 private:
  std::string counter() const;

  const AgentTableDeclaration& declared_;
  const FiniteCheck& check_;
  std::filesystem::path file_;
  std::int64_t every_;
  std::unique_ptr<AgentTable> table_;
};

}  // namespace mass::detail

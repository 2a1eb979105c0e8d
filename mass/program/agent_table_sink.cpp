#include <mass/program/agent_table_sink.hpp>

#include <mass/program/data_sink.hpp>
#include <mass/program/table_sink.hpp>

#include <fmt/format.h>

#include <optional>

namespace mass::detail {

std::filesystem::path agentTableFile(const Settings& settings, const std::string& agents) {
  const bool asHdf5 = settings.get<std::string>("output.agents_format") == "hdf5";
  return std::filesystem::path(settings.get<std::string>("output.folder")) /
         (agents + (asHdf5 ? ".h5" : ".csv"));
}

AgentTableSink::AgentTableSink(const ModelRun& model, const AgentTableDeclaration& table,
                               const FiniteCheck& check)
    : declared_(table),
      check_(check),
      file_(agentTableFile(model.mass.settings(), table.name)),
      every_(model.mass.settings().get<std::int64_t>("output.agents_every")) {}

/// Returns the name of the counter of a checkpoint: the step of the last row.
std::string AgentTableSink::counter() const {
  return fmt::format("{}.{}", lastRowCounter, declared_.name);
}

void AgentTableSink::addNames(OutputNames& names) const {
  for (const char* const extension : {".csv", ".h5"}) names.addFile(declared_.name + extension);
  names.series.push_back({declared_.name, ".h5", OutputNames::digitsOfData});
}

std::vector<UsedPath> AgentTableSink::folders() const {
  if (file_.extension() != ".h5") return {};
  return {{"the folder of the table of agents", file_.parent_path() / file_.stem()}};
}

std::vector<std::filesystem::path> AgentTableSink::files() const {
  return table_ ? table_->files() : std::vector<std::filesystem::path>{};
}

void AgentTableSink::begin(const std::string& run) {
  table_ = AgentTable::open(file_, declared_.columns, std::nullopt, run);
}

std::string AgentTableSink::resume(const ContinuedRun& from, const std::string& run) {
  const AgentTable::Resumed resumed{from.step, from.progress.lastRow(counter()),
                                    from.progress.framesOf(file_)};
  table_ = AgentTable::open(file_, declared_.columns, resumed, run);
  return table_->note();
}

void AgentTableSink::write(std::int64_t step) {
  const AgentFrame frame = declared_.rows();
  requireFinite(check_, step, declared_.name, frame);
  if (table_) table_->add(step, frame.rows, frame.arrays);
}

void AgentTableSink::flush(OutputProgress& progress) {
  if (!table_) return;
  table_->flush();
  progress.setLastRow(counter(), table_->lastRow());
  if (std::string list = table_->list(); !list.empty())
    progress.frames[OutputProgress::frameListOf(file_)] = std::move(list);
}

void AgentTableSink::finish() {
  if (table_) table_->finish();
}

std::string AgentTableSink::report() const {
  return fmt::format("  agent table {}\n", file_.string());
}

}  // namespace mass::detail

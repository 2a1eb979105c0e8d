#include <mass/program/table_sink.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <system_error>

namespace mass::detail {

TableSink::TableSink(const ModelRun& model, const FiniteCheck& check)
    : model_(model),
      check_(check),
      file_(std::filesystem::path(model.mass.settings().get<std::string>("output.folder")) /
            (model.name + ".csv")),
      every_(model.mass.settings().get<std::int64_t>("output.table_every")),
      plot_(model.mass.settings()) {}

void TableSink::requireColumns() const {
  plot_.requireColumns(model_.name, isActive() ? model_.columnNames() : std::vector<std::string>{});
}

std::vector<double> TableSink::checkedRow() const {
  std::vector<double> values = model_.row();
  check_.requireRow(model_.step, model_.columnNames(), values);
  return values;
}

void TableSink::addNames(OutputNames& names) const {
  for (const char* const extension : {".csv", ".plot.svg", ".plot.png"})
    names.addFile(model_.name + extension);
}

std::vector<UsedPath> TableSink::finalFiles() const {
  std::vector<UsedPath> files{{"the table", file_}};
  for (const auto& file : plot_.files(file_)) files.emplace_back("the plot", file);
  return files;
}

std::vector<std::filesystem::path> TableSink::files() const {
  std::vector<std::filesystem::path> files{file_, partialName(file_)};
  for (const auto& file : plot_.files(file_)) files.insert(files.end(), {file, partialName(file)});
  return files;
}

void TableSink::begin(const std::string&) {
  table_.emplace(file_, model_.columnNames());
}

std::string TableSink::resume(const ContinuedRun& from, const std::string&) {
  renameFormer(from.writer);
  lastRow_ = from.progress.lastRow(lastRowCounter);
  table_ = Table::resume(file_, model_.columnNames(), from.step, lastRow_);
  return {};
}

/// Renames the table that the program wrote under a former name, unless there is one of the present
/// name. @param writer name of the program that wrote the checkpoint
void TableSink::renameFormer(const std::string& writer) const {
  if (writer == model_.name || std::filesystem::exists(file_)) return;
  const auto former = file_.parent_path() / (writer + ".csv");
  std::error_code error;
  if (std::filesystem::exists(former)) std::filesystem::rename(former, file_, error);
  if (error) throw cannotWrite(file_, error.value());
}

void TableSink::write(std::int64_t step) {
  const std::vector<double> row = checkedRow();
  if (table_) table_->add(step, row);
  for (const auto& steering : model_.steerings) steering->tableRow(step, row);
  lastRow_ = step;
}

void TableSink::flush(OutputProgress& progress) {
  if (table_) table_->flush();
  progress.setLastRow(lastRowCounter, lastRow_);
}

void TableSink::finish() {
  if (!table_) return;
  table_->finish();
  plot_.write(model_.name, file_, model_.timeStep);
}

std::string TableSink::report() const {
  std::string text = fmt::format("  table       {}\n", file_.string());
  for (const auto& file : plot_.files(file_))
    text += fmt::format("  plot        {}\n", file.string());
  if (model_.evaluate) text += model_.evaluate(file_);
  return text;
}

}  // namespace mass::detail

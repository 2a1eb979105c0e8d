#include <mass/io/agent_table.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/frame_store.hpp>
#include <mass/io/resumable_csv.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

// CSV

std::vector<std::string> columnNames(std::span<const FieldArray> columns) {
  std::vector<std::string> names;
  for (const FieldArray& column : columns) {
    for (std::size_t k = 0; k < column.components; ++k) {
      names.push_back(column.componentName(k));
    }
  }
  return names;
}

void writeCells(const FieldArray& column, std::size_t row, fmt::memory_buffer& text) {
  withElement(column.type, [&]<class T>(T value) {
    const auto* const from = static_cast<const char*>(column.data);
    for (std::size_t k = 0; k < column.components; ++k) {
      std::memcpy(&value, from + (row * column.components + k) * sizeof(T), sizeof(T));
      fmt::format_to(std::back_inserter(text), ",{}", +value);  // + promotes a bool to int
    }
  });
}

class CsvTable : public AgentTable {
 public:
  explicit CsvTable(ResumableCsv file) : file_(std::move(file)) {}

  void add(std::int64_t step, std::size_t rows, std::span<const FieldArray> columns) override {
    fmt::memory_buffer text;
    for (std::size_t row = 0; row < rows; ++row) {
      fmt::format_to(std::back_inserter(text), "{}", step);
      for (const FieldArray& column : columns) writeCells(column, row, text);
      text.push_back('\n');
    }
    file_.add(step, std::string_view(text.data(), text.size()));
  }
  void flush() override { file_.flush(); }
  void finish() override { file_.finish(); }
  std::int64_t lastRow() const override { return file_.lastRow(); }
  std::vector<fs::path> files() const override { return {file_.path(), partialName(file_.path())}; }

 private:
  ResumableCsv file_;
};

std::unique_ptr<AgentTable> openCsv(const fs::path& path, std::span<const FieldArray> columns,
                                    const std::optional<AgentTable::Resumed>& resumed) {
  const auto names = columnNames(columns);
  if (!resumed) return std::make_unique<CsvTable>(ResumableCsv(path, names));
  return std::make_unique<CsvTable>(
      ResumableCsv::resume(path, names, RowsPerStep::any, resumed->lastStep, resumed->lastRow));
}

// HDF5

/// Size of the buffer of rows. One file per step would be many files, which are slow to read.
constexpr std::size_t mostBytesKept = std::size_t{64} << 20;

class Hdf5Table : public AgentTable {
 public:
  Hdf5Table(const fs::path& path, std::span<const FieldArray> columns)
      : files_(path.parent_path(), path.stem().string(),
               {"table", path.extension().string(), {}, [](hid_t, std::span<const Frame>) {}}),
        columns_{{"step", ElementType::int64}} {
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    kept_.resize(columns_.size());
  }

  void begin(const std::string& run) { files_.begin(run); }
  void resume(const Resumed& resumed, const std::string& run);
  void add(std::int64_t step, std::size_t rows, std::span<const FieldArray> columns) override;
  void flush() override {
    writeKept();
    if (files_.lastStep() >= 0) files_.writeIndex();
  }
  void finish() override { flush(); }
  std::int64_t lastRow() const override { return std::max(lastKept_, files_.lastStep()); }
  std::vector<fs::path> files() const override { return files_.files(); }
  std::string list() const override { return files_.list(); }
  std::string note() const override { return note_; }

 private:
  void keep(std::size_t column, const void* data, std::size_t rows);
  void writeKept();

  FrameStore files_;
  std::string note_;
  std::vector<FieldArray> columns_;
  std::vector<std::vector<char>> kept_;  ///< buffered values, by column
  std::size_t keptRows_ = 0;
  std::int64_t lastKept_ = -1;  ///< last buffered step; -1 if none
};

void Hdf5Table::resume(const Resumed& resumed, const std::string& run) {
  note_ = files_.resume(resumed.lastStep, resumed.list, run);
  if (files_.lastStep() < 0 || files_.lastStep() >= resumed.lastRow) return;
  throw OutputError(
      "cannot continue the table '{}': it has no row of step {}, so another run wrote it; move it "
      "and the folder beside it away, or run without --restart",
      files_.path().string(), resumed.lastRow);
}

void Hdf5Table::keep(std::size_t column, const void* data, std::size_t rows) {
  const FieldArray& array = columns_[column];
  const auto* const from = static_cast<const char*>(data);
  kept_[column].insert(kept_[column].end(), from,
                       from + rows * array.components * sizeOf(array.type));
}

void Hdf5Table::add(std::int64_t step, std::size_t rows, std::span<const FieldArray> columns) {
  if (step <= lastRow()) {
    throw UsageError("the table '{}' has rows of step {}: those of step {} cannot follow",
                     files_.path().string(), lastRow(), step);
  }
  if (rows > 0) {
    keep(0, std::vector<std::int64_t>(rows, step).data(), rows);
    for (std::size_t i = 0; i < columns.size(); ++i) keep(i + 1, columns[i].data, rows);
  }
  keptRows_ += rows;
  lastKept_ = step;
  std::size_t bytes = 0;
  for (const auto& values : kept_) bytes += values.size();
  if (bytes > mostBytesKept) writeKept();
}

void Hdf5Table::writeKept() {
  if (lastKept_ < 0) return;
  std::vector<FrameArray> arrays;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    FieldArray column = columns_[i];
    column.data = keptRows_ > 0 ? kept_[i].data() : nullptr;
    arrays.push_back(files_.arrayOf(column, "", {keptRows_}));
  }
  files_.add(lastKept_, static_cast<double>(lastKept_), arrays);
  for (auto& values : kept_) values.clear();
  keptRows_ = 0;
  lastKept_ = -1;
}

/// @throws UsageError if two columns have the same name
void requireDifferentNames(const fs::path& path, std::span<const FieldArray> columns) {
  std::vector<std::string> names{"step"};
  for (const FieldArray& column : columns) names.push_back(column.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return;
  throw UsageError("the table '{}' has two columns named '{}': rename an attribute", path.string(),
                   *twice);
}

}  // namespace

std::unique_ptr<AgentTable> AgentTable::open(const fs::path& path,
                                             std::span<const FieldArray> columns,
                                             const std::optional<Resumed>& resumed,
                                             const std::string& run) {
  requireDifferentNames(path, columns);
  if (path.extension() == ".csv") return openCsv(path, columns, resumed);
  auto table = std::make_unique<Hdf5Table>(path, columns);
  if (resumed) {
    table->resume(*resumed, run);
  } else if (!run.empty()) {
    table->begin(run);
  }
  return table;
}

}  // namespace mass::detail

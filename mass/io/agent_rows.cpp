#include <mass/io/agent_rows.hpp>

#include <mass/io/csv_reader.hpp>
#include <mass/io/foreign_table.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

class CsvRows : public AgentRows {
 public:
  explicit CsvRows(const fs::path& file) : reader_(file) {}

  const std::vector<std::string>& columns() const override { return reader_.columns(); }
  bool next() override { return reader_.next(); }
  void read(std::size_t column, ElementType type, std::vector<char>& into) const override {
    reader_.read(column, type, into);
  }
  std::int64_t row() const override { return reader_.line(); }
  std::string nameOf(std::int64_t row) const override { return fmt::format("line {}", row); }
  [[noreturn]] void fail(std::string_view message) const override { reader_.fail(message); }

 private:
  CsvReader reader_;
};

// HDF5

/// Rows of one step of an AgentTable in HDF5.
class Hdf5Rows : public AgentRows {
 public:
  explicit Hdf5Rows(TableRows table) : table_(std::move(table)) { nameColumns(); }

  const std::vector<std::string>& columns() const override { return columns_; }
  bool next() override { return ++row_ < static_cast<std::int64_t>(table_.rows.size()); }
  void read(std::size_t column, ElementType type, std::vector<char>& into) const override;
  std::int64_t row() const override { return table_.rows[static_cast<std::size_t>(row_)]; }
  std::string nameOf(std::int64_t row) const override { return fmt::format("row {}", row); }
  [[noreturn]] void fail(std::string_view message) const override {
    const bool isInRow = row_ >= 0 && row_ < static_cast<std::int64_t>(table_.rows.size());
    throw InputError("{}{}: {}", table_.file.string(), isInRow ? ": " + nameOf(row()) : "",
                     message);
  }

 private:
  void nameColumns();

  TableRows table_;
  std::vector<std::string> columns_;
  std::vector<std::pair<std::size_t, std::size_t>> parts_;  ///< array and component of each column
  std::int64_t row_ = -1;
};

void Hdf5Rows::nameColumns() {
  for (std::size_t i = 0; i < table_.arrays.size(); ++i) {
    const auto& [name, type, components, values] = table_.arrays[i];
    for (std::size_t k = 0; k < components; ++k) {
      columns_.push_back(components == 1 ? name : fmt::format("{}.{}", name, k));
      parts_.emplace_back(i, k);
    }
  }
}

void Hdf5Rows::read(std::size_t column, ElementType type, std::vector<char>& into) const {
  const auto [number, component] = parts_[column];
  const TableArray& array = table_.arrays[number];
  const std::size_t size = sizeOf(array.type);
  const char* const from =
      array.values.data() + (static_cast<std::size_t>(row_) * array.components + component) * size;
  if (array.type == type) {
    into.insert(into.end(), from, from + size);
    return;
  }
  std::string text;
  withElement(array.type, [&]<class T>(T value) {
    std::memcpy(&value, from, sizeof value);
    text = fmt::format("{}", +value);
  });
  withElement(type, [&]<class T>(T value) {
    const std::string fault = parseValue(text, value);
    if (!fault.empty()) fail(fmt::format("'{}' = {} {}", columns_[column], text, fault));
    const auto* const bytes = reinterpret_cast<const char*>(&value);
    into.insert(into.end(), bytes, bytes + sizeof value);
  });
}

/// True if the file begins as HDF5 does. Reads no pipe, whose bytes would be lost.
bool isHdf5(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  constexpr std::string_view signature = "\x89HDF\r\n\x1A\n";
  std::string begin(signature.size(), '\0');
  std::ifstream(file, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == signature;
}

}  // namespace

std::unique_ptr<AgentRows> AgentRows::open(const fs::path& file, std::optional<std::int64_t> step) {
  if (isHdf5(file)) return std::make_unique<Hdf5Rows>(readTableRows(file, step));
  return std::make_unique<CsvRows>(file);
}

}  // namespace mass::detail

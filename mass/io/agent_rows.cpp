#include <mass/io/agent_rows.hpp>

#include <mass/io/csv_reader.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/io/parse_value.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <system_error>
#include <tuple>
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

/// Array of an AgentTable: one element per row, or several for an array of the agents.
struct TableArray {
  std::string name;
  ElementType type = ElementType::int64;
  std::vector<hsize_t> shape;
  std::vector<char> values{};

  std::size_t components() const { return shape.size() > 1 ? shape[1] : 1; }
};

/// Returns the numeric type of a dataset.
/// @throws Failure if it is none of ElementType
ElementType numericTypeOf(hid_t dataset, const std::string& name) {
  const hdf5::Id type(H5Dget_type(dataset), H5Tclose, "H5Dget_type");
  for (const ElementTypeRow& row : elementTypes) {
    if (row.type == ElementType::boolean || row.type == ElementType::opaque) continue;
    if (H5Tequal(type, hdf5::dataType(row.type, row.size)) > 0) return row.type;
  }
  throw hdf5::Failure("'{}' has no numbers that a table of agents can have", name);
}

/// Opens a dataset, but no soft or external link.
hdf5::Id openDataset(hid_t file, const std::string& name) {
  H5L_info_t link{};
  hdf5::checked(H5Lget_info(file, name.c_str(), &link, H5P_DEFAULT), "H5Lget_info");
  if (link.type != H5L_TYPE_HARD) throw hdf5::Failure("'{}' is a link", name);
  return hdf5::Id(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
}

/// Returns the files of the rows of a table: those that an index refers to, in the folder of its
/// name, or the file itself if it has rows.
std::vector<fs::path> filesOf(const fs::path& table) {
  const hdf5::Id file = hdf5::openFile(table);
  const hdf5::Id set = openDataset(file, "step");
  const hdf5::Id creation(H5Dget_create_plist(set), H5Pclose, "H5Dget_create_plist");
  if (H5Pget_layout(creation) != H5D_VIRTUAL) return {table};
  std::size_t count = 0;
  hdf5::checked(H5Pget_virtual_count(creation, &count), "H5Pget_virtual_count");
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, 4096> source{};
    hdf5::checked(H5Pget_virtual_filename(creation, i, source.data(), source.size() - 1),
                  "H5Pget_virtual_filename");
    const fs::path name = fs::path(table.stem()) / fs::path(source.data()).filename();
    files.push_back(table.parent_path() / name);
    if (!fs::is_regular_file(files.back())) {
      throw hdf5::Failure(
          "its rows are in '{}', which is missing; move the file and the folder "
          "'{}' together",
          name.string(), table.stem().string());
    }
  }
  return files;
}

/// Reads rows [first, first + count) of an array.
void readRows(hid_t file, TableArray& array, hsize_t first, hsize_t count) {
  std::vector<hsize_t> shape = array.shape;
  shape.front() = count;
  array.values.resize(count * array.components() * sizeOf(array.type));
  if (array.values.empty()) return;
  const hdf5::Id set = openDataset(file, array.name);
  hdf5::checked(H5Dread(set, hdf5::dataType(array.type, sizeOf(array.type)), hdf5::dataSpace(shape),
                        hdf5::rowsOf(array.shape, first, count), H5P_DEFAULT, array.values.data()),
                "H5Dread");
}

/// Returns an array without its values.
/// @param bytes size of the file
/// @throws Failure if the array is not in the file as a whole
TableArray describe(hid_t file, const std::string& name, std::uintmax_t bytes) {
  const hdf5::Id set = openDataset(file, name);
  const hdf5::Id creation(H5Dget_create_plist(set), H5Pclose, "H5Dget_create_plist");
  TableArray array{name, numericTypeOf(set, name), hdf5::shapeOf(set)};
  const bool isShaped = array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] > 0);
  if (!isShaped || H5Pget_layout(creation) != H5D_CONTIGUOUS ||
      H5Pget_external_count(creation) != 0 ||
      array.shape[0] > bytes / array.components() / sizeOf(array.type)) {
    throw hdf5::Failure("'{}' is no column of a table of agents", name);
  }
  return array;
}

/// Rows of one step of an AgentTable in HDF5.
class Hdf5Rows : public AgentRows {
 public:
  Hdf5Rows(const fs::path& table, std::optional<std::int64_t> step) : file_(table) {
    const hdf5::Quiet quiet;
    try {
      const std::vector<fs::path> files = filesOf(table);
      for (auto file = files.rbegin(); file != files.rend(); ++file) {
        file_ = *file;
        if (load(step)) break;
      }
    } catch (const hdf5::Failure& failure) {
      throw InputError("cannot read the table of agents '{}': {}", file_.string(), failure.what());
    }
    nameColumns();
  }

  const std::vector<std::string>& columns() const override { return columns_; }
  bool next() override { return ++row_ < rows_; }
  void read(std::size_t column, ElementType type, std::vector<char>& into) const override;
  std::int64_t row() const override { return first_ + row_; }
  std::string nameOf(std::int64_t row) const override { return fmt::format("row {}", row); }
  [[noreturn]] void fail(std::string_view message) const override {
    const bool isInRow = row_ >= 0 && row_ < rows_;
    throw InputError("{}{}: {}", file_.string(), isInRow ? ": " + nameOf(row()) : "", message);
  }

 private:
  bool load(std::optional<std::int64_t> step);
  void nameColumns();

  fs::path file_;  ///< with the rows: the table, or a file of the folder beside it
  std::vector<TableArray> arrays_;
  std::vector<std::string> columns_;
  std::vector<std::pair<std::size_t, std::size_t>> parts_;  ///< array and component of each column
  std::int64_t first_ = 0;                                  ///< row of the file that is row 0 here
  std::int64_t rows_ = 0;
  std::int64_t row_ = -1;
};

/// Reads the rows of `step`, or of the last step, from file_; all rows if it has none of `step`.
/// @return false if the rows can be in an earlier file only
bool Hdf5Rows::load(std::optional<std::int64_t> step) {
  const hdf5::Id file = hdf5::openFile(file_);
  arrays_.clear();
  for (const std::string& name : hdf5::memberNames(file))
    arrays_.push_back(describe(file, name, fs::file_size(file_)));
  const auto column = std::find_if(arrays_.begin(), arrays_.end(),
                                   [](const TableArray& array) { return array.name == "step"; });
  if (column == arrays_.end() || column->type != ElementType::int64 || column->shape.size() != 1)
    throw hdf5::Failure("it has no column 'step' of integers");
  const hsize_t all = column->shape[0];
  readRows(file, *column, 0, all);
  std::vector<std::int64_t> steps(all);
  if (all > 0) std::memcpy(steps.data(), column->values.data(), column->values.size());
  if (!step && all > 0) step = steps.back();
  auto [begin, end] = std::equal_range(steps.begin(), steps.end(), step.value_or(0));
  const bool isDone = all > 0 && *step >= steps.front();
  if (begin == end) std::tie(begin, end) = std::pair(steps.begin(), steps.end());
  first_ = begin - steps.begin();
  rows_ = end - begin;
  for (TableArray& array : arrays_) {
    if (array.shape[0] != all)
      throw hdf5::Failure("'{}' has another length than 'step'", array.name);
    readRows(file, array, static_cast<hsize_t>(first_), static_cast<hsize_t>(rows_));
  }
  return isDone;
}

void Hdf5Rows::nameColumns() {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const std::size_t components = arrays_[i].components();
    for (std::size_t k = 0; k < components; ++k) {
      columns_.push_back(components == 1 ? arrays_[i].name
                                         : fmt::format("{}.{}", arrays_[i].name, k));
      parts_.emplace_back(i, k);
    }
  }
}

void Hdf5Rows::read(std::size_t column, ElementType type, std::vector<char>& into) const {
  const auto [number, component] = parts_[column];
  const TableArray& array = arrays_[number];
  const std::size_t size = sizeOf(array.type);
  const char* const from = array.values.data() +
                           (static_cast<std::size_t>(row_) * array.components() + component) * size;
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
  if (isHdf5(file)) return std::make_unique<Hdf5Rows>(file, step);
  return std::make_unique<CsvRows>(file);
}

}  // namespace mass::detail

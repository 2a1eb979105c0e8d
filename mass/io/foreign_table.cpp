#include <mass/io/foreign_table.hpp>

#include <mass/io/child_process.hpp>
#include <mass/io/foreign_dataset.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t mostComponents = 65536;

// Answers of the child process: numbers and texts one after another

template <class T>
void put(Bytes& into, const T* from, std::size_t count) {
  if (count == 0) return;
  const std::size_t at = into.size();
  into.resize(at + count * sizeof(T));
  std::memcpy(into.data() + at, from, count * sizeof(T));
}

void put(Bytes& into, std::uint64_t number) {
  put(into, &number, 1);
}

void put(Bytes& into, const std::string& text) {
  put(into, text.size());
  put(into, text.data(), text.size());
}

/// Reads the numbers and texts that put() has joined.
class Answer {
 public:
  explicit Answer(Bytes bytes) : bytes_(std::move(bytes)) {}

  bool isAtEnd() const { return at_ == bytes_.size(); }
  template <class T>
  std::vector<T> list(std::uint64_t count) {
    if (count > (bytes_.size() - at_) / sizeof(T)) throw ChildError("its answer is incomplete");
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return values;
  }
  std::uint64_t number() { return list<std::uint64_t>(1).front(); }
  /// Returns a number that is at most `most`.
  std::uint64_t numberUpTo(std::uint64_t most) {
    const std::uint64_t value = number();
    if (value > most) throw ChildError("its answer is malformed");
    return value;
  }
  std::string text() {
    const auto text = list<char>(number());
    return {text.begin(), text.end()};
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

/// Reads a file in a child process.
/// @throws InputError if that fails
Answer readFile(const fs::path& path,
                const std::function<Bytes(hid_t file, std::uint64_t bytes)>& read) {
  constexpr std::size_t overhead = std::size_t{256} << 20;
  constexpr std::size_t mostGrowth = 100;  // by compression
  constexpr std::size_t bytesPerSecond = 20'000'000;
  try {
    const std::uint64_t bytes = hdf5::requireFile(path);
    const std::size_t most = overhead + mostGrowth * bytes;
    const ChildLimits limits{most, 3 * most, static_cast<unsigned>(10 + bytes / bytesPerSecond)};
    const hdf5::Lock lock;
    return Answer(readInChild(limits, [&] {
      const hdf5::Quiet quiet;
      const hdf5::Id file = hdf5::openForeignFile(path);
      Bytes answer = hdf5::readForeign([&] { return read(file, bytes); });
      if (answer.size() > most)
        throw hdf5::Failure("its rows have {} bytes, the file only {}", answer.size(), bytes);
      return answer;
    }));
  } catch (const Error& error) {
    throw InputError("cannot read the table of agents '{}': {}", path.string(), error.what());
  }
}

// The child process

/// Returns the names of the files that an index refers to, as texts; nothing for another file.
Bytes sourcesOf(hid_t file) {
  Bytes names;
  if (H5Lexists(file, "step", H5P_DEFAULT) == 0) {
    throw hdf5::Failure(
        "it has no dataset 'step': a table of agents has one with the step of each row");
  }
  const hdf5::Id set = hdf5::openForeignMember(file, "step");
  if (H5Iget_type(set) != H5I_DATASET) throw hdf5::Failure("its 'step' is no dataset");
  const hdf5::Id creation(H5Dget_create_plist(set), H5Pclose, "H5Dget_create_plist");
  if (H5Pget_layout(creation) != H5D_VIRTUAL) return names;
  std::size_t count = 0;
  hdf5::checked(H5Pget_virtual_count(creation, &count), "H5Pget_virtual_count");
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, 4096> source{};
    hdf5::checked(H5Pget_virtual_filename(creation, i, source.data(), source.size() - 1),
                  "H5Pget_virtual_filename");
    put(names, fs::path(source.data()).filename().string());
  }
  return names;
}

/// Returns the type of the elements of an array.
/// @throws Failure if they are of none of ElementType
ElementType numericTypeOf(hid_t type) {
  using enum ElementType;
  const std::size_t bytes = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT && bytes <= 8) return bytes <= 4 ? float32 : float64;
  const bool isSigned = H5Tget_sign(type) == H5T_SGN_2;
  if (H5Tget_class(type) == H5T_INTEGER) {
    if (bytes == 1) return isSigned ? int8 : uint8;
    if (bytes == 2) return isSigned ? int16 : uint16;
    if (bytes == 4) return isSigned ? int32 : uint32;
    if (bytes == 8) return isSigned ? int64 : uint64;
  }
  throw hdf5::Failure("it holds numbers of {} bytes", bytes);
}

/// Open array of a table.
struct OpenArray {
  std::string name;
  hdf5::ForeignDataset set;
  ElementType type = ElementType::int64;

  std::size_t rows() const { return set.shape[0]; }
  std::size_t components() const { return set.shape.size() > 1 ? set.shape[1] : 1; }
  std::size_t rowBytes() const { return components() * sizeOf(type); }
};

/// Opens an array. @param bytes size of the file
/// @throws Failure if it is no column of a table
OpenArray openArray(hid_t file, const std::string& name, std::uint64_t bytes) {
  try {
    OpenArray array{name, hdf5::openForeignDataset(file, name, bytes)};
    array.type = numericTypeOf(array.set.type);
    const std::vector<hsize_t>& shape = array.set.shape;
    if (shape.size() > 2 || array.components() == 0 || array.components() > mostComponents)
      throw hdf5::Failure("its shape is {}, not one value or a list of values for each row",
                          fmt::join(shape, " x "));
    return array;
  } catch (const hdf5::CallFailure&) {
    throw;
  } catch (const hdf5::Failure& failure) {
    throw hdf5::Failure("'{}' is no column of agents: {}", name, failure.what());
  }
}

/// Reads rows [first, first + count) of an array.
std::vector<char> readRows(const OpenArray& array, ElementType type, hsize_t first, hsize_t count) {
  std::vector<hsize_t> shape = array.set.shape;
  shape.front() = count;
  std::vector<char> values(count * array.components() * sizeOf(type));
  if (values.empty()) return values;
  hdf5::checked(H5Dread(array.set.id, hdf5::dataType(type, sizeOf(type)), hdf5::dataSpace(shape),
                        hdf5::rowsOf(array.set.shape, first, count), H5P_DEFAULT, values.data()),
                "H5Dread");
  return values;
}

/// Reads the step of each row.
/// @throws Failure if there is no list of them, or a step is no integer
std::vector<std::int64_t> readSteps(const std::vector<OpenArray>& arrays) {
  const auto column = std::find_if(arrays.begin(), arrays.end(),
                                   [](const OpenArray& array) { return array.name == "step"; });
  if (column == arrays.end() || column->set.shape.size() != 1)
    throw hdf5::Failure("its 'step' is no list with one integer for each row");
  const bool isReal = H5Tget_class(column->set.type) == H5T_FLOAT;
  const auto values =
      readRows(*column, isReal ? ElementType::float64 : ElementType::int64, 0, column->rows());
  std::vector<std::int64_t> steps(column->rows());
  for (std::size_t row = 0; row < steps.size(); ++row) {
    if (!isReal) {
      std::memcpy(&steps[row], &values[row * sizeof steps[row]], sizeof steps[row]);
      continue;
    }
    double step = 0;
    std::memcpy(&step, &values[row * sizeof step], sizeof step);
    if (std::trunc(step) != step || std::abs(step) > 0x1p53)
      throw hdf5::Failure("row {}: 'step' = {} is not an integer", row, step);
    steps[row] = static_cast<std::int64_t>(step);
  }
  return steps;
}

/// Returns the numbers of the rows of a step; of all rows if none has it.
std::vector<std::int64_t> rowsOfStep(const std::vector<std::int64_t>& steps, std::int64_t step) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < steps.size(); ++row) {
    if (steps[row] == step) rows.push_back(static_cast<std::int64_t>(row));
  }
  if (!rows.empty()) return rows;
  rows.resize(steps.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

/// Appends the values of the rows to `into`.
void putRows(Bytes& into, const OpenArray& array, const std::vector<std::int64_t>& rows) {
  if (rows.empty()) return;
  const std::int64_t first = rows.front();
  const auto values = readRows(array, array.type, static_cast<hsize_t>(first),
                               static_cast<hsize_t>(rows.back() + 1 - first));
  for (const std::int64_t row : rows) {
    put(into, values.data() + static_cast<std::size_t>(row - first) * array.rowBytes(),
        array.rowBytes());
  }
}

/// Reads the rows of a step, or of the last one, from a file that has rows.
/// @return 1 if no file of earlier steps can have the rows, otherwise 0; then the rows
Bytes readTable(hid_t file, std::uint64_t bytes, std::optional<std::int64_t> step) {
  std::vector<OpenArray> arrays;
  for (const std::string& name : hdf5::memberNames(file))
    arrays.push_back(openArray(file, name, bytes));
  const std::vector<std::int64_t> steps = readSteps(arrays);
  for (const OpenArray& array : arrays) {
    if (array.rows() == steps.size()) continue;
    throw hdf5::Failure("'{}' has {} rows and 'step' has {}: all columns have one value for a row",
                        array.name, array.rows(), steps.size());
  }
  const auto [lowest, highest] = std::minmax_element(steps.begin(), steps.end());
  const bool hasRows = !steps.empty();
  const std::int64_t wanted = step ? *step : hasRows ? *highest : 0;
  const auto rows = rowsOfStep(steps, wanted);
  Bytes answer;
  put(answer, hasRows && wanted >= *lowest ? 1 : 0);
  put(answer, rows.size());
  put(answer, rows.data(), rows.size());
  for (const OpenArray& array : arrays) {
    put(answer, array.name);
    put(answer, static_cast<std::uint64_t>(array.type));
    put(answer, array.components());
    putRows(answer, array, rows);
  }
  return answer;
}

// This process

/// Returns the files of the rows of a table: those that an index refers to, in the folder of its
/// name, or the file itself if it has rows.
std::vector<fs::path> filesOf(const fs::path& table) {
  Answer names = readFile(table, [](hid_t file, std::uint64_t) { return sourcesOf(file); });
  if (names.isAtEnd()) return {table};
  std::vector<fs::path> files;
  while (!names.isAtEnd()) {
    const fs::path name = fs::path(table.stem()) / names.text();
    files.push_back(table.parent_path() / name);
    if (fs::is_regular_file(files.back())) continue;
    throw InputError(
        "cannot read the table of agents '{}': its rows are in '{}', which is missing; move the "
        "file and the folder '{}' together",
        table.string(), name.string(), table.stem().string());
  }
  return files;
}

}  // namespace

TableRows readTableRows(const fs::path& table, std::optional<std::int64_t> step) {
  const std::vector<fs::path> files = filesOf(table);
  for (auto path = files.rbegin();; ++path) {
    Answer answer = readFile(
        *path, [&](hid_t file, std::uint64_t bytes) { return readTable(file, bytes, step); });
    const bool isDone = answer.number() != 0;
    if (!isDone && path + 1 != files.rend()) continue;
    TableRows read{*path, answer.list<std::int64_t>(answer.number()), {}};
    while (!answer.isAtEnd()) {
      TableArray& array = read.arrays.emplace_back();
      array.name = answer.text();
      array.type = static_cast<ElementType>(answer.numberUpTo(elementTypes.size() - 1));
      array.components = answer.numberUpTo(mostComponents);
      array.values = answer.list<char>(read.rows.size() * array.components * sizeOf(array.type));
    }
    return read;
  }
}

}  // namespace mass::detail

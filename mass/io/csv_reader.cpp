#include <mass/io/csv_reader.hpp>

#include <mass/io/parse_value.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace mass {
namespace {

constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";  // written by some programs

std::string_view withoutBlanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns the contents of a cell without blanks and quotes around them. Quoted commas and quotes
/// are not supported, since cells are numbers and names.
std::string_view contentOf(std::string_view cell) {
  cell = withoutBlanks(cell);
  const bool isQuoted = cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
  return isQuoted ? cell.substr(1, cell.size() - 2) : cell;
}

std::vector<std::string_view> cellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos;
       comma = line.find(',')) {
    cells.push_back(contentOf(line.substr(0, comma)));
    line.remove_prefix(comma + 1);
  }
  cells.push_back(contentOf(line));
  return cells;
}

}  // namespace

CsvReader::CsvReader(std::filesystem::path file) : file_(std::move(file)) {
  if (std::filesystem::is_directory(file_)) {
    throw InputError("cannot read '{}': it is a folder; name a CSV file", file_.string());
  }
  stream_.open(file_);
  if (!stream_) {
    throw InputError("cannot read '{}': {}; name a CSV file", file_.string(),
                     std::generic_category().message(errno));
  }
  if (!nextLine()) {
    throw InputError("'{}' is empty: its first line must name the columns", file_.string());
  }
  for (const std::string_view cell : cells_) columns_.emplace_back(cell);
  std::unordered_set<std::string_view> names;
  for (const std::string& column : columns_) {
    if (!names.insert(column).second)
      fail(fmt::format("there are two columns '{}'", shown(column)));
  }
}

bool CsvReader::nextLine() {
  while (std::getline(stream_, text_)) {
    if (++line_ == 1 && text_.starts_with(byteOrderMark)) text_.erase(0, byteOrderMark.size());
    if (withoutBlanks(text_).empty()) continue;
    cells_ = cellsOf(text_);
    return true;
  }
  if (stream_.bad()) throw InputError("'{}' cannot be read to its end", file_.string());
  return false;
}

bool CsvReader::next() {
  if (!nextLine()) return false;
  if (cells_.size() != columns_.size()) {
    fail(fmt::format("cells: {}, columns: {}; each column needs a cell", cells_.size(),
                     columns_.size()));
  }
  return true;
}

void CsvReader::read(std::size_t column, detail::ElementType type, std::vector<char>& into) const {
  withElement(type, [&]<class T>(T value) {
    const std::string fault = parseValue(cells_[column], value);
    if (!fault.empty()) {
      fail(fmt::format("'{}' = '{}' {}", shown(columns_[column]), shown(cells_[column]), fault));
    }
    const auto* const bytes = reinterpret_cast<const char*>(&value);
    into.insert(into.end(), bytes, bytes + sizeof(T));
  });
}

std::string CsvReader::shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string line(text.substr(0, longest));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  if (text.size() <= longest) return line;
  // Cut between UTF-8 characters.
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + "...";
}

void CsvReader::fail(std::string_view message) const {
  throw InputError("{}:{}: {}", file_.string(), line_, message);
}

}  // namespace mass

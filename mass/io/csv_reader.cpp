#include <mass/io/csv_reader.hpp>

#include <mass/io/parse_value.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace mass {
namespace {

constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";  // written by some programs
constexpr std::string_view separators = ",;\t|";            // the first that line 1 has is used

std::string_view withoutBlanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns `text` without quotes around it.
std::string_view withoutQuotes(std::string_view text) {
  const bool isQuoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return isQuoted ? text.substr(1, text.size() - 2) : text;
}

/// Calls found(position) for each `separator` outside quotes.
template <class F>
void forEachSeparator(std::string_view line, char separator, const F& found) {
  bool isQuoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') isQuoted = !isQuoted;
    if (line[i] == separator && !isQuoted) found(i);
  }
}

/// Returns the cells of a line without blanks and quotes around them. Quotes within a cell are not
/// supported, since cells are numbers and names.
std::vector<std::string_view> cellsOf(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    cells.push_back(withoutQuotes(withoutBlanks(line.substr(begin, end - begin))));
    begin = end + 1;
  };
  forEachSeparator(line, separator, add);
  add(line.size());
  return cells;
}

/// Returns the separator of the names of columns; a comma if there is one name.
char separatorOf(std::string_view header) {
  const auto found = std::find_if(separators.begin(), separators.end(), [&](char separator) {
    bool isThere = false;
    forEachSeparator(header, separator, [&](std::size_t) { isThere = true; });
    return isThere;
  });
  return found == separators.end() ? separators.front() : *found;
}

/// Returns the character after "sep=" if that is the whole line, as Excel reads it; otherwise 0.
char declaredSeparator(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = withoutQuotes(line);
  constexpr std::string_view key = "sep=";
  const bool isDeclaration = line.size() == key.size() + 1 &&
                             std::equal(key.begin(), key.end(), line.begin(), [](char a, char b) {
                               return a == std::tolower(static_cast<unsigned char>(b));
                             });
  return isDeclaration ? line.back() : '\0';
}

bool isComment(std::string_view line) {
  line = withoutBlanks(line);
  return line.starts_with('#') || line.starts_with("\"#");
}

/// True if a column has no name, or the one that pandas gives to a column without a name.
bool isNameless(std::string_view column) {
  return column.empty() || column.starts_with("Unnamed: ");
}

bool isNumber(std::string_view text) {
  double value = 0;
  return parseValue(text, value).empty();
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
  readHeader();
}

/// Sets columns_ to the names in the current line.
void CsvReader::readHeader() {
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    fail("the text is UTF-16; save it as UTF-8");
  if (text_.find('\r') < text_.size() - 1)
    fail("the lines end with a carriage return only; save the file with line feeds");
  while (!cells_.empty() && isNameless(cells_.back())) cells_.pop_back();
  const auto named = std::find_if_not(cells_.begin(), cells_.end(), isNameless);
  unnamed_ = static_cast<std::size_t>(named - cells_.begin());
  for (const std::string_view cell : std::vector(named, cells_.end())) {
    if (isNameless(cell)) {
      fail(fmt::format("column {} has no name: name it or leave it out",
                       unnamed_ + columns_.size() + 1));
    }
    columns_.emplace_back(cell);
  }
  if (std::all_of(columns_.begin(), columns_.end(), isNumber)) {
    fail(
        "the first line has numbers; it must name the columns, in a line that does not begin "
        "with '#'");
  }
  std::unordered_set<std::string_view> names;
  for (const std::string& column : columns_) {
    if (!names.insert(column).second)
      fail(fmt::format("there are two columns '{}'", shown(column)));
  }
}

/// Reads the next line that is neither empty, nor a comment, nor the declaration of the separator.
bool CsvReader::nextLine() {
  while (std::getline(stream_, text_)) {
    if (++line_ == 1 && text_.starts_with(byteOrderMark)) text_.erase(0, byteOrderMark.size());
    if (isComment(text_)) continue;
    if (separator_ == '\0') {
      separator_ = declaredSeparator(text_);
      if (separator_ != '\0') {
        requireSeparator();
        continue;
      }
      if (!withoutBlanks(text_).empty()) separator_ = separatorOf(text_);
    }
    cells_ = cellsOf(text_, separator_);
    const auto isEmpty = [](std::string_view cell) { return cell.empty(); };
    if (!std::all_of(cells_.begin(), cells_.end(), isEmpty)) return true;
  }
  if (stream_.bad()) throw InputError("'{}' cannot be read to its end", file_.string());
  return false;
}

/// @throws InputError if the declared separator is none
void CsvReader::requireSeparator() const {
  if (separators.find(separator_) != std::string_view::npos) return;
  fail(fmt::format("'{}' cannot separate columns: declare a comma, semicolon, tab or |",
                   shown({&separator_, 1})));
}

bool CsvReader::next() {
  if (!nextLine()) return false;
  cells_.erase(cells_.begin(),
               cells_.begin() + static_cast<std::ptrdiff_t>(std::min(unnamed_, cells_.size())));
  while (cells_.size() > columns_.size() && cells_.back().empty()) cells_.pop_back();
  requireCells();
  useDecimalPoints();
  return true;
}

/// @throws InputError if the current line does not have one cell per column
void CsvReader::requireCells() const {
  if (cells_.size() == columns_.size()) return;
  std::string remedy = "each column needs a cell";
  if (cells_.size() > columns_.size()) {
    remedy = fmt::format("cell {} has no name in the first line", unnamed_ + columns_.size() + 1);
    if (separator_ == ',') remedy += "; numbers have decimal points";
  } else if (text_.find_first_of(separators) != std::string::npos && cells_.size() <= 1) {
    remedy += fmt::format("; the columns of the first line are separated by '{}'",
                          separator_ == '\t' ? "tab" : std::string(1, separator_));
  }
  fail(fmt::format("cells: {}, columns: {}; {}", cells_.size() + unnamed_,
                   columns_.size() + unnamed_, remedy));
}

/// Replaces decimal commas, which files with semicolons may have, by points.
/// @throws InputError if the file has both, since one of them may separate thousands
void CsvReader::useDecimalPoints() {
  if (separator_ != ';') return;
  for (const char sign : {',', '.'}) {
    if (text_.find(sign) == std::string::npos) continue;
    if (decimalSign_ == '\0') decimalSign_ = sign;
    if (decimalSign_ != sign) {
      fail(
          "the file has both commas and points in numbers; write one of them, for decimals "
          "only");
    }
  }
  std::replace(text_.begin(), text_.end(), ',', '.');  // cells_ refer to text_
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

#include <mass/io/csv_reader.hpp>

#include <mass/io/csv_line.hpp>
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

/// Returns the name of a separator for messages.
std::string nameOf(char separator) {
  if (separator == '\t') return "tab";
  if (separator == ' ') return "blank";
  return CsvReader::shown({&separator, 1});
}

/// True if a column has no name, or the one that pandas gives to a column without a name.
bool isNameless(std::string_view column) {
  return column.empty() || column.starts_with("Unnamed: ");
}

bool isNumber(std::string_view text) {
  double value = 0;
  return parseValue(detail::withDecimalPoint(text), value).empty();
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
  isIndented_ = separator_ == ' ' && text_.starts_with(' ');
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
    if (detail::isComment(text_, separator_)) continue;
    if (separator_ == '\0' && readDeclaration()) continue;
    if (separator_ == '\0' && !detail::withoutBlanks(text_).empty())
      useSeparator(detail::separatorOf(text_));
    cells_ = detail::cellsOf(text_, separator_);
    const auto isEmpty = [](std::string_view cell) { return cell.empty(); };
    if (!std::all_of(cells_.begin(), cells_.end(), isEmpty)) return true;
  }
  if (stream_.bad()) throw InputError("'{}' cannot be read to its end", file_.string());
  return false;
}

/// Uses the separator that the current line declares. Returns false if it declares none.
/// @throws InputError if it is none that separates columns
bool CsvReader::readDeclaration() {
  const auto declared = detail::separatorDeclaration(text_);
  if (!declared) return false;
  const bool isSeparator = declared->size() == 1 &&
                           detail::csvSeparators.find(declared->front()) != std::string_view::npos;
  if (!isSeparator) {
    fail(
        fmt::format("'{}' declares no separator of columns: write 'sep=' and one comma, "
                    "semicolon, tab, blank or |, or remove the line",
                    shown(detail::withoutBlanks(text_))));
  }
  useSeparator(declared->front());
  return true;
}

void CsvReader::useSeparator(char separator) {
  separator_ = separator;
  decimalMark_ = detail::DecimalMark(separator);
}

bool CsvReader::next() {
  if (!nextLine()) {
    requireDecimalMark();
    return false;
  }
  skipCells(unnamed_);
  while (cells_.size() > columns_.size() && cells_.back().empty()) cells_.pop_back();
  if (isFirstRow_) skipRowNames();
  isFirstRow_ = false;
  requireCells();
  useDecimalMark();
  return true;
}

/// Removes the first cells of the current line, or all if there are fewer.
void CsvReader::skipCells(std::size_t count) {
  const auto end = static_cast<std::ptrdiff_t>(std::min(count, cells_.size()));
  cells_.erase(cells_.begin(), cells_.begin() + end);
}

/// Skips the first cell of the current line, the first below the names, and of all lines after it
/// if it is the name of a row: R and aligned tables of pandas do not name the column of these.
void CsvReader::skipRowNames() {
  if (unnamed_ > 0 || cells_.size() != columns_.size() + 1) return;
  if (!isIndented_ && !detail::isRowName(text_, cells_.front())) return;
  unnamed_ = 1;
  skipCells(1);
}

/// @throws InputError if the current line does not have one cell per column
void CsvReader::requireCells() const {
  if (cells_.size() == columns_.size()) return;
  std::string remedy = "each column needs a cell";
  if (cells_.size() > columns_.size()) {
    remedy = fmt::format("cell {} has no name in the first line", unnamed_ + columns_.size() + 1);
    if (separator_ == ',') remedy += "; numbers have decimal points";
    if (cells_.size() == columns_.size() + 1 && unnamed_ == 0)
      remedy += "; if cell 1 is the name of the row, leave it out (R: row.names = FALSE)";
  } else if (separator_ == ' ' && cells_.size() + unnamed_ == 1) {
    remedy += "; the names are separated by blanks: write a name that has blanks in quotes";
  } else if (text_.find_first_of(detail::csvSeparators) != std::string::npos &&
             cells_.size() <= 1) {
    remedy +=
        fmt::format("; the columns of the first line are separated by '{}'", nameOf(separator_));
  }
  fail(fmt::format("cells: {}, columns: {}; {}", cells_.size() + unnamed_,
                   columns_.size() + unnamed_, remedy));
}

/// Takes the numbers of the current line into account.
/// @throws InputError if the file has decimal commas and points, since one of them may separate
///   thousands
void CsvReader::useDecimalMark() {
  if (separator_ == ',') return;
  for (std::size_t column = 0; column < cells_.size(); ++column) {
    if (decimalMark_.add(line_, column, cells_[column])) continue;
    fail(fmt::format(
        "'{}' = '{}': the file has both commas and points in numbers; write one of them, for "
        "decimals only",
        shown(columns_[column]), shown(cells_[column])));
  }
}

/// @throws InputError if a number was read whose mark may separate thousands
void CsvReader::requireDecimalMark() const {
  const auto& undecided = decimalMark_.undecided();
  if (!undecided) return;
  const bool isComma = undecided->cell.find(',') != std::string::npos;
  failIn(
      undecided->line,
      fmt::format("'{}' = '{}' has a decimal {} or a separator of thousands, and no other number "
                  "of the file shows which: write decimals with a {}, and thousands without a "
                  "separator",
                  shown(columns_[undecided->column]), shown(undecided->cell),
                  isComma ? "comma" : "point", isComma ? "point" : "comma"));
}

void CsvReader::read(std::size_t column, detail::ElementType type, std::vector<char>& into) const {
  const std::string_view cell = cells_[column];
  const bool hasComma = separator_ != ',' && cell.find(',') != std::string_view::npos;
  const std::string number = hasComma ? detail::withDecimalPoint(cell) : std::string();
  withElement(type, [&]<class T>(T value) {
    const std::string fault = parseValue(hasComma ? number : cell, value);
    if (!fault.empty()) {
      fail(fmt::format("'{}' = '{}' {}", shown(columns_[column]), shown(cell),
                       detail::cellFault(cell, separator_, fault)));
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
  failIn(line_, message);
}

void CsvReader::failIn(std::int64_t line, std::string_view message) const {
  throw InputError("{}:{}: {}", file_.string(), line, message);
}

}  // namespace mass

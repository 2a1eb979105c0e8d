#include <mass/io/csv_line.hpp>

#include <mass/io/csv_cell.hpp>
#include <mass/io/parse_value.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace mass::detail {
namespace {

constexpr std::string_view blanks = " \t\r";

bool isQuoted(std::string_view text) {
  return text.size() > 1 && text.front() == '"' && text.back() == '"';
}

/// Returns `text` without quotes around it.
std::string_view withoutQuotes(std::string_view text) {
  return isQuoted(text) ? text.substr(1, text.size() - 2) : text;
}

bool separates(char c, char separator) {
  return c == separator || (separator == ' ' && c == '\t');
}

/// Calls found(position) for each `separator` outside quotes.
template <class F>
void forEachSeparator(std::string_view line, char separator, const F& found) {
  bool isInQuotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') isInQuotes = !isInQuotes;
    if (separates(line[i], separator) && !isInQuotes) found(i);
  }
}

bool isValue(std::string_view cell) {
  double number = 0;
  bool truth = false;
  return isMissing(cell) || isSpreadsheetError(cell) || parseValue(cell, number).empty() ||
         parseValue(cell, truth).empty();
}

}  // namespace

std::string_view withoutBlanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> cellsOf(std::string_view line, char separator) {
  const bool isBlank = separator == ' ';
  if (isBlank) line = withoutBlanks(line);
  std::vector<std::string_view> cells;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view cell = withoutBlanks(line.substr(begin, end - begin));
    if (!isBlank || !cell.empty()) cells.push_back(withoutBlanks(withoutQuotes(cell)));
    begin = end + 1;
  };
  forEachSeparator(line, separator, add);
  add(line.size());
  return cells;
}

char separatorOf(std::string_view header) {
  const auto* const found =
      std::find_if(csvSeparators.begin(), csvSeparators.end(), [&](char separator) {
        const auto names = separator == ' ' ? withoutBlanks(header) : header;
        bool isThere = false;
        forEachSeparator(names, separator, [&](std::size_t) { isThere = true; });
        return isThere;
      });
  return found == csvSeparators.end() ? csvSeparators.front() : *found;
}

std::optional<std::string_view> separatorDeclaration(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = withoutQuotes(line);
  constexpr std::string_view key = "sep=";
  const bool isDeclaration = line.size() >= key.size() &&
                             std::equal(key.begin(), key.end(), line.begin(), [](char a, char b) {
                               return a == std::tolower(static_cast<unsigned char>(b));
                             });
  if (!isDeclaration) return std::nullopt;
  return line.substr(key.size());
}

bool isComment(std::string_view line, char separator) {
  line = withoutBlanks(line);
  if (!line.starts_with('#') && !line.starts_with("\"#")) return false;
  return separator == '\0' || !isSpreadsheetError(cellsOf(line, separator).front());
}

bool isRowName(std::string_view line, std::string_view firstCell) {
  line = withoutBlanks(line);
  const bool isOnlyQuoted = line.starts_with('"') && !line.ends_with('"');
  return isOnlyQuoted || !isValue(firstCell);
}

}  // namespace mass::detail

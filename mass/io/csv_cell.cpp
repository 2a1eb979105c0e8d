#include <mass/io/csv_cell.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace mass::detail {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes and returns the digits at the start of `text`.
std::string_view takeDigits(std::string_view& text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), isDigit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::string_view withoutSign(std::string_view text) {
  const bool isSigned = text.starts_with('-') || text.starts_with('+');
  return text.substr(isSigned ? 1 : 0);
}

/// Mark of a number that has one comma or point.
struct Mark {
  char sign;
  bool maySeparateThousands;  ///< true for 1.000; false for 0.125, 1.5 and 1.000e3
};

/// Returns the mark of a decimal number with an optional exponent; nullopt if `cell` is none or has
/// no mark.
std::optional<Mark> markOf(std::string_view cell) {
  std::string_view text = withoutSign(cell);
  const std::string_view whole = takeDigits(text);
  if (!text.starts_with(',') && !text.starts_with('.')) return std::nullopt;
  const char sign = text.front();
  text.remove_prefix(1);
  const std::string_view fraction = takeDigits(text);
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const bool hasExponent = text.starts_with('e') || text.starts_with('E');
  if (hasExponent) {
    text = withoutSign(text.substr(1));
    if (takeDigits(text).empty()) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  const bool isGroup = !whole.empty() && whole.size() <= 3 && whole.front() != '0';
  return Mark{sign, isGroup && fraction.size() == 3 && !hasExponent};
}

/// Removes and returns a separator of thousands at the start of `text`.
std::string_view takeThousandsSeparator(std::string_view& text) {
  constexpr std::array<std::string_view, 9> separators = {
      ",", ".", " ", "'", "_", "\u2019", "\u00A0", "\u2009", "\u202F"};
  for (const std::string_view separator : separators) {
    if (!text.starts_with(separator)) continue;
    text.remove_prefix(separator.size());
    return separator;
  }
  return {};
}

/// True for a number whose thousands are separated: 1,000,000 or 1.000,5 or 1'000.
bool hasSeparatedThousands(std::string_view text) {
  text = withoutSign(text);
  const std::string_view first = takeDigits(text);
  if (first.empty() || first.size() > 3) return false;
  std::string_view earlier;
  while (!text.empty()) {
    const std::string_view separator = takeThousandsSeparator(text);
    const std::string_view digits = takeDigits(text);
    const bool isGroup = digits.size() == 3 && (earlier.empty() || separator == earlier);
    const bool isFraction = !earlier.empty() && separator != earlier && text.empty();
    if (separator.empty() || (!isGroup && !isFraction)) return false;
    if (isFraction) return separator == "," || separator == ".";
    earlier = separator;
  }
  return !earlier.empty();
}

}  // namespace

bool isSpreadsheetError(std::string_view cell) {
  constexpr std::array<std::string_view, 4> notAvailable = {"#N/A", "#NA", "#NV", "#N/D"};
  if (std::find(notAvailable.begin(), notAvailable.end(), cell) != notAvailable.end()) return true;
  if (cell.size() < 4 || cell.front() != '#' || (cell.back() != '!' && cell.back() != '?'))
    return false;
  return std::all_of(cell.begin() + 1, cell.end() - 1, [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '/';
  });
}

bool isMissing(std::string_view cell) {
  constexpr std::array<std::string_view, 17> words = {
      "",    "na", "n/a", "<na>", "nan", "-nan", "null",    "nil",    "none",
      "\\n", "-",  "--",  ".",    "?",   "nat",  "1.#qnan", "-1.#ind"};
  std::string lower(cell);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(words.begin(), words.end(), lower) != words.end();
}

std::string cellFault(std::string_view cell, char separator, std::string otherwise) {
  if (isMissing(cell)) return "is a missing value: write a value, or leave out the row";
  if (isSpreadsheetError(cell))
    return "is an error of a spreadsheet: correct its formula, or leave out the row";
  const auto mark = markOf(cell);
  if (separator == ',' && mark && mark->sign == ',')
    return "has a comma: write decimals with a point, and thousands without a separator";
  if (hasSeparatedThousands(cell))
    return "has a separator of thousands: write the number without it";
  return otherwise;
}

std::string withDecimalPoint(std::string_view cell) {
  std::string text(cell);
  const auto mark = markOf(cell);
  if (mark && mark->sign == ',') text[text.find(',')] = '.';
  return text;
}

bool DecimalMark::add(std::int64_t line, std::size_t column, std::string_view cell) {
  const auto mark = markOf(cell);
  if (!mark) return true;
  if (mark_ != '\0') return mark->sign == mark_;
  if (mark->sign == questionable_ && mark->maySeparateThousands) {
    if (!undecided_) undecided_ = {line, column, std::string(cell)};
    return true;
  }
  if (undecided_ && mark->sign != questionable_) return false;
  mark_ = mark->sign;
  undecided_.reset();
  return true;
}

}  // namespace mass::detail

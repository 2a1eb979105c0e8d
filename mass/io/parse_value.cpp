#include <mass/io/parse_value.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>

namespace mass {
namespace detail {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes and returns the decimal digits at the start of `text`.
std::string_view takeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Returns `text` without a plus sign before a number.
std::string_view withoutPlus(std::string_view text) {
  const bool isSigned = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return text.substr(isSigned ? 1 : 0);
}

/// Decimal number: digits x 10^exponent.
struct Decimal {
  bool isNegative = false;
  std::string digits{};  ///< without zeros at both ends; empty for 0
  std::int64_t exponent = 0;

  /// Returns the exponent of ten of the leading digit, plus 1.
  std::int64_t magnitude() const { return static_cast<std::int64_t>(digits.size()) + exponent; }
};

/// Removes and returns the exponent at the start of `text`, at most 10^15 in magnitude; 0 if there
/// is none.
std::int64_t takeExponent(std::string_view& text) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  std::string_view rest = text.substr(1);
  const bool isNegative = rest.starts_with('-');
  if (isNegative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string_view digits = takeDigits(rest);
  if (digits.empty()) return 0;
  text = rest;
  std::int64_t exponent = most;
  const auto status = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (status.ec != std::errc{}) exponent = most;
  return isNegative ? -std::min(exponent, most) : std::min(exponent, most);
}

/// Parses a decimal number with an optional point and exponent; nullopt if `text` is none.
std::optional<Decimal> decimalOf(std::string_view text) {
  Decimal decimal;
  decimal.isNegative = text.starts_with('-');
  if (decimal.isNegative) text.remove_prefix(1);
  const std::string_view whole = takeDigits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = takeDigits(text);
  }
  decimal.digits = std::string(whole).append(fraction);
  if (decimal.digits.empty()) return std::nullopt;
  decimal.exponent = takeExponent(text) - static_cast<std::int64_t>(fraction.size());
  if (!text.empty()) return std::nullopt;
  const std::size_t last = decimal.digits.find_last_not_of('0');
  const std::size_t zeros = decimal.digits.size() - (last + 1);  // npos + 1 is 0: all are zeros
  decimal.digits.resize(decimal.digits.size() - zeros);
  decimal.exponent += static_cast<std::int64_t>(zeros);
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  return decimal;
}

/// Parses a number that std::from_chars does not read as an integer: 1.0, 2e3, -0.
template <std::integral T>
ParseStatus parseDecimal(std::string_view text, T& value) {
  const std::optional<Decimal> decimal = decimalOf(text);
  if (!decimal) return ParseStatus::malformed;
  if (decimal->digits.empty()) {
    value = 0;
    return ParseStatus::valid;
  }
  if (decimal->exponent < 0) return ParseStatus::malformed;
  if (decimal->magnitude() > std::numeric_limits<T>::digits10 + 1) return ParseStatus::outOfRange;
  const std::string digits = (decimal->isNegative ? "-" : "") + decimal->digits +
                             std::string(static_cast<std::size_t>(decimal->exponent), '0');
  const auto status = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return status.ec == std::errc{} ? ParseStatus::valid : ParseStatus::outOfRange;
}

template <class T>
ParseStatus parseNumber(std::string_view text, T& value) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) {
    value = number;
    return ParseStatus::valid;
  }
  if constexpr (std::integral<T>) {
    return parseDecimal(text, value);
  } else {
    // Both numbers beyond the largest and numbers that round to 0 are out of the range of
    // from_chars.
    const auto decimal = decimalOf(text);
    if (!decimal) return ParseStatus::malformed;
    if (decimal->magnitude() > 0) return ParseStatus::outOfRange;
    value = decimal->isNegative ? -T{0} : T{0};
    return ParseStatus::valid;
  }
}

ParseStatus parseTruth(std::string_view text, bool& value) {
  constexpr std::size_t longest = 5;
  constexpr std::array<std::string_view, 5> yes = {"true", "yes", "on", "t", "y"};
  constexpr std::array<std::string_view, 5> no = {"false", "no", "off", "f", "n"};
  std::string word(text.substr(0, longest + 1));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool isTrue = std::find(yes.begin(), yes.end(), word) != yes.end();
  if (isTrue || std::find(no.begin(), no.end(), word) != no.end()) {
    value = isTrue;
    return ParseStatus::valid;
  }
  std::int64_t number = 0;
  const bool isNumber = parseNumber(withoutPlus(text), number) == ParseStatus::valid;
  if (!isNumber || number < 0 || number > 1) return ParseStatus::malformed;
  value = number == 1;
  return ParseStatus::valid;
}

/// Returns the end of a message about a text that is malformed.
template <class T>
std::string typeError() {
  if constexpr (std::same_as<T, bool>) {
    return "is not true or false (yes or no, on or off, 1 or 0)";
  } else if constexpr (std::integral<T>) {
    using Limits = std::numeric_limits<T>;
    return fmt::format("is not an integer from {} to {}", +Limits::min(), +Limits::max());
  } else {
    return "is not a number";
  }
}

}  // namespace

template <class T>
ParseStatus parse(std::string_view text, T& value) {
  if constexpr (std::same_as<T, bool>) {
    return parseTruth(text, value);
  } else {
    return parseNumber(withoutPlus(text), value);
  }
}

template <class T>
std::string rangeError() {
  if constexpr (std::same_as<T, float>) return "is too large for a float (at most 3.4e38)";
  if constexpr (std::same_as<T, double>) return "is too large for a double (at most 1.8e308)";
  return fmt::format("does not fit into {} bits", 8 * sizeof(T));
}

}  // namespace detail

template <class T>
std::string parseValue(std::string_view text, T& value) {
  const auto status = detail::parse(text, value);
  if (status == detail::ParseStatus::valid) return {};
  const bool isTooLarge = status == detail::ParseStatus::outOfRange && std::floating_point<T>;
  return isTooLarge ? detail::rangeError<T>() : detail::typeError<T>();
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define MASS_PARSE(T)                                                  \
  template detail::ParseStatus detail::parse<T>(std::string_view, T&); \
  template std::string detail::rangeError<T>();                        \
  template std::string parseValue<T>(std::string_view, T&);
// NOLINTEND(bugprone-macro-parentheses)

MASS_PARSE(bool)
MASS_PARSE(std::int8_t)
MASS_PARSE(std::uint8_t)
MASS_PARSE(std::int16_t)
MASS_PARSE(std::uint16_t)
MASS_PARSE(std::int32_t)
MASS_PARSE(std::uint32_t)
MASS_PARSE(std::int64_t)
MASS_PARSE(std::uint64_t)
MASS_PARSE(float)
MASS_PARSE(double)
#undef MASS_PARSE

}  // namespace mass

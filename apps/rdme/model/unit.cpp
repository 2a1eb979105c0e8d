#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/typography.hpp>
#include <apps/rdme/model/unit.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>

namespace rdme {
namespace {

struct Prefix {
  char letter;
  double factor;
};

constexpr std::array<Prefix, 11> prefixes{{{'G', 1e9},
                                           {'M', 1e6},
                                           {'k', 1e3},
                                           {'d', 1e-1},
                                           {'c', 1e-2},
                                           {'m', 1e-3},
                                           {'u', 1e-6},
                                           {'n', 1e-9},
                                           {'p', 1e-12},
                                           {'f', 1e-15},
                                           {'a', 1e-18}}};

struct Unit {
  std::string_view name;
  double factor;
  Dimension dimension;
  std::string_view prefixes = {};  ///< letters of the prefixes in use with it
};

constexpr Dimension length{1, 0, 0}, duration{0, 1, 0}, frequency{0, -1, 0}, volume{3, 0, 0},
    concentration{-3, 0, 1}, amount{0, 0, 1};
constexpr double minute = 60, hour = 3600, day = 86400, week = 7 * day;
constexpr double year = 365.25 * day;  // Julian year
// "Ms" is no megasecond: papers write /Ms for /(M s).
constexpr Unit units[] = {{"m", 1, length, "kdcmunpf"},
                          {"meter", 1, length},
                          {"metre", 1, length},
                          {"micrometer", 1e-6, length},
                          {"micrometre", 1e-6, length},
                          {"nanometer", 1e-9, length},
                          {"nanometre", 1e-9, length},
                          {"micron", 1e-6, length},
                          {"microns", 1e-6, length},
                          {"A", 1e-10, length},
                          {"Angstrom", 1e-10, length},
                          {"angstrom", 1e-10, length},
                          {"s", 1, duration, "munpf"},
                          {"sec", 1, duration, "munpf"},
                          {"secs", 1, duration, "munpf"},
                          {"second", 1, duration},
                          {"seconds", 1, duration},
                          {"millisecond", 1e-3, duration},
                          {"milliseconds", 1e-3, duration},
                          {"microsecond", 1e-6, duration},
                          {"microseconds", 1e-6, duration},
                          {"nanosecond", 1e-9, duration},
                          {"nanoseconds", 1e-9, duration},
                          {"picosecond", 1e-12, duration},
                          {"picoseconds", 1e-12, duration},
                          {"femtosecond", 1e-15, duration},
                          {"femtoseconds", 1e-15, duration},
                          {"min", minute, duration},
                          {"mins", minute, duration},
                          {"minute", minute, duration},
                          {"minutes", minute, duration},
                          {"h", hour, duration},
                          {"hr", hour, duration},
                          {"hrs", hour, duration},
                          {"hour", hour, duration},
                          {"hours", hour, duration},
                          {"d", day, duration},
                          {"day", day, duration},
                          {"days", day, duration},
                          {"wk", week, duration},
                          {"wks", week, duration},
                          {"week", week, duration},
                          {"weeks", week, duration},
                          {"a", year, duration},
                          {"y", year, duration},
                          {"yr", year, duration},
                          {"yrs", year, duration},
                          {"year", year, duration},
                          {"years", year, duration},
                          {"Hz", 1, frequency, "mkMG"},
                          {"L", 1e-3, volume, "dcmunpfa"},
                          {"l", 1e-3, volume, "dcmunpfa"},
                          {"liter", 1e-3, volume},
                          {"liters", 1e-3, volume},
                          {"litre", 1e-3, volume},
                          {"litres", 1e-3, volume},
                          {"M", molar, concentration, "munpfa"},
                          {"mol", avogadro, amount, "kmunpfa"},
                          {"mole", avogadro, amount},
                          {"moles", avogadro, amount},
                          {"particle", 1, amount},
                          {"particles", 1, amount},
                          {"molecule", 1, amount},
                          {"molecules", 1, amount}};

/// Multiplies `product` by a power of a quantity.
void multiply(Quantity& product, const Quantity& by, int power) {
  product.value *= std::pow(by.value, power);
  product.dimension.length += power * by.dimension.length;
  product.dimension.time += power * by.dimension.time;
  product.dimension.amount += power * by.dimension.amount;
}

bool isDigit(std::string_view text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

bool take(std::string_view& rest, std::string_view text) {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

/// Parser of a unit in ASCII.
class UnitReader {
 public:
  /// @param whole the text as the user wrote it, for messages
  UnitReader(std::string_view text, std::string_view whole) : whole_(whole), rest_(text) {}

  Quantity read() {
    const Quantity unit = product();
    if (!rest_.empty()) throw mass::InputError("'{}' has a ')' without a '('", whole_);
    return unit;
  }

 private:
  Quantity product() {
    Quantity unit{1, {}};
    for (skipBlanks(); !rest_.empty() && rest_.front() != ')'; skipBlanks()) {
      const int sign = separator();
      const Quantity by = factor();
      multiply(unit, by, sign * exponent());
    }
    return unit;
  }

  /// Skips the text between two factors. Returns -1 for a division, otherwise 1.
  int separator() {
    const bool divides = take(rest_, "/") || take(rest_, "per ");
    if (!divides && !take(rest_, "*")) take(rest_, ".");
    skipBlanks();
    return divides ? -1 : 1;
  }

  Quantity factor() {
    if (take(rest_, "(")) {
      const Quantity inner = product();
      if (!take(rest_, ")")) throw mass::InputError("'{}' has a '(' without a ')'", whole_);
      return inner;
    }
    if (rest_.starts_with('1') && !isDigit(rest_, 1)) {
      rest_.remove_prefix(1);
      return {1, {}};
    }
    const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) == 0;
    });
    const auto name = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(name.size());
    return unitNamed(name);
  }

  Quantity unitNamed(std::string_view name) const {
    for (const Unit& unit : units)
      if (unit.name == name) return {unit.factor, unit.dimension};
    for (const Unit& unit : units) {
      if (name.size() != unit.name.size() + 1 || !name.ends_with(unit.name)) continue;
      if (unit.prefixes.find(name.front()) == std::string_view::npos) continue;
      for (const Prefix& prefix : prefixes)
        if (prefix.letter == name.front()) return {prefix.factor * unit.factor, unit.dimension};
    }
    throw mass::InputError("unknown unit '{}'", name.empty() ? whole_ : name);
  }

  /// Parses a power: ^-1, 2, -1. Text of PDF files has a blank before it: M -1, um 2. Returns 1 if
  /// there is none.
  int exponent() {
    int power = 1;
    const auto start = std::min(rest_.find_first_not_of(' '), rest_.size());
    if (auto ahead = rest_.substr(start); takePower(ahead, 1, power)) {
      rest_ = ahead;
      return power;
    }
    const bool isNegative = rest_.substr(start).starts_with('-');
    const std::size_t digit = start + (isNegative ? 1 : 0);
    if (!isDigit(rest_, digit)) {
      if (isNegative) throw mass::InputError("'{}' has a '-' without a power", whole_);
      return 1;
    }
    // "M 1" is followed by the factor 1.
    if (!isNegative && start > 0 && rest_[digit] == '1') return 1;
    power = rest_[digit] - '0';
    rest_.remove_prefix(digit + 1);
    return isNegative ? -power : power;
  }

  void skipBlanks() {
    while (take(rest_, " ")) continue;
  }

  std::string_view whole_;
  std::string_view rest_;
};

/// Digit or sign of a superscript, in ASCII; empty if `text` begins with none.
Substitution superscriptAt(std::string_view text) {
  static constexpr Substitution raised[] = {{"⁰", "0"}, {"¹", "1"}, {"²", "2"}, {"³", "3"},
                                            {"⁴", "4"}, {"⁵", "5"}, {"⁶", "6"}, {"⁷", "7"},
                                            {"⁸", "8"}, {"⁹", "9"}, {"⁻", "-"}, {"⁺", "+"}};
  for (const Substitution& each : raised)
    if (text.starts_with(each.from)) return each;
  return {};
}

/// Returns `text` with "^-1" for "⁻¹".
std::string withoutSuperscripts(std::string_view text) {
  std::string result;
  for (bool isRaised = false; !text.empty();) {
    const Substitution raised = superscriptAt(text);
    if (!raised.from.empty() && !isRaised && !result.ends_with('^')) result += '^';
    isRaised = !raised.from.empty();
    result += isRaised ? raised.to : text.substr(0, 1);
    text.remove_prefix(isRaised ? raised.from.size() : 1);
  }
  return result;
}

}  // namespace

std::string asciiUnits(std::string_view text) {
  static constexpr Substitution signs[] = {
      {"\u03BC", "u"},   // Greek mu, and the micro sign by plainText()
      {"\u00C5", "A"},   // A with ring
      {"\u212B", "A"},   // Angstrom sign
      {"A\u030A", "A"},  // A and a combining ring
      {"\u00B7", "*"},   // middle dot
      {"\u2022", "*"},   // bullet
      {"\u2219", "*"},   // bullet operator
      {"\u22C5", "*"},   // dot operator
      {"\u00D7", "*"},   // multiplication sign
      {"[", "("},        // brackets
      {"]", ")"},        //
      {"\u00F7", "/"},   // division sign
      {"\u2044", "/"},   // fraction slash
      {"\u2215", "/"}};  // division slash
  return substituted(withoutSuperscripts(plainText(text)), signs);
}

Quantity parseUnit(std::string_view text) {
  const std::string ascii = asciiUnits(text);
  return UnitReader(ascii, trimmed(text)).read();
}

bool takePower(std::string_view& text, int maxDigits, int& power) {
  std::string_view rest = text;
  if (!take(rest, "^") && !take(rest, "**")) return false;
  const char close = take(rest, "(") ? ')' : take(rest, "{") ? '}' : '\0';
  const bool isNegative = take(rest, "-");
  if (!isNegative) take(rest, "+");
  int digits = 0, value = 0;
  for (; digits < maxDigits && isDigit(rest, 0); ++digits, rest.remove_prefix(1))
    value = 10 * value + (rest.front() - '0');
  if (digits == 0 || (close != '\0' && !take(rest, {&close, 1}))) return false;
  text = rest;
  power = isNegative ? -value : value;
  return true;
}

}  // namespace rdme

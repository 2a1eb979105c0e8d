#include <apps/rdme/names.hpp>
#include <apps/rdme/quantity.hpp>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace rdme {
namespace {

struct Unit {
  std::string_view name;
  double factor;
  Dimension dimension;
};

// µ is in Unicode twice: the micro sign and the Greek letter.
constexpr Dimension length{1, 0}, duration{0, 1}, volume{3, 0}, perVolume{-3, 0}, count{0, 0};
constexpr std::array<Unit, 36> unitTable{{
    {"m", 1, length},
    {"cm", 1e-2, length},
    {"mm", 1e-3, length},
    {"um", 1e-6, length},
    {"µm", 1e-6, length},
    {"μm", 1e-6, length},
    {"nm", 1e-9, length},
    {"s", 1, duration},
    {"ms", 1e-3, duration},
    {"us", 1e-6, duration},
    {"µs", 1e-6, duration},
    {"μs", 1e-6, duration},
    {"ns", 1e-9, duration},
    {"min", 60, duration},
    {"h", 3600, duration},
    {"M", molar, perVolume},
    {"mM", 1e-3 * molar, perVolume},
    {"uM", 1e-6 * molar, perVolume},
    {"µM", 1e-6 * molar, perVolume},
    {"μM", 1e-6 * molar, perVolume},
    {"nM", 1e-9 * molar, perVolume},
    {"pM", 1e-12 * molar, perVolume},
    {"L", 1e-3, volume},
    {"mL", 1e-6, volume},
    {"uL", 1e-9, volume},
    {"µL", 1e-9, volume},
    {"μL", 1e-9, volume},
    {"nL", 1e-12, volume},
    {"pL", 1e-15, volume},
    {"fL", 1e-18, volume},
    {"particles", 1, count},
    {"particle", 1, count},
    {"molecules", 1, count},
    {"molecule", 1, count},
    {"sec", 1, duration},
    {"hour", 3600, duration},
}};

/// Takes a unit apart from its front.
class UnitReader {
 public:
  explicit UnitReader(std::string_view text) : whole_(text), rest_(text) {}

  /// The unit as a quantity: how many of m and s it is.
  Quantity read() {
    Quantity unit{1, {}};
    for (skipBlanks(); !rest_.empty(); skipBlanks()) multiply(unit);
    return unit;
  }

 private:
  void multiply(Quantity& by) {
    const int sign = take("/") ? -1 : 1;
    if (sign > 0 && !take("*")) take("·");
    skipBlanks();
    const Unit& unit = factor();
    const int power = sign * exponent();
    by.value *= std::pow(unit.factor, power);
    by.dimension.length += power * unit.dimension.length;
    by.dimension.time += power * unit.dimension.time;
  }

  const Unit& factor() {
    std::size_t end = 0;
    // Bytes of µ are no ASCII; those of a raised digit begin with 0xC2 or 0xE2 as well.
    while (end < rest_.size() && !startsPower(rest_.substr(end)) &&
           (std::isalpha(static_cast<unsigned char>(rest_[end])) != 0 ||
            (static_cast<unsigned char>(rest_[end]) & 0x80U) != 0) &&
           !rest_.substr(end).starts_with("·"))
      ++end;
    const auto name = rest_.substr(0, end);
    for (const Unit& unit : unitTable) {
      if (unit.name != name) continue;
      rest_.remove_prefix(end);
      return unit;
    }
    throw mass::InputError("'{}' is no unit", name.empty() ? whole_ : name);
  }

  /// A power as 2, ^2, -1, ^-1, ², ⁻¹; 1 where there is none.
  int exponent() {
    take("^");
    const bool isNegative = take("-") || take("⁻");
    for (int digit = 0; digit <= 9; ++digit) {
      if (take(std::string_view("0123456789").substr(static_cast<std::size_t>(digit), 1)) ||
          take(raised[static_cast<std::size_t>(digit)]))
        return isNegative ? -digit : digit;
    }
    if (isNegative) throw mass::InputError("'{}' has a '-' without a power", whole_);
    return 1;
  }

  static constexpr std::array<std::string_view, 10> raised{"⁰", "¹", "²", "³", "⁴",
                                                           "⁵", "⁶", "⁷", "⁸", "⁹"};

  static bool startsPower(std::string_view text) {
    if (text.starts_with("⁻")) return true;
    for (const auto digit : raised)
      if (text.starts_with(digit)) return true;
    return false;
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void skipBlanks() {
    while (take(" ")) continue;
  }

  std::string_view whole_;
  std::string_view rest_;
};

}  // namespace

Quantity parseQuantity(std::string_view text) {
  std::string_view digits = trimmed(text);
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || !std::isfinite(number))
    throw mass::InputError("a number and its unit were expected");
  digits.remove_prefix(static_cast<std::size_t>(end - digits.data()));
  Quantity quantity = UnitReader(trimmed(digits)).read();
  quantity.value *= number;
  if (!std::isfinite(quantity.value)) throw mass::InputError("this is too large for a number");
  return quantity;
}

double read(const mass::ConfigNode& setting, const Kind& kind) {
  const std::string& text = setting.text();
  Quantity quantity{};
  try {
    quantity = parseQuantity(text);
  } catch (const mass::InputError& error) {
    setting.reject(fmt::format("{}; {} is given in {}", error.what(), kind.name, kind.units));
  }
  if (quantity.dimension == kind.dimension) return quantity.value;
  const bool hasUnit = !(quantity.dimension == Dimension{});
  setting.reject(fmt::format("{}; {} is given in {}",
                             hasUnit ? "this is the unit of something else" : "the unit is missing",
                             kind.name, kind.units));
}

double readNotNegative(const mass::ConfigNode& setting, const Kind& kind) {
  const double value = read(setting, kind);
  if (value < 0) setting.reject(fmt::format("{} must not be negative", kind.name));
  return value;
}

double readPositive(const mass::ConfigNode& setting, const Kind& kind) {
  const double value = read(setting, kind);
  if (!(value > 0)) setting.reject(fmt::format("{} must be above 0", kind.name));
  return value;
}

}  // namespace rdme

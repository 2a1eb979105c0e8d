#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/quantity.hpp>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>

namespace rdme {
namespace {

/// Reads a number at the front of `text`. A number nearer to zero than the smallest double is the
/// double nearest to it.
std::from_chars_result readNumber(std::string_view text, double& number) {
  auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(result.ptr - text.data());
  if (result.ec == std::errc::result_out_of_range &&
      mass::parseValue(text.substr(0, length), number).empty()) {
    result.ec = std::errc{};
  }
  return result;
}

/// Removes a power of ten, as in "×10^6" or in "10^6" without a mantissa, from the front of `rest`.
/// @param mantissa text of the number before it; becomes "1" if it is the ten
/// @return the exponent, if there is one
std::optional<int> takePowerOfTen(std::string_view& mantissa, std::string_view& rest) {
  constexpr int maxDigits = 3;
  int exponent = 0;
  if (mantissa == "10" && takePower(rest, maxDigits, exponent)) {
    mantissa = "1";
    return exponent;
  }
  std::string_view ahead = trimmed(rest);
  if (!ahead.starts_with('*') && !ahead.starts_with('x')) return std::nullopt;
  ahead = trimmed(ahead.substr(1));
  if (!ahead.starts_with("10")) return std::nullopt;
  ahead.remove_prefix(2);
  if (!takePower(ahead, maxDigits, exponent)) return std::nullopt;
  rest = ahead;
  return exponent;
}

}  // namespace

Quantity parseQuantity(std::string_view text) {
  const std::string ascii = asciiUnits(text);
  std::string_view rest = trimmed(ascii);
  if (rest.size() > 1 && rest[0] == '+' && rest[1] != '-') rest.remove_prefix(1);
  double number = 0;
  auto [end, error] = readNumber(rest, number);
  std::string_view mantissa = rest.substr(0, static_cast<std::size_t>(end - rest.data()));
  rest.remove_prefix(mantissa.size());
  if (const auto exponent = takePowerOfTen(mantissa, rest)) {
    const std::string scaled = fmt::format("{}e{}", mantissa, *exponent);
    const auto read = readNumber(scaled, number);
    const bool isWhole = read.ptr == scaled.data() + scaled.size();
    error = isWhole ? read.ec : std::errc::invalid_argument;
  }
  if (error == std::errc::result_out_of_range) throw mass::InputError("the value is too large");
  if (error != std::errc{} || !std::isfinite(number))
    throw mass::InputError("expected a number and its unit");
  Quantity quantity = parseUnit(trimmed(rest));
  quantity.value *= number;
  if (!std::isfinite(quantity.value)) throw mass::InputError("the value is too large");
  return quantity;
}

double read(const mass::ConfigNode& setting, const QuantityKind& kind) {
  const std::string& text = setting.text();
  Quantity quantity{};
  try {
    quantity = parseQuantity(text);
  } catch (const mass::InputError& error) {
    setting.reject(fmt::format("{}; give {} in {}", error.what(), kind.name, kind.units));
  }
  if (kind.matches(quantity.dimension)) return quantity.value;
  const bool hasUnit = !(quantity.dimension == Dimension{});
  setting.reject(
      fmt::format("{}; give {} in {}",
                  hasUnit ? "this unit is that of another quantity" : "the unit is missing",
                  kind.name, kind.units));
}

double readNotNegative(const mass::ConfigNode& setting, const QuantityKind& kind) {
  const double value = read(setting, kind);
  if (value < 0) setting.reject(fmt::format("{} must not be negative", kind.name));
  return value;
}

double readPositive(const mass::ConfigNode& setting, const QuantityKind& kind) {
  const double value = read(setting, kind);
  if (!(value > 0)) setting.reject(fmt::format("{} must be above 0", kind.name));
  return value;
}

}  // namespace rdme

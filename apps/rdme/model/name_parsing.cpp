#include <apps/rdme/model/name_parsing.hpp>
#include <apps/rdme/model/typography.hpp>

#include <algorithm>
#include <cctype>

namespace rdme {
namespace {

/// True for a text that is a number as a whole, such as "14" or "5e3".
bool isNumber(std::string_view text) {
  double number = 0;
  return mass::parseValue(text, number).empty();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string joinNames(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string requireName(const mass::ConfigNode& setting, std::string_view text,
                        std::string_view kind) {
  const auto isFirst = [](char c) {
    // Bytes above 0x7F belong to letters: plainText() has replaced blanks, dashes and arrows.
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  const auto isOther = [&](char c) {
    return isFirst(c) || std::string_view(".:*'+-()~").find(c) != std::string_view::npos;
  };
  std::string name = plainText(text);
  if (!name.empty() && isFirst(name.front()) && std::all_of(name.begin(), name.end(), isOther) &&
      !isNumber(name) && name.find("->") == std::string::npos)
    return name;
  setting.reject(
      fmt::format("'{}' cannot name a {}: a name is a letter, digit or _, then letters, digits and "
                  "any of _ . : * ' + - ( ) ~, without '->', and not a number",
                  name, kind));
}

std::optional<int> findName(std::string_view name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<int>(found - names.begin());
}

int numberOf(const mass::ConfigNode& setting, std::string_view text,
             const std::vector<std::string>& names, std::string_view kind) {
  const std::string name = plainText(text);
  if (const auto found = findName(name, names)) return *found;
  const auto near = mass::nearestName(name, names);
  const auto hint = near.empty() ? fmt::format("the names are: {}", joinNames(names))
                                 : fmt::format("did you mean '{}'?", near);
  setting.reject(fmt::format("there is no {} '{}'; {}", kind, name, hint));
}

std::vector<int> parseSiteTypes(const mass::ConfigNode& in,
                                const std::vector<std::string>& siteTypes) {
  std::vector<int> numbers;
  for (const mass::ConfigNode& item : in.itemOrItems()) {
    const int number = numberOf(item, item.text(), siteTypes, "site type");
    if (number == 0) item.reject("no particle enters the type 'outside'");
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
      item.reject("this type is listed twice");
    numbers.push_back(number);
  }
  if (numbers.empty()) in.reject("expected at least one site type");
  return numbers;
}

}  // namespace rdme

#include <apps/rdme/names.hpp>

#include <algorithm>
#include <cctype>

namespace rdme {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void requireName(const mass::ConfigNode& setting, std::string_view name, std::string_view what) {
  const auto isLetter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto isOther = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 ||
           std::string_view(".:*'-").find(c) != std::string_view::npos;
  };
  if (!name.empty() && isLetter(name.front()) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return isLetter(c) || isOther(c); }) &&
      name.find("->") == std::string_view::npos)
    return;
  setting.reject(
      fmt::format("'{}' cannot name a {}: a name is a letter, then letters, digits and any of "
                  "_ . : * ' -",
                  name, what));
}

int numberOf(const mass::ConfigNode& setting, std::string_view name,
             const std::vector<std::string>& names, std::string_view what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const auto near = mass::nearestName(name, names);
  const auto hint = near.empty() ? fmt::format("the names are: {}", listed(names))
                                 : fmt::format("did you mean '{}'?", near);
  setting.reject(fmt::format("there is no {} '{}'; {}", what, name, hint));
}

std::vector<int> siteTypesIn(const mass::ConfigNode& in, const std::vector<std::string>& siteTypes) {
  std::vector<int> numbers;
  for (const mass::ConfigNode& item : in.itemOrItems()) {
    const int number = numberOf(item, item.text(), siteTypes, "site type");
    if (number == 0) item.reject("nothing is ever outside");
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
      item.reject("it is named twice");
    numbers.push_back(number);
  }
  if (numbers.empty()) in.reject("name at least one site type");
  return numbers;
}

}  // namespace rdme

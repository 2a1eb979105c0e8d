#pragma once

#include <string_view>

namespace mass::detail {

/// The name in the source, without namespaces, of what V points to or of type T, from the
/// compiler's own spelling.
template <auto V>
constexpr std::string_view memberName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.find_first_of(";]", text.find('&')));
  return text.substr(text.rfind(':') + 1);
}
template <class T>
constexpr std::string_view typeName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const auto qualified =
      text.substr(0, text.find('<'));  // colons among template arguments do not count
  return text.substr(qualified.rfind(':') + 1);
}

}  // namespace mass::detail

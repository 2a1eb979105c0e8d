#pragma once

#include <string_view>

namespace mass::detail {

/// Returns the name of the member that V points to, without its class, from the compiler's name of
/// this function.
template <auto V>
constexpr std::string_view memberName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.find_first_of(";]", text.find('&')));
  return text.substr(text.rfind(':') + 1);
}
/// Returns the name of type T without namespaces and classes, with its template arguments.
template <class T>
constexpr std::string_view typeName() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const auto qualified = text.substr(0, text.find('<'));  // excludes colons of template arguments
  return text.substr(qualified.rfind(':') + 1);
}

}  // namespace mass::detail

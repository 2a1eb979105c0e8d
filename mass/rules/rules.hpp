#pragma once

#include <mass/rules/type_name.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mass {

namespace detail {
/// True if no two texts are equal.
template <std::size_t N>
constexpr bool areDistinct(const std::array<std::string_view, N>& texts) {
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = i + 1; j < N; ++j)
      if (texts[i] == texts[j]) return false;
  return true;
}
}  // namespace detail

/// List of the rules and const functions of a class of places or agents, for programs that name
/// them, such as scripts: `using Rules = mass::Rules<&Life::nextGeneration, &Life::isAlive>;`.
/// Optional: Places::callAll takes any member function.
template <auto... Functions>
struct Rules {
  static_assert((std::is_member_function_pointer_v<decltype(Functions)> && ...),
                "mass::Rules lists member functions, for example &P::grow");
  /// Names of the functions, in the order of the list.
  static constexpr std::array<std::string_view, sizeof...(Functions)> names{
      detail::memberName<Functions>()...};
  static_assert(detail::areDistinct(names), "mass::Rules lists two functions of one name");
};

namespace detail {
/// Returns the names of P::Rules; none if P has no such list.
template <class P>
std::vector<std::string> ruleNames() {
  if constexpr (requires { P::Rules::names; }) {
    return {P::Rules::names.begin(), P::Rules::names.end()};
  } else {
    return {};
  }
}
}  // namespace detail

}  // namespace mass

#pragma once

#include <mass/kernels/rule_check.hpp>
#include <mass/rules/storing.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

// Rules in turn: the elements of mass::inTurn, and their arguments.

namespace mass::detail {

// nvcc does not recognise these types by partial specialisations, but by their members.

/// Type of mass::inTurn<...>.
template <class T>
concept TurnOfRules = requires {
  typename std::remove_cvref_t<T>::IsInTurn;
};
/// Type of mass::writing<...>.
template <class T>
concept RuleWithWrites = requires {
  typename std::remove_cvref_t<T>::Written;
};

/// Returns the rule of an element of mass::inTurn.
template <auto Element>
constexpr auto ruleOfElement() {
  if constexpr (RuleWithWrites<decltype(Element)>) {
    return std::remove_cvref_t<decltype(Element)>::rule;
  } else {
    return Element;
  }
}
/// Attributes that an element of type T of mass::inTurn writes.
template <class T>
struct WrittenBy {
  using Set = WritesAll;
};
template <RuleWithWrites T>
struct WrittenBy<T> {
  using Set = typename T::Written;
};

/// Rule of an element of mass::inTurn, and the attributes that it writes.
template <auto Element>
struct TurnElement {
  static constexpr auto rule = ruleOfElement<Element>();
  using Written = typename WrittenBy<std::remove_cvref_t<decltype(Element)>>::Set;
  using Arguments = typename Traits<rule>::Arguments;
};

/// Assignment of the arguments of a call to the rules of a turn.
template <auto... Elements>
struct TurnArguments {
  static constexpr std::array<std::size_t, sizeof...(Elements)> counts{
      std::tuple_size_v<typename TurnElement<Elements>::Arguments>...};
  static constexpr std::size_t all =
      (std::size_t{0} + ... + std::tuple_size_v<typename TurnElement<Elements>::Arguments>);

  /// True if each rule takes all of `given` arguments.
  static constexpr bool areShared(std::size_t given) {
    for (const std::size_t count : counts)
      if (count != given) return false;
    return given != all;
  }
  /// Returns the number of the first of `given` arguments that a rule takes.
  static constexpr std::size_t firstOf(std::size_t rule, std::size_t given) {
    std::size_t first = 0;
    for (std::size_t k = 0; k < rule && !areShared(given); ++k) first += counts[k];
    return first;
  }
};

/// Checks a rule of a turn and its arguments, those from number `First` on.
/// @return false after a failed static_assert
template <class P, auto Rule, std::size_t First, class Given, std::size_t... N>
constexpr bool isCallInTurn(std::index_sequence<N...>) {
  if constexpr (isValidRule<P, P, Rule>()) {
    static_assert(Changing<Rule>, "a rule of mass::inTurn is `void f(...)` that is not const");
    static_assert(!hasEffects<typename Traits<Rule>::Arguments>,
                  "a rule of mass::inTurn creates no agents: call it by itself");
    if constexpr (Changing<Rule>)
      return areValidArguments<Rule, std::tuple_element_t<First + N, Given>...>();
  }
  return false;
}

/// Returns the arguments of a rule: those of `given` from number `First` on.
template <class Arguments, std::size_t First, class Given, std::size_t... N>
Arguments argumentsFrom(const Given& given, std::index_sequence<N...>) {
  return Arguments(std::get<First + N>(given)...);
}

}  // namespace mass::detail

#pragma once

#include <mass/model/attributes.hpp>
#include <mass/model/rule_traits.hpp>
#include <mass/support/hash.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace mass::detail {

// That the friend is no template is what is meant.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301

/// Stands for a rule of P by a number. nvcc 13.0 misspells a pointer to a const member function in
/// the name of a kernel's template argument, so kernels are told such a type instead.
template <class P, std::uint64_t Number>
struct RuleTag {
  using Place = P;
  friend constexpr auto ruleOf(RuleTag);  // defined by RuleEntry
};

#pragma nv_diagnostic pop
#pragma GCC diagnostic pop

/// Numbers that tell overloads apart. Only what is the same for host and device may enter: the size
/// of a Neighborhood is not.
template <class T>
constexpr std::uint64_t kindOf() {
  if constexpr (!std::is_arithmetic_v<T>) return 1;
  return sizeof(T) * 4 + (std::is_floating_point_v<T> ? 2 : 0) + (std::is_signed_v<T> ? 1 : 0);
}
template <class... Parameters>
constexpr std::uint64_t fingerprintOf() {
  std::uint64_t print = sizeof...(Parameters);
  ((print = print * 67 + kindOf<Parameters>()), ...);
  return print;
}
template <class F>
struct Fingerprint {
  static constexpr std::uint64_t value = 0;
};
template <class C, class R, class... A>
struct Fingerprint<R (C::*)(A...)> {
  static constexpr std::uint64_t value = fingerprintOf<std::decay_t<A>...>();
};
template <class C, class R, class... A>
struct Fingerprint<R (C::*)(A...) const> {
  static constexpr std::uint64_t value = 1000 + fingerprintOf<std::decay_t<A>...>();
};

/// A number for a rule that all compilers agree on: from its name (FNV-1a) and its parameters.
template <auto Rule>
constexpr std::uint64_t ruleNumber() {
  std::string_view name = memberName<Rule>();
  name = name.substr(0, name.find(' '));
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hash ^ Fingerprint<std::remove_cvref_t<decltype(Rule)>>::value;
}

template <class P, auto Rule>
struct RuleEntry {
  using Tag = RuleTag<P, ruleNumber<Rule>()>;
  friend constexpr auto ruleOf(Tag) { return Rule; }
};

/// The tag of a rule, with which ruleOf gives the rule back.
template <class P, auto Rule>
using TagOf = typename RuleEntry<P, Rule>::Tag;

}  // namespace mass::detail

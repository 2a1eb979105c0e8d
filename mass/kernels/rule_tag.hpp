#pragma once

#include <mass/kernels/rule_traits.hpp>
#include <mass/rules/attributes.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace mass::detail {

// That the friend is no template is what is meant.
#pragma GCC diagnostic push
#if !defined(__clang__)  // which has no such warning
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301

/// Stands for a rule of P by a number from its name, and the types of its parameters. nvcc 13.0
/// misspells a pointer to a const member function in the name of a kernel's template argument, so
/// kernels are told such a type instead.
template <class P, std::uint64_t Number, class... Parameters>
struct RuleTag {
  using Place = P;
  friend constexpr auto ruleOf(RuleTag);  // defined by RuleEntry
};

#pragma nv_diagnostic pop
#pragma GCC diagnostic pop

/// Whether a qualified name may begin so, as compilers spell them.
constexpr bool isInName(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         letter == '<' || letter == '{' || letter == '(' || letter == ':';
}

/// A rule's name without that of its class and without template arguments, which compilers spell
/// differently; host and device have to agree on it.
template <auto Rule>
constexpr std::uint64_t ruleNumber() {
  std::string_view text = __PRETTY_FUNCTION__;
  // Of all &, that of the pointer is the last one before a name.
  std::size_t begin = text.size() - 1;
  while (begin > 0 && !(text[begin - 1] == '&' && isInName(text[begin]))) --begin;
  text = text.substr(begin);
  constexpr std::uint64_t basis = 0xcbf29ce484222325U;
  std::uint64_t hash = basis;  // FNV-1a
  int depth = 0;
  for (const char letter : text) {
    if (letter == '<' || letter == '(' || letter == '{') ++depth;
    if (letter == '>' || letter == ')' || letter == '}') --depth;
    if (letter == ';' || letter == ']' || (letter == ' ' && depth == 0)) break;
    if (depth > 0 || letter == '>' || letter == ')' || letter == '}') continue;
    // What has come so far was the name of a namespace or class.
    hash = letter == ':' ? basis : (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hash;
}

template <class P, auto Rule, class F>
struct RuleEntryFor;
template <class P, auto Rule, class... Parameters>
struct RuleEntryFor<P, Rule, std::tuple<Parameters...>> {
  using Tag = RuleTag<P, ruleNumber<Rule>() * 2 + (Traits<Rule>::isConst ? 1 : 0), Parameters...>;
  friend constexpr auto ruleOf(Tag) { return Rule; }
};
template <class P, auto Rule>
using RuleEntry = RuleEntryFor<P, Rule, typename Traits<Rule>::Parameters>;

/// The tag of a rule, with which ruleOf gives the rule back.
template <class P, auto Rule>
using TagOf = typename RuleEntry<P, Rule>::Tag;

}  // namespace mass::detail

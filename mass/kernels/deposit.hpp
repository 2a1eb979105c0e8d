#pragma once

#include <mass/kernels/rule_tag.hpp>
#include <mass/rules/place.hpp>
#include <mass/rules/residents.hpp>

#include <type_traits>

namespace mass {
namespace detail {

/// Names two members by their RuleTags: `From` of an agent, which is added to `To` of its place. An
/// argument of the rule `receive`, so that each pair of members makes a rule with other parameters.
/// GPUs identify rules by their parameters.
template <class From, class To>
struct Deposit {};

/// Returns the value of an agent's attribute, or the result of its member function.
template <class Tag, class A>
MASS_FN inline auto valueOf(const A& agent) {
  constexpr auto member = ruleOf(Tag{});
  if constexpr (std::is_member_object_pointer_v<std::remove_cv_t<decltype(member)>>) {
    return agent.*member;
  } else {
    return (agent.*member)();
  }
}

}  // namespace detail

template <int D>
template <class A, class From, class To>
MASS_FN void Place<D>::receive(const Residents<A>& here, detail::Deposit<From, To>) {
  constexpr auto member = ruleOf(To{});
  auto& sum = static_cast<typename To::Place&>(*this).*member;
  for (const A agent : here) {
    sum = static_cast<std::remove_reference_t<decltype(sum)>>(sum + detail::valueOf<From>(agent));
  }
}

}  // namespace mass

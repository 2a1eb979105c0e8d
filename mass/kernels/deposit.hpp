#pragma once

#include <mass/kernels/rule_tag.hpp>
#include <mass/rules/place.hpp>
#include <mass/rules/residents.hpp>

#include <type_traits>

namespace mass {
namespace detail {

/// Says what residents add to which attribute of their place: two members, by their tags. An
/// argument of the rule `receive`, so that this rule for other members has other parameters, by
/// which GPUs tell rules apart.
template <class From, class To>
struct Deposit {};

/// The value of a member of an agent: of an attribute, or what a function returns.
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

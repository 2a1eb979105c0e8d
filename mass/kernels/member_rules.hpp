#pragma once

#include <mass/kernels/rule_tag.hpp>
#include <mass/rules/agent.hpp>
#include <mass/rules/place.hpp>
#include <mass/rules/residents.hpp>
#include <mass/rules/scaled_residents.hpp>
#include <mass/rules/tallies.hpp>
#include <mass/support/space.hpp>

#include <cstddef>
#include <type_traits>

// Rules of the library that read or write members which their arguments name.

namespace mass {
namespace detail {

/// Returns the value of an attribute, or the result of a const member function.
template <class Tag, class T>
MASS_FN inline auto valueOf(const T& object) {
  constexpr auto member = ruleOf(Tag{});
  if constexpr (std::is_member_object_pointer_v<std::remove_cv_t<decltype(member)>>) {
    return object.*member;
  } else {
    return (object.*member)();
  }
}

/// Names two members by their RuleTags: `From` of an agent, which is added to `To` of its place.
template <class From, class To>
struct Deposit {
  template <class A, class Place>
  MASS_FN static void add(Place& place, const A& agent) {
    constexpr auto member = ruleOf(To{});
    auto& sum = static_cast<typename To::Place&>(place).*member;
    sum = static_cast<std::remove_reference_t<decltype(sum)>>(sum + valueOf<From>(agent));
  }
};
/// Names several. An argument of the rule `receive`, so that each list of members makes a rule with
/// other parameters. GPUs identify rules by their parameters.
template <class... Each>
struct Deposits {
  template <class First>
  using After = Deposits<First, Each...>;  ///< this list with one more deposit before
  template <class A, class Place>
  MASS_FN static void add(Place& place, const A& agent) {
    (Each::add(place, agent), ...);
  }
};

/// Names deposits on finer places by position. @tparam Position RuleTag of its attribute
template <class Position, class Deposits>
struct DepositsAt {
  template <class Place, class A, int D>
  MASS_FN static void add(Place& place, const CoarserResidents<A>& above, const Space<D>& space) {
    constexpr auto position = ruleOf(Position{});
    for (const A agent : above)
      if (above.template isHere<position>(space, agent)) Deposits::add(place, agent);
  }
};

/// Returns the bin of a value, -1 before the first and the number of bins behind the last.
template <class Tag, std::size_t N, class T>
MASS_FN inline int binIn(const BinEdges<Tag, N>& edges, const T& object) {
  const auto value =
      static_cast<double>(valueOf<Tag>(static_cast<const typename Tag::Place&>(object)));
  int bin = -1;
  for (const double edge : edges.values) bin += value >= edge ? 1 : 0;
  return bin;
}
/// Returns values of members of a place or agent.
template <class... Tags, class T>
MASS_FN inline Values<sizeof...(Tags)> numbersOf(Numbers<Tags...>, const T& object) {
  return {
      {static_cast<double>(valueOf<Tags>(static_cast<const typename Tags::Place&>(object)))...}};
}

}  // namespace detail

template <int D>
template <class A, class Deposits>
MASS_FN void Place<D>::receive(const Residents<A>& here, Deposits) {
  for (const A agent : here) Deposits::add(*this, agent);
}
template <int D>
template <class A, class Deposits>
MASS_FN void Place<D>::receiveFromFiner(const FinerResidents<A>& below, Deposits) {
  for (const A agent : below) Deposits::add(*this, agent);
}
template <int D>
template <class A, class Deposits>
MASS_FN void Place<D>::receiveFromCoarser(const CoarserResidents<A>& above, const Space<D>& space,
                                          Deposits) {
  Deposits::add(*this, above, space);
}
template <int D>
template <class Tag, std::size_t N>
MASS_FN int Place<D>::binOf(detail::BinEdges<Tag, N> edges) const {
  return detail::binIn(edges, *this);
}
template <int D>
template <class Numbers>
MASS_FN detail::Values<Numbers::count> Place<D>::numbers(Numbers names) const {
  return detail::numbersOf(names, *this);
}
template <class P>
template <class Tag, std::size_t N>
MASS_FN int Agent<P>::binOf(detail::BinEdges<Tag, N> edges) const {
  return detail::binIn(edges, *this);
}
template <class P>
template <class Numbers>
MASS_FN detail::Values<Numbers::count> Agent<P>::numbers(Numbers names) const {
  return detail::numbersOf(names, *this);
}

}  // namespace mass

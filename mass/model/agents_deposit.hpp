#pragma once

// Templates of Agents that deposit on places.

namespace mass {
namespace detail {

template <auto First, class W>
struct WritesAfter;
template <auto First, auto... Members>
struct WritesAfter<First, Writes<Members...>> {
  using Type = Writes<First, Members...>;
};
/// Deposits of agents of class A on places of class P, from pairs of members.
template <class A, class P, auto... Members>
struct DepositList {
  static_assert(sizeof...(Members) == 0, "deposit takes pairs of members: from, to, from, to");
  using Deposits = detail::Deposits<>;
  using Written = Writes<>;
};
template <class A, class P, auto From, auto To, auto... More>
struct DepositList<A, P, From, To, More...> {
  static_assert(
      Reading<From> && std::tuple_size_v<typename Traits<From>::Parameters> == 0,
      "deposit adds an attribute of agents, or the value of a const function without parameters");
  static_assert(std::is_arithmetic_v<typename AttributeSlotFor<P, To>::Value> &&
                    !AttributeSlotFor<P, To>::isConstant,
                "deposit adds to an attribute of places that is a number and not constant");
  using Rest = DepositList<A, P, More...>;
  using Deposits = typename Rest::Deposits::template After<Deposit<TagOf<A, From>, TagOf<P, To>>>;
  using Written = typename WritesAfter<To, typename Rest::Written>::Type;
};

}  // namespace detail

template <class A>
template <auto From, auto To, auto... More, class P>
void Agents<A>::deposit(const Places<P>& places) const {
  detail::requireDeposit(*population_, places.population(), detail::Scale::same);
  using List = detail::DepositList<A, P, From, To, More...>;
  using Deposits = typename List::Deposits;
  places.template callAll<&Place<dimensions>::template receive<A, Deposits>>(
      typename List::Written{}, *this, Deposits{});
}

template <class A>
template <auto From, auto To, auto... More, class P>
void Agents<A>::depositOnCoarser(const Places<P>& places) const {
  detail::requireDeposit(*population_, places.population(), detail::Scale::finer);
  using List = detail::DepositList<A, P, From, To, More...>;
  using Deposits = typename List::Deposits;
  places.template callAll<&Place<dimensions>::template receiveFromFiner<A, Deposits>>(
      typename List::Written{}, *this, Deposits{});
}

template <class A>
template <auto Position, auto From, auto To, auto... More, class P>
void Agents<A>::depositOnFiner(const Places<P>& places, const Space<dimensions>& space) const {
  detail::requireDeposit(*population_, places.population(), detail::Scale::coarser);
  if (!(space.bins == places.shape()))
    throw UsageError("depositOnFiner on '{}' got the space of other places: use spaceOf('{}')",
                     places.name(), places.name());
  using List = detail::DepositList<A, P, From, To, More...>;
  using Deposits = detail::DepositsAt<detail::TagOf<A, Position>, typename List::Deposits>;
  places.template callAll<&Place<dimensions>::template receiveFromCoarser<A, Deposits>>(
      typename List::Written{}, *this, space, Deposits{});
}

}  // namespace mass

#pragma once

#include <mass/kernels/rule_parameters.hpp>
#include <mass/rules/streaming.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mass::detail {

template <class T>
inline constexpr bool isNeighborhood = false;
template <class P>
inline constexpr bool isNeighborhood<Neighborhood<P>> = true;
template <class P>
inline constexpr bool isNeighborhood<Streaming<P>> = true;
template <class P>
inline constexpr bool isNeighborhood<Links<P>> = true;
template <class T>
inline constexpr bool isStreaming = false;
template <class P>
inline constexpr bool isStreaming<Streaming<P>> = true;
/// True if several threads may run a rule with a parameter T for one agent.
template <class T>
inline constexpr bool hasLanes = false;
template <class A>
inline constexpr bool hasLanes<NeighborSums<A>> = A::Home::dimensions < 3;

template <class T>
struct ArgumentOf {
  using type = void*;  // unused: T is no argument
};
template <class T>
requires(Parameter<T>::isArgument) struct ArgumentOf<T> {
  using type = typename Parameter<T>::Argument;
};

/// Tuple of the arguments of callAll for a rule with these parameters.
template <class... Parameters>
using ArgumentsFor = decltype(std::tuple_cat(
    std::declval<
        std::conditional_t<Parameter<Parameters>::isArgument,
                           std::tuple<typename ArgumentOf<Parameters>::type>, std::tuple<>>>()...));

/// True if agents or other places are among the arguments.
template <class T>
inline constexpr bool hasPopulations = false;
template <class... T>
inline constexpr bool hasPopulations<std::tuple<T...>> = (false || ... || hasPopulations<T>);
template <class A>
inline constexpr bool hasPopulations<AgentSource<A>> = true;
template <class A, Scale scale>
inline constexpr bool hasPopulations<ScaledAgentSource<A, scale>> = true;
template <class A>
inline constexpr bool hasPopulations<PreySource<A>> = true;
template <auto Member, Scale scale>
inline constexpr bool hasPopulations<ResourceSource<Member, scale>> = true;
template <class P, Scale scale>
inline constexpr bool hasPopulations<FieldOf<P, scale>> = true;

template <class A, int most>
inline constexpr bool hasPopulations<BirthSource<A, most>> = true;
template <class P, int most>
inline constexpr bool hasPopulations<EdgeSource<P, most>> = true;
template <class A>
inline constexpr bool hasPopulations<IdentitySource<A>> = true;
template <auto Member, int most>
inline constexpr bool hasPopulations<GiveSource<Member, most>> = true;

/// True if a rule with these arguments changes more than its place or agent, so that it must run
/// exactly once for each.
template <class T>
inline constexpr bool hasEffects = false;
template <class... T>
inline constexpr bool hasEffects<std::tuple<T...>> = (false || ... || hasEffects<T>);
template <class A, int most>
inline constexpr bool hasEffects<BirthSource<A, most>> = true;
template <class P, int most>
inline constexpr bool hasEffects<EdgeSource<P, most>> = true;

/// Returns the form in which kernels of one device receive an argument of callAll.
template <class T>
const T& onDevice(const T& argument, int) {
  return argument;
}
template <class A>
TypedAgentView<A> onDevice(const AgentSource<A>& agents, int device) {
  return TypedAgentView<A>(agents.byDevice[device]);
}
template <class A, Scale scale>
ScaledAgentView<A> onDevice(const ScaledAgentSource<A, scale>& agents, int device) {
  return {agents.byDevice[device], agents.ratio};
}
template <auto Member, Scale scale>
ScaledResourceView<scale> onDevice(const ResourceSource<Member, scale>& resource, int device) {
  return {resource.byDevice[static_cast<std::size_t>(device)]};
}
template <class A>
TypedAgentView<A> onDevice(const PreySource<A>& agents, int device) {
  return TypedAgentView<A>(agents.byDevice[device]);
}
template <class A, int most>
TypedBirthView<A> onDevice(const BirthSource<A, most>& births, int device) {
  return TypedBirthView<A>(births.byDevice[device]);
}
template <class P, int most>
AddressedEdgeView onDevice(const EdgeSource<P, most>& edges, int device) {
  return AddressedEdgeView(edges.byDevice[device]);
}
template <class A>
TypedIdentityView<A> onDevice(const IdentitySource<A>& agents, int device) {
  return TypedIdentityView<A>(agents.byDevice[device]);
}
template <auto Member, int most>
AddressedGiveView onDevice(const GiveSource<Member, most>& gifts, int device) {
  return AddressedGiveView(gifts.byDevice[device]);
}
template <class P, Scale scale>
TypedFieldView<P> onDevice(const FieldOf<P, scale>& field, int device) {
  return TypedFieldView<P>(field.byDevice[static_cast<std::size_t>(device)]);
}
template <class... T>
auto argumentsOn(const std::tuple<T...>& arguments, int device) {
  return std::apply(
      [&](const T&... each) {
        return std::tuple<std::decay_t<decltype(onDevice(each, device))>...>(
            onDevice(each, device)...);
      },
      arguments);
}

template <class Result_, bool isConst_, class... Given>
struct RuleShape {
  using Result = Result_;
  using Parameters = std::tuple<std::decay_t<Given>...>;
  using Arguments = ArgumentsFor<std::decay_t<Given>...>;
  using DeviceArguments = decltype(argumentsOn(std::declval<Arguments>(), 0));
  static constexpr bool isConst = isConst_;
  /// True if the rule reads neighbours; otherwise it may run in place.
  static constexpr bool readsNeighbors = (false || ... || isNeighborhood<std::decay_t<Given>>);
  /// True if streamed attributes arrive before the rule.
  static constexpr bool streams = (false || ... || isStreaming<std::decay_t<Given>>);
  /// True if the rule may read the state before the call, of neighbours or of the place itself.
  static constexpr bool haloDepthBelow =
      (false || ... || (isNeighborhood<std::decay_t<Given>> && !isStreaming<std::decay_t<Given>>));
};

/// Shape of a rule: a member function, or a data member, whose value it returns.
template <class F>
struct RuleTraits;
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...)> : RuleShape<R, false, A...> {};
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...) noexcept> : RuleShape<R, false, A...> {};
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...) const> : RuleShape<R, true, A...> {};
template <class C, class R, class... A>
struct RuleTraits<R (C::*)(A...) const noexcept> : RuleShape<R, true, A...> {};
template <class C, class T>
requires(!std::is_function_v<T>) struct RuleTraits<T C::*> : RuleShape<T, true> {
};

template <auto Rule>
using Traits = RuleTraits<std::remove_cvref_t<decltype(Rule)>>;

/// Returns the arguments of a rule on the launch's device.
template <auto Rule>
auto argumentsOf(const Launch& launch) {
  return argumentsOn(*static_cast<const typename Traits<Rule>::Arguments*>(launch.arguments),
                     launch.device);
}

/// Rule that changes its place.
template <auto Rule>
concept Changing = !Traits<Rule>::isConst && std::is_void_v<typename Traits<Rule>::Result>;
/// Rule or data member that only reads its place.
template <auto Rule>
concept Reading = Traits<Rule>::isConst && !std::is_void_v<typename Traits<Rule>::Result>;

/// Returns the index, among a rule's arguments, of parameter N. @pre parameter N is an argument.
template <class Parameters, std::size_t N>
constexpr std::size_t argumentNumber() {
  return []<std::size_t... Before>(std::index_sequence<Before...>) {
    return (std::size_t{0} + ... +
            (Parameter<std::tuple_element_t<Before, Parameters>>::isArgument ? 1U : 0U));
  }
  (std::make_index_sequence<N>{});
}

/// Returns the value of a rule's parameter N.
template <class Parameters, std::size_t N, class Around, class Arguments>
MASS_FN inline decltype(auto) parameterFrom(const Around& around, const Arguments& arguments) {
  using P = Parameter<std::tuple_element_t<N, Parameters>>;
  if constexpr (P::isArgument) {
    return P::from(around, std::get<argumentNumber<Parameters, N>()>(arguments));
  } else {
    return P::from(around);
  }
}

template <auto Rule, class P, class Around, class Arguments, std::size_t... N>
MASS_FN inline decltype(auto) applyWith(P& self, const Around& around, const Arguments& arguments,
                                        std::index_sequence<N...>) {
  using Parameters = typename Traits<Rule>::Parameters;
  return (self.*Rule)(parameterFrom<Parameters, N>(around, arguments)...);
}

/// Calls a rule on a place or agent with the parameters that it takes, made from its surroundings
/// and the arguments: Traits<Rule>::DeviceArguments, or those of LineArguments.
template <auto Rule, class P, class Around, class Arguments>
MASS_FN inline decltype(auto) apply(P& self, const Around& around, const Arguments& arguments) {
  if constexpr (std::is_member_object_pointer_v<std::remove_cvref_t<decltype(Rule)>>) {
    return (self.*Rule);
  } else {
    constexpr std::size_t parameters = std::tuple_size_v<typename Traits<Rule>::Parameters>;
    return applyWith<Rule>(self, around, arguments, std::make_index_sequence<parameters>{});
  }
}

}  // namespace mass::detail

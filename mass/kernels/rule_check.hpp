#pragma once

#include <mass/kernels/agent_kernels.hpp>
#include <mass/kernels/request_check.hpp>
#include <mass/kernels/rule_traits.hpp>
#include <mass/kernels/scatter/scatter_kernels.hpp>

#include <tuple>
#include <type_traits>

// Checks of rules and their arguments at compile time. Each is a chain: the first static_assert
// that fails is the only one, and code that depends on the rule is not compiled after it.

namespace mass::detail {

template <class F>
struct MemberOf;
template <class C, class T>
struct MemberOf<T C::*> {
  using Class = C;
};

/// Parameters of a member function as they are declared.
template <class F>
struct Declared {
  using Types = std::tuple<>;
};
template <class C, class R, class... A>
struct Declared<R (C::*)(A...)> {
  template <template <class> class Predicate>
  static constexpr bool all = (true && ... && Predicate<A>::value);
};
template <class C, class R, class... A>
struct Declared<R (C::*)(A...) const> : Declared<R (C::*)(A...)> {};
template <class C, class R, class... A>
struct Declared<R (C::*)(A...) noexcept> : Declared<R (C::*)(A...)> {};
template <class C, class R, class... A>
struct Declared<R (C::*)(A...) const noexcept> : Declared<R (C::*)(A...)> {};

template <class T>
inline constexpr bool isIntent = false;
template <class A>
inline constexpr bool isIntent<Intent<A>> = true;

/// False for an Intent by value, and for a reference through which a rule would change an argument.
template <class T>
struct IsPassedRight {
  static constexpr bool isIntentByValue = isIntent<T>;
  static constexpr bool isOutput = std::is_lvalue_reference_v<T> &&
                                   !std::is_const_v<std::remove_reference_t<T>> &&
                                   !isIntent<std::remove_cvref_t<T>>;
  static constexpr bool value = !isIntentByValue && !isOutput;
};

/// True if a rule of class T (places, or agents on places of class Home) may have a parameter of a
/// library class for this dimension or class.
template <class T, class Home, class Parameter_>
inline constexpr bool suits = true;
template <class T, class Home, int D>
inline constexpr bool suits<T, Home, Here<D>> = D == Home::dimensions;
template <class T, class Home, class P>
inline constexpr bool suits<T, Home, Neighborhood<P>> = std::is_same_v<P, Home>;
template <class T, class Home, class P>
inline constexpr bool suits<T, Home, Streaming<P>> = std::is_same_v<P, T>;
template <class T, class Home, class P>
inline constexpr bool suits<T, Home, Links<P>> = std::is_same_v<P, Home>;
template <class T, class Home, class A>
inline constexpr bool suits<T, Home, Intent<A>> = std::is_same_v<A, T>;
template <class T, class Home, auto Member>
inline constexpr bool suits<T, Home, Resource<Member>> =
    !std::is_same_v<T, Home> &&
    std::is_base_of_v<typename MemberTraits<std::remove_cv_t<decltype(Member)>>::Class, Home>;
template <class T, class Home, class A>
inline constexpr bool suits<T, Home, Prey<A>> = !std::is_same_v<T, Home> && !std::is_same_v<T, A>;
template <class T, class Home, class A, int most>
inline constexpr bool suits<T, Home, Births<A, most>> = A::Home::dimensions == Home::dimensions;
template <class T, class Home, class P, int most>
inline constexpr bool suits<T, Home, Edges<P, most>> = std::is_same_v<P, Home>;
template <class T, class Home, class A>
inline constexpr bool suits<T, Home, ById<A>> = !std::is_same_v<T, Home>;
template <class T, class Home, auto Member, int most>
inline constexpr bool suits<T, Home, Give<Member, most>> = !std::is_same_v<T, Home>;
template <class T, class Home, class A>
inline constexpr bool suits<T, Home, FinerResidents<A>> = A::Home::dimensions == Home::dimensions;
template <class T, class Home, class A>
inline constexpr bool suits<T, Home, CoarserResidents<A>> = A::Home::dimensions == Home::dimensions;
/// True if agents of class T, on places of class Home, may take from an attribute of other places.
template <class T, class Home, auto Member>
inline constexpr bool suitsOtherPlaces =
    !std::is_same_v<T, Home> && HolderOf<Member>::dimensions == Home::dimensions;
template <class T, class Home, auto Member>
inline constexpr bool suits<T, Home, FieldResource<Member>> = suitsOtherPlaces<T, Home, Member>;
template <class T, class Home, auto Member>
inline constexpr bool suits<T, Home, FinerResource<Member>> = suitsOtherPlaces<T, Home, Member>;
template <class T, class Home, auto Member>
inline constexpr bool suits<T, Home, CoarserResource<Member>> = suitsOtherPlaces<T, Home, Member>;
template <class T, class Home, class P>
inline constexpr bool suits<T, Home, Field<P>> = P::dimensions == Home::dimensions;
template <class T, class Home, class P>
inline constexpr bool suits<T, Home, FinerField<P>> = P::dimensions == Home::dimensions;
template <class T, class Home, class P>
inline constexpr bool suits<T, Home, CoarserField<P>> = P::dimensions == Home::dimensions;
template <class T, class Home, class P, Visits V>
inline constexpr bool suits<T, Home, Scatter<P, V>> = std::is_same_v<P, T>;

template <class T, class Home, class Parameters>
inline constexpr bool allSuit = false;
template <class T, class Home, class... Each>
inline constexpr bool allSuit<T, Home, std::tuple<Each...>> = (true && ... && suits<T, Home, Each>);

/// Checks that `Rule` is a member of class T, and its parameters.
/// @tparam T class of places or agents
/// @tparam Home class of places: T, or that on which the agents live
/// @return false after a failed static_assert
template <class T, class Home, auto Rule>
constexpr bool isValidRule() {
  using F = std::remove_cvref_t<decltype(Rule)>;
  static_assert(std::is_member_pointer_v<F>,
                "a rule is a member function (or an attribute) of the class of places or agents, "
                "such as &Cell::next; static functions, lambdas and free functions are none");
  if constexpr (std::is_member_pointer_v<F>) {
    constexpr bool isOfClass = std::is_base_of_v<typename MemberOf<F>::Class, T>;
    static_assert(isOfClass, "this rule is a member of another class than these places or agents");
    if constexpr (isOfClass && std::is_member_function_pointer_v<F>) {
      constexpr bool arePassedRight = Declared<F>::template all<IsPassedRight>;
      static_assert(arePassedRight,
                    "a rule takes its Intent by reference, and all other parameters by const "
                    "reference or by value: results belong into attributes");
      using Parameters = typename Traits<Rule>::Parameters;
      static_assert(!arePassedRight || allSuit<T, Home, Parameters>,
                    "a parameter of this rule is for another class or another number of "
                    "dimensions: Here<D>, Neighborhood<P>, Intent<A>, Streaming<P>, Links<P>, "
                    "Edges<P> and Scatter<P> are those of the places or agents that the rule runs "
                    "on, and a Field<P>, the places of a FieldResource or those of agents have as "
                    "many dimensions; ById, Give, FieldResource, FinerResource and CoarserResource "
                    "are for rules of agents, Resource and Prey for those of agents that live on "
                    "places with the attribute, and of another class than the prey");
      static_assert(
          haveDistinctObjects<Parameters>,
          "a rule has one Births for a class, one Give for an attribute and one Edges: raise "
          "its maximum");
      return arePassedRight && allSuit<T, Home, Parameters>;
    }
    return isOfClass;
  }
  return false;
}

template <class Given, class Arguments>
inline constexpr bool areConvertible = false;
template <class... Given, class... Arguments>
requires(sizeof...(Given) == sizeof...(Arguments)) inline constexpr bool areConvertible<
    std::tuple<Given...>, std::tuple<Arguments...>> = (true && ... &&
                                                       std::is_convertible_v<Given, Arguments>);

/// Checks the arguments of a call of a rule. @pre isValidRule() is true
/// @return false after a failed static_assert
template <auto Rule, class... Given>
constexpr bool areValidArguments() {
  using Arguments = typename Traits<Rule>::Arguments;
  constexpr bool isCountRight = sizeof...(Given) == std::tuple_size_v<Arguments>;
  static_assert(isCountRight,
                "this rule takes another number of arguments: after the parameters that the "
                "library provides, one argument for each, agents that it reads included");
  constexpr bool areRight = areConvertible<std::tuple<Given...>, Arguments>;
  static_assert(!isCountRight || areRight,
                "an argument of this call cannot be converted to the rule's parameter: Neighbors, "
                "NeighborSums, Residents, Births, ById and Give take Agents of their class, Field "
                "and FieldResource (likewise Finer... and Coarser...) take Places of theirs, Edges "
                "take those of the nodes, Shared<T> "
                "takes the result of Mass::share, "
                "other parameters a value of their type");
  return isCountRight && areRight;
}

/// Checks that callAll of places takes a rule. @pre isValidRule() is true
/// @return false after a failed static_assert
template <auto Rule>
constexpr bool isRuleOfPlaces() {
  static_assert(Changing<Rule> || ScatterRule<Rule>,
                "callAll takes a rule `void f(...)` that is not const, or `void f(const "
                "Scatter<P>&, ...) const`; a const function that returns a value is for reduce and "
                "map");
  return Changing<Rule> || ScatterRule<Rule>;
}
/// Checks that callAll of agents takes a rule. @pre isValidRule() is true
/// @return false after a failed static_assert
template <auto Rule>
constexpr bool isRuleOfAgents() {
  static_assert(Changing<Rule>,
                "callAll takes a rule `void f(...)` that is not const; a const function that "
                "returns a value is for reduce and map");
  return Changing<Rule>;
}
/// Checks a rule for reduce and map, and its arguments.
/// @return false after a failed static_assert
template <class T, class Home, auto Rule, class... Given>
constexpr bool isReading() {
  if constexpr (isValidRule<T, Home, Rule>()) {
    static_assert(Reading<Rule>,
                  "reduce and map take a const function that returns a value, or an attribute");
    if constexpr (Reading<Rule>) {
      constexpr bool requests = AgentRuleOf<Rule>::template hasIntent<T> ||
                                AgentRuleOf<Rule>::takes || AgentRuleOf<Rule>::hasRequests;
      static_assert(!requests,
                    "a rule that only reads its place or agent has no Intent, Births or Give, and "
                    "takes nothing");
      if constexpr (!requests) return areValidArguments<Rule, Given...>();
    }
  }
  return false;
}

/// Class with the members of mass::Sum.
template <class Op, class T>
concept Operation = requires(const Op& op) {
  typename Op::template Result<T>;
  op(Op::template identity<typename Op::template Result<T>>(),
     Op::template identity<typename Op::template Result<T>>());
};

/// Checks the operation of a reduction of values that `Rule` returns.
/// @return false after a failed static_assert
template <auto Rule, class Op>
constexpr bool isValidOperation() {
  using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
  static_assert(Operation<Op, T>,
                "reduce takes mass::sum, mass::minimum, mass::maximum, or an object of a class "
                "with the members of mass::Sum; std::plus and lambdas have no result for no "
                "values");
  return Operation<Op, T>;
}

/// Checks a call of callAll on places of class P. @return false after a failed static_assert
template <class P, auto Rule, class... Given>
constexpr bool isCallOfPlaces() {
  if constexpr (isValidRule<P, P, Rule>()) {
    if constexpr (isRuleOfPlaces<Rule>()) return areValidArguments<Rule, Given...>();
  }
  return false;
}
/// Checks a call of callAll on agents of class A. @return false after a failed static_assert
template <class A, auto Rule, class... Given>
constexpr bool isCallOfAgents() {
  if constexpr (isValidRule<A, typename A::Home, Rule>()) {
    if constexpr (isRuleOfAgents<Rule>()) return areValidArguments<Rule, Given...>();
  }
  return false;
}
/// Checks a reduction of places or agents of class T. @return false after a failed static_assert
template <class T, class Home, auto Rule, class Op, class... Given>
constexpr bool isReduction() {
  if constexpr (isReading<T, Home, Rule, Given...>()) return isValidOperation<Rule, Op>();
  return false;
}

/// Checks a count of places or agents of class T. @return false after a failed static_assert
template <class T, class Home, auto Rule, class... Given>
constexpr bool isCountOf() {
  if constexpr (isReading<T, Home, Rule, Given...>()) {
    using Value = std::remove_cvref_t<typename Traits<Rule>::Result>;
    constexpr bool isCategory = std::is_integral_v<Value> || std::is_enum_v<Value>;
    static_assert(isCategory, "values that are counted are integers or enums");
    return isCategory;
  }
  return false;
}

}  // namespace mass::detail

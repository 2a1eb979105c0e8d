#pragma once

// Templates that describe classes of places and agents for the package of Python. The source that
// mass.load generates for a header includes this file.

#include <python/model/arguments.hpp>
#include <python/model/events.hpp>
#include <python/model/model.hpp>
#include <python/model/structures.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mass::python {
/// Places or agents of a class, for their type-erased state.
template <class C>
struct PopulationOf {
  static constexpr bool isPlaces = false;
  using State = detail::AgentsState;
  using Handle = Agents<C>;
};
template <class C>
requires requires {
  C::dimensions;
}
struct PopulationOf<C> {
  static constexpr bool isPlaces = true;
  using State = detail::PlacesState;
  using Handle = Places<C>;
};

/// Makes the functions that call a member function or read an attribute of class C.
template <class C, auto Member>
struct RuleFunctions {
  using State = typename PopulationOf<C>::State;
  using Handle = typename PopulationOf<C>::Handle;
  using Traits = detail::Traits<Member>;
  using Arguments = typename Traits::Arguments;
  using Result = std::remove_cvref_t<typename Traits::Result>;

  static void callAll(const std::shared_ptr<State>& state, std::int64_t count,
                      const Value* values) {
    const Handle population(state);
    withArguments<Arguments>(values, state->engine, [&](const auto&... arguments) {
      if constexpr (std::is_same_v<State, detail::PlacesState>) {
        population.template callAll<Member>(steps(count), arguments...);
      } else {
        for (std::int64_t step = 0; step < count; ++step)
          population.template callAll<Member>(arguments...);
      }
    });
  }

  /// Call of the rule with its arguments.
  struct Call : RuleCall {
    explicit Call(Arguments given) : arguments(std::move(given)) {
      kernel = detail::changingKernel<C, Member, detail::WritesAll>(arguments);
    }
    Arguments arguments;
  };
  static std::unique_ptr<RuleCall> prepare(const std::shared_ptr<State>& state,
                                           const Value* values) {
    auto call = std::make_unique<Call>(withArguments<Arguments>(
        values, state->engine, [](auto... each) { return Arguments(std::move(each)...); }));
    detail::prepareArguments(*state, call->arguments);
    return call;
  }

  static void map(const std::shared_ptr<State>& state, const Value* values, void* results) {
    const auto mapped = withArguments<Arguments>(
        values, state->engine,
        [&](const auto&... arguments) { return Handle(state).template map<Member>(arguments...); });
    std::copy(mapped.begin(), mapped.end(), static_cast<Result*>(results));
  }

  template <class Op>
  static Number reduceBy(const std::shared_ptr<State>& state, Op op, const Value* values) {
    const auto result =
        withArguments<Arguments>(values, state->engine, [&](const auto&... arguments) {
          return Handle(state).template reduce<Member>(op, arguments...);
        });
    return static_cast<detail::SumOf<std::remove_const_t<decltype(result)>>>(result);
  }
  static Number reduce(const std::shared_ptr<State>& state, Operation operation,
                       const Value* values) {
    if (operation == Operation::sum) return reduceBy(state, sum, values);
    if (operation == Operation::minimum) return reduceBy(state, minimum, values);
    return reduceBy(state, maximum, values);
  }
};

/// True if a member function has the parameters of a rule; false for other functions of the class.
template <class F>
inline constexpr bool isRule = false;
template <class C, class R, class... T>
inline constexpr bool isRule<R (C::*)(T...)> = (true && ... &&
                                                detail::isParameter<std::decay_t<T>>());
template <class C, class R, class... T>
inline constexpr bool isRule<R (C::*)(T...) const> = (true && ... &&
                                                      detail::isParameter<std::decay_t<T>>());
template <class C, class R, class... T>
inline constexpr bool isRule<R (C::*)(T...) noexcept> = isRule<R (C::*)(T...)>;
template <class C, class R, class... T>
inline constexpr bool isRule<R (C::*)(T...) const noexcept> = isRule<R (C::*)(T...) const>;

/// Sets the functions of a rule. @pre Python can give all arguments
template <class C, auto Member>
constexpr void setFunctions(Rule<typename PopulationOf<C>::State>& rule) {
  using Functions = RuleFunctions<C, Member>;
  using Result = typename Functions::Result;
  if constexpr (detail::Changing<Member> || detail::ScatterRule<Member>) {
    rule.callAll = &Functions::callAll;
    if constexpr (PopulationOf<C>::isPlaces && !detail::ScatterRule<Member> &&
                  !detail::hasEffects<typename Functions::Arguments>)
      rule.prepare = &Functions::prepare;
  } else if constexpr (detail::Reading<Member> && isNumber<Result>) {
    rule.result = detail::elementTypeOf<Result>();
    rule.map = &Functions::map;
    rule.reduce = &Functions::reduce;
  }
}

/// Returns the description of a member function of class C.
template <class C, auto Member>
constexpr auto ruleOf(std::string_view name = detail::memberName<Member>()) {
  Rule<typename PopulationOf<C>::State> rule{name};
  if constexpr (isRule<std::remove_cvref_t<decltype(Member)>>) {
    using Arguments = typename RuleFunctions<C, Member>::Arguments;
    rule.parameters = parametersOf<Arguments>;
    if constexpr (areSupported<Arguments>) setFunctions<C, Member>(rule);
  }
  return rule;
}

/// Returns the descriptions of member functions of class C.
template <class C, auto... Members>
constexpr auto rulesOf(Rules<Members...> = {}) {
  return std::array<Rule<typename PopulationOf<C>::State>, sizeof...(Members)>{
      ruleOf<C, Members>()...};
}

/// Returns the attributes of class C.
template <class C>
constexpr auto makeAttributes() {
  std::array<AttributeType, static_cast<std::size_t>(detail::AttributeSlots<C>::attributes)> all{};
  std::size_t number = 0;
  detail::AttributeSlots<C>::forEach([&](auto slot) {
    using Slot = decltype(slot);
    all[number].name = detail::memberName<Slot::member>();
    if constexpr (!isNumber<typename Slot::Element> && isValue<typename Slot::Element>())
      all[number].structure = &valueInfo<typename Slot::Element>;
    ++number;
  });
  return all;
}
/// Attributes of class C.
template <class C>
inline constexpr auto attributesOf = makeAttributes<C>();

/// Returns the description of a class of places.
template <class P>
constexpr PlacesClass placesClass(std::span<const Rule<detail::PlacesState>> rules) {
  PlacesClass description{detail::typeName<P>(), P::dimensions, attributesOf<P>, rules,
                          eventsOf<P>()};
  if constexpr (detail::isNode<P>) {
    description.createGraph = [](Mass& mass, const Graph& graph, const std::string& name) {
      return mass.createGraph<P>(graph, name).sharedPopulation();
    };
  } else {
    description.create = [](Mass& mass, const std::vector<std::int64_t>& lengths,
                            const std::vector<Border>& borders, const std::string& name) {
      Shape<P::dimensions> shape{};
      PlacesOptions<P> options{.name = name};
      for (int axis = 0; axis < P::dimensions; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        shape[axis] = lengths[a];
        options.borders[a] = borders[a];
      }
      return mass.createPlaces<P>(shape, options).sharedPopulation();
    };
  }
  return description;
}

/// Returns the coordinates of places. @param indices row-major
template <class P>
std::vector<Coordinates<P::dimensions>> coordinatesIn(const Places<P>& places,
                                                      const std::vector<std::int64_t>& indices) {
  std::vector<Coordinates<P::dimensions>> where;
  for (const std::int64_t index : indices) where.push_back(places.coordinates(index));
  return where;
}

/// Returns the description of a class of agents.
template <class A>
constexpr AgentsClass agentsClass(std::span<const Rule<detail::AgentsState>> rules) {
  using Home = typename A::Home;
  return {
      detail::typeName<A>(),
      detail::typeName<Home>(),
      Home::dimensions,
      attributesOf<A>,
      rules,
      [](Mass& mass, const std::shared_ptr<detail::PlacesState>& home, std::int64_t count,
         Mass::IdentityOrder order, const std::string& name) {
        if constexpr (std::is_same_v<Home, NoSpace>)
          if (!home) return mass.createAgents<A>(count, name).sharedPopulation();
        return mass.createAgents<A>(Places<Home>(home), count, order, name).sharedPopulation();
      },
      [](Mass& mass, const std::shared_ptr<detail::PlacesState>& home,
         const std::vector<std::int64_t>& places, const std::string& name) {
        const Places<Home> world(home);
        return mass.createAgents<A>(world, coordinatesIn(world, places), name).sharedPopulation();
      },
      [](const std::shared_ptr<detail::AgentsState>& agents,
         const std::vector<std::int64_t>& places) {
        const Agents<A> all(agents);
        return all.add(coordinatesIn(Places<Home>(agents->home), places));
      }};
}

}  // namespace mass::python

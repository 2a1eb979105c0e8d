#pragma once

#include <mass/kernels/agent_order.hpp>
#include <mass/kernels/rule_traits.hpp>
#include <mass/kernels/stencil_kernels.hpp>
#include <mass/launch/agent_launch.hpp>
#include <mass/rules/intent.hpp>
#include <mass/rules/resource.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace mass::detail {

/// Surroundings of an agent: the neighbourhood of its place, and its intent.
template <class A>
struct AgentContext : Neighborhood<typename A::Home> {
  using AgentClass = A;
  std::int64_t agent;                ///< number of the agent on its device
  Intent<A>* intent;                 ///< null for a rule without an intent
  void* const* placesOut = nullptr;  ///< by component: buffers of places that agents take from
  LaneGroup lane{};
};

template <class A>
struct Parameter<Intent<A>> {
  static constexpr bool isArgument = false;
  MASS_FN static Intent<A>& from(const AgentContext<A>& context) { return *context.intent; }
};

template <auto Member>
struct Parameter<Resource<Member>> {
  static constexpr bool isArgument = false;
  template <class A>
  MASS_FN static Resource<Member> from(const AgentContext<A>& context) {
    return {context.placesOut, context.cursor()};
  }
};

template <class T>
inline constexpr bool isResource = false;
template <auto Member>
inline constexpr bool isResource<Resource<Member>> = true;
template <auto Member>
inline constexpr bool isResource<FieldResource<Member>> = true;
template <auto Member>
inline constexpr bool isResource<FinerResource<Member>> = true;
template <auto Member>
inline constexpr bool isResource<CoarserResource<Member>> = true;
template <class T>
inline constexpr bool isCoarserResource = false;
template <auto Member>
inline constexpr bool isCoarserResource<CoarserResource<Member>> = true;
template <class T>
inline constexpr bool isPrey = false;
template <class A>
inline constexpr bool isPrey<Prey<A>> = true;

/// True if a parameter T makes requests for other agents than that of the rule.
template <class T>
inline constexpr bool isRequest = false;
template <class A, int most>
inline constexpr bool isRequest<Births<A, most>> = true;
template <class P, int most>
inline constexpr bool isRequest<Edges<P, most>> = true;
template <auto Member, int most>
inline constexpr bool isRequest<Give<Member, most>> = true;
template <class T>
inline constexpr bool isById = false;
template <class A>
inline constexpr bool isById<ById<A>> = true;

/// Adds the component of the attribute of its own place that a parameter T takes from.
template <class T>
struct AddTaken {
  static void to(std::vector<int>&) {}
};
template <auto Member>
struct AddTaken<Resource<Member>> {
  static void to(std::vector<int>& components) {
    using P = typename MemberTraits<std::remove_cv_t<decltype(Member)>>::Class;
    components.push_back(static_cast<int>(AttributeSlotFor<P, Member>::first));
  }
};

template <class Parameters>
struct AgentRule;
/// Properties of a rule of agents, by its parameters.
template <class... T>
struct AgentRule<std::tuple<T...>> {
  template <class A>
  static constexpr bool hasIntent = (false || ... || std::is_same_v<T, Intent<A>>);
  /// True if the rule reads agents of its own class: then it must not run in place.
  template <class A>
  static constexpr bool readsOwnClass = (false || ... ||
                                         (std::is_same_v<T, Neighbors<A>> ||
                                          std::is_same_v<T, NeighborSums<A>> ||
                                          std::is_same_v<T, Residents<A>> ||
                                          std::is_same_v<T, ById<A>>));
  static constexpr bool readsPlaces = (false || ... || isNeighborhood<T>);
  static constexpr bool hasLanes = (false || ... || detail::hasLanes<T>);
  /// True if agents take from places or other agents: those of a place one after another.
  static constexpr bool takes = (false || ... || (isResource<T> || isPrey<T>));
  /// True if agents take from coarser places: those of a block of places one after another.
  static constexpr bool takesFromCoarser = (false || ... || isCoarserResource<T>);
  static_assert(
      !(takes && hasLanes),
      "a rule that takes (Resource, Prey) has no NeighborSums: use Neighbors, or two rules");
  static constexpr bool hasRequests = (false || ... || isRequest<T>);
  static_assert(
      !((hasRequests || ... || isById<T>)&&hasLanes),
      "a rule with Births, Edges, Give or ById has no NeighborSums: use Neighbors, or two rules");
  /// Returns the components of their own places that the agents take from.
  static std::vector<int> taken() {
    std::vector<int> components;
    (AddTaken<T>::to(components), ...);
    return components;
  }
};
template <auto Rule>
using AgentRuleOf = AgentRule<typename Traits<Rule>::Parameters>;

/// Returns the neighbourhood of an agent's place.
template <class A>
MASS_FN inline Neighborhood<typename A::Home> aroundAgent(const AgentLaunch& launch,
                                                          const void* const* placesIn,
                                                          std::int64_t agent, std::int64_t row,
                                                          std::int64_t line, std::int64_t column) {
  const Launch& places = launch.places;
  return {places,
          placesIn,
          {static_cast<Index>(places.layout.at(row, line, 0)),
           A::Home::dimensions == 1 ? Index{0} : static_cast<Index>(column)},
          row,
          line,
          column,
          RandomOwner{launch.agents.ids[agent]}};
}

/// Runs a changing rule on the agents [begin, end) of a device.
template <class A, auto Rule, class W>
MASS_FLATTEN void changeAgents(const AgentLaunch& shared, std::int64_t begin, std::int64_t end) {
  const AgentLaunch launch = shared;
  const auto arguments = argumentsOf<Rule>(launch.places);
  const auto change = [&](auto agent, auto row, auto line, auto column) {
    A self = loadPlace<A>(launch.agents.components, static_cast<Index>(agent));
    [[maybe_unused]] const A before = self;
    AgentContext<A> context{aroundAgent<A>(launch, launch.places.in, agent, row, line, column),
                            agent, nullptr, launch.places.out};
    if constexpr (AgentRuleOf<Rule>::template hasIntent<A>) {
      Intent<A> intent(launch, launch.children, agent, row, line, column);
      context.intent = &intent;
      apply<Rule>(self, context, arguments);
      launch.targets[agent] = intent.target();
    } else {
      apply<Rule>(self, context, arguments);
    }
    if constexpr (checked) checkWrites<A, W>(before, self, context);
    storePlace<A, W>(launch.out, static_cast<Index>(agent), self);
  };
  if constexpr (AgentRuleOf<Rule>::takesFromCoarser) {
    forEachOfWholeBlocks<A>(launch, ratioOfCoarser(arguments), begin, end, change);
  } else if constexpr (AgentRuleOf<Rule>::takes) {
    const WholePlaces whole(launch, begin, end);
    forEachAgent<A>(launch, whole.begin, whole.end, change);
  } else {
    forEachAgent<A>(launch, begin, end, change);
  }
}

/// Stores the results of a reading rule for the agents [begin, end) of a device, by agent.
template <class A, auto Rule>
MASS_FLATTEN void mapAgents(const AgentLaunch& shared, std::int64_t begin, std::int64_t end) {
  using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
  const AgentLaunch launch = shared;
  const auto arguments = argumentsOf<Rule>(launch.places);
  auto* const results = static_cast<Packed<T>*>(launch.results);
  forEachAgent<A>(launch, begin, end, [&](auto agent, auto row, auto line, auto column) {
    const A self = loadPlace<A>(launch.agents.components, static_cast<Index>(agent));
    const AgentContext<A> context{
        aroundAgent<A>(launch, launch.places.in, agent, row, line, column), agent, nullptr};
    results[agent] = static_cast<Packed<T>>(apply<Rule>(self, context, arguments));
  });
}

}  // namespace mass::detail

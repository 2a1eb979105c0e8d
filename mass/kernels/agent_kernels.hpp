#pragma once

#include <mass/kernels/rule_traits.hpp>
#include <mass/kernels/stencil_kernels.hpp>
#include <mass/launch/agent_launch.hpp>
#include <mass/rules/intent.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// What a rule of agents sees: the places around its own, and what it wants to do.
template <class A>
struct AgentContext : Neighborhood<typename A::Home> {
  using AgentClass = A;
  std::int64_t agent;  ///< its number
  Intent<A>* intent;   ///< null for a rule without one
  LaneGroup lane{};
};

template <class A>
struct Parameter<Intent<A>> {
  static constexpr bool isArgument = false;
  MASS_FN static Intent<A>& from(const AgentContext<A>& context) { return *context.intent; }
};

template <class Parameters>
struct AgentRule;
/// What a rule of agents does, from its parameters.
template <class... T>
struct AgentRule<std::tuple<T...>> {
  template <class A>
  static constexpr bool hasIntent = (false || ... || std::is_same_v<T, Intent<A>>);
  /// Then it must not write over what it reads.
  template <class A>
  static constexpr bool readsOwnClass = (false || ... ||
                                         (std::is_same_v<T, Neighbors<A>> ||
                                          std::is_same_v<T, NeighborSums<A>> ||
                                          std::is_same_v<T, Residents<A>>));
  static constexpr bool readsPlaces = (false || ... || isNeighborhood<T>);
  static constexpr bool hasLanes = (false || ... || detail::hasLanes<T>);
};
template <auto Rule>
using AgentRuleOf = AgentRule<typename Traits<Rule>::Parameters>;

/// Where a bin of the band is.
struct BinNumbers {
  std::int64_t row, line, column;
};
template <int D>
MASS_FN inline BinNumbers binNumbers(const BinIndexing& bins, std::int32_t bin) {
  // 32 bits are divided in a fraction of the time of 64.
  const auto number = static_cast<std::uint32_t>(bin);
  const auto columns = static_cast<std::uint32_t>(bins.columns);
  if constexpr (D == 1) return {number, 0, 0};
  if constexpr (D == 2) return {number / columns, 0, number % columns};
  const auto lines = static_cast<std::uint32_t>(bins.lines);
  return {number / columns / lines, number / columns % lines, number % columns};
}

/// Calls body(agent, row, line, column) for the agents [begin, end) of a device.
template <int D, class Body>
inline void forEachAgent(const AgentLaunch& launch, std::int64_t begin, std::int64_t end,
                         Body&& body) {
  const BinIndexing& bins = launch.agents.bins;
  for (std::int64_t agent = begin; agent < end; ++agent) {
    const auto at = binNumbers<D>(bins, launch.bin[agent]);
    body(agent, at.row, at.line, at.column);
  }
}

/// What a rule sees around an agent.
template <class A>
MASS_FN inline Neighborhood<typename A::Home> aroundAgent(const AgentLaunch& launch,
                                                          const void* const* placesIn,
                                                          std::int64_t agent, std::int64_t row,
                                                          std::int64_t line, std::int64_t column) {
  const Launch& places = launch.places;
  return {places,
          placesIn,
          {static_cast<Index>(places.layout.at(row, line, 0)), static_cast<Index>(column)},
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
  forEachAgent<A::Home::dimensions>(
      launch, begin, end, [&](auto agent, auto row, auto line, auto column) {
        A self = loadPlace<A>(launch.agents.components, static_cast<Index>(agent));
        [[maybe_unused]] const A before = self;
        AgentContext<A> context{aroundAgent<A>(launch, launch.places.in, agent, row, line, column),
                                agent, nullptr};
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
      });
}

/// Writes what a reading rule returns for every agent of a device, in their order.
template <class A, auto Rule>
MASS_FLATTEN void mapAgents(const AgentLaunch& shared, std::int64_t begin, std::int64_t end) {
  using T = std::remove_cvref_t<typename Traits<Rule>::Result>;
  const AgentLaunch launch = shared;
  const auto arguments = argumentsOf<Rule>(launch.places);
  auto* const results = static_cast<Packed<T>*>(launch.results);
  forEachAgent<A::Home::dimensions>(
      launch, begin, end, [&](auto agent, auto row, auto line, auto column) {
        const A self = loadPlace<A>(launch.agents.components, static_cast<Index>(agent));
        const AgentContext<A> context{
            aroundAgent<A>(launch, launch.places.in, agent, row, line, column), agent, nullptr};
        results[agent] = static_cast<Packed<T>>(apply<Rule>(self, context, arguments));
      });
}

}  // namespace mass::detail

#pragma once

#include <mass/rules/tallies.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace mass {

/// Value of Agent::travel for agents that may move to any place. The setting `MAX_AGENT_TRAVEL`
/// does not limit it. The cost of a move does not depend on its distance. On several devices,
/// manageAll exchanges agents between every two devices.
inline constexpr int anywhere = std::numeric_limits<int>::max();

/// Base class of the agents of a model, which live on places of class P. The data members of the
/// derived class are the attributes of an agent (listed in `Attributes`); its member functions are
/// the rules:
///
///     class Forager : public mass::Agent<Sugar> {
///      public:
///       static constexpr int capacity = 1;  // one agent per place
///       int sugar = 0;
///       using Attributes = mass::Attributes<&Forager::sugar>;
///       MASS_FN void forage(const mass::Neighborhood<Sugar>& near, mass::Intent<Forager>& intent);
///     };
///
/// A changing rule `void f(...)` may write the attributes of its own agent only. A reading rule
/// `T f(...) const` returns a value for reduce and map. Parameters of a rule, in any order:
/// - `const Neighborhood<P>&`: the places around the agent, and its own place;
/// - `const Neighbors<B>&`, `const NeighborSums<B>&`: agents of class B (or A) on the places
///   around, as before the call; the argument of callAll is an `Agents<B>`;
/// - `const Residents<B>&`: agents of class B on the agent's own place; likewise;
/// - `const FinerResidents<B>&`, `const CoarserResidents<B>&`: agents of class B on finer or
/// coarser
///   places; likewise;
/// - `const Field<Q>&`: other places; the argument of callAll is a `Places<Q>`;
/// - `const Resource<&P::member>&`, `const Prey<B>&` (changing rules only): what agents take from
///   their place, or of the agents of class B there; the argument of the latter is an `Agents<B>`;
/// - `const FieldResource<&Q::member>&`, `const FinerResource<&Q::member>&`,
///   `const CoarserResource<&Q::member>&` (changing rules only): what agents take from other
///   places; the argument of callAll is a `Places<Q>`;
/// - `const Links<P>&`: on nodes of a network, the links of the agent's node;
/// - `const Edges<P, n>&` (changing rules only): changes edges of that node; the argument of
/// callAll
///   is the `Places<P>`;
/// - `const Births<B, n>&` (changing rules only): creates agents of class B on the agent's place;
///   the argument of callAll is an `Agents<B>`;
/// - `const ById<B>&`: agents of class B (or A) by identity, as before the call; likewise;
/// - `const Give<&B::member>&` (changing rules only): adds to an attribute of agents by identity;
///   likewise;
/// - `Intent<A>&` (changing rules only): requests of the agent to the next manageAll;
/// - `const Shared<T>&` and values: further arguments of callAll.
template <class P>
class Agent {
 public:
  using Home = P;  ///< Class of the places that the agents live on.

  /// Maximum number of agents of one Agents object on a place; 0: no limit.
  static constexpr std::int64_t capacity = 0;
  /// Maximum distance of one move or birth, in places along each axis; `anywhere`: no limit.
  static constexpr int travel = 1;
  /// Maximum distance at which rules read agents of this class, in places along each axis.
  static constexpr int reach = 1;
  /// Maximum number of children of one agent between two calls of manageAll, 0 to 255.
  static constexpr int offspring = 0;
  /// True if rules may call Intent::moveToFree; each manageAll then searches all places.
  static constexpr bool seeksFreePlaces = false;

  /// For the library: the rule by which Simulation::observe makes histograms of agents.
  template <class Tag, std::size_t N>
  MASS_FN int binOf(detail::BinEdges<Tag, N> edges) const;
  /// For the library: the rule by which it reduces members of agents.
  template <class Numbers>
  MASS_FN detail::Values<Numbers::count> numbers(Numbers names) const;
};

}  // namespace mass

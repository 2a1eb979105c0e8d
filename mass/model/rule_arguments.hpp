#pragma once

#include <mass/launch/agent_launch.hpp>
#include <mass/launch/field_launch.hpp>
#include <mass/launch/resource_launch.hpp>
#include <mass/model/births.hpp>
#include <mass/model/edge_requests.hpp>
#include <mass/model/engine.hpp>
#include <mass/model/identity.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace mass::detail {

/// Argument of a rule that makes requests for other agents.
template <class T>
concept RequestSource = std::is_base_of_v<AnyBirthSource, T> ||
    std::is_base_of_v<AnyGiveSource, T> || std::is_base_of_v<AnyEdgeSource, T>;
/// Argument of a rule that changes more than the place or agent of the rule.
template <class T>
concept ChangedSource = RequestSource<T> || std::is_base_of_v<AnyResourceSource, T>;
/// Argument of a rule that is agents or other places.
template <class T>
concept Population = ChangedSource<T> || std::is_base_of_v<AnyAgentSource, T> ||
    std::is_base_of_v<FieldSource, T> || std::is_base_of_v<AnyIdentitySource, T>;

/// @throws UsageError if agents live on places of another shape than those of a rule, or of another
/// Mass
MASS_EXPORT void requireSameShape(const AgentsState& agents, const PlacesState& reader);
/// @throws UsageError if places of a rule belong to another Mass than others
MASS_EXPORT void requireSameMass(const PlacesState& other, const PlacesState& reader);
/// Returns the number of requests for which a device needs memory.
/// @param callers number of places or agents that run the rule @param most requests of each
/// @throws UsageError if requests cannot be numbered
MASS_EXPORT std::int64_t requestCapacity(std::int64_t callers, int most, const PlacesState& reader);

/// @throws UsageError if agents cannot deposit on places by the call for this scale; names the call
/// that can
/// @param scale places on which the agents live, compared with those that they deposit on
MASS_EXPORT void requireDeposit(const AgentsState& agents, const PlacesState& places, Scale scale);

/// Makes each device own the same part of agents that a rule reads and of its own places.
/// @param reader places of the rule, or those on which its agents live
/// @throws UsageError if the shape of the agents' places does not fit, or they belong to another
/// Mass
/// @throws DeviceError if the memory is too small
MASS_EXPORT void align(const AnyAgentSource& agents, PlacesState& reader);
/// Makes each device own the same part of places that a rule reads and of its own places.
/// @throws UsageError if their shapes do not fit, they are the same places, or belong to another
/// Mass
/// @throws DeviceError if the memory is too small
MASS_EXPORT void align(const FieldSource& field, PlacesState& reader);
MASS_EXPORT void align(const AnyResourceSource& resource, PlacesState& reader);
/// Sets the view of each device, with up-to-date halos.
MASS_EXPORT void setViews(AnyAgentSource& agents, const PlacesState& reader);
MASS_EXPORT void setViews(FieldSource& field, const PlacesState& reader);
/// Sets the view of each device of a component that the rule will change.
MASS_EXPORT void setViews(AnyResourceSource& resource, const PlacesState& reader);
/// Updates the padding of a component that a rule has changed, and marks its halos as stale.
MASS_EXPORT void finish(AnyResourceSource& resource);

/// Prepares an argument of a rule that is no population.
template <class T>
void align(const T& /*value*/, PlacesState& /*reader*/) requires(!Population<T>) {}
template <class T>
void setViews(T& /*value*/, const PlacesState& /*reader*/) requires(!Population<T>) {}

/// Declares which agents run the rule.
inline void setActors(AnyBirthSource& births, const AgentsState& actors) {
  births.parents = &actors;
}
inline void setActors(AnyGiveSource& gifts, const AgentsState& actors) {
  gifts.givers = &actors;
}
inline void setActors(AnyEdgeSource& edges, const AgentsState& actors) {
  edges.actors = &actors;
}
template <class T>
void setActors(T& /*value*/, const AgentsState& /*actors*/) requires(!RequestSource<T>) {}
/// Carries out the requests of an argument after the rule.
template <class T>
void finish(T& /*value*/) requires(!ChangedSource<T>) {}

/// Other places among the arguments of a rule of agents.
struct PlacesUse {
  const PlacesState* places;
  bool isTaken;  ///< the rule takes from them; otherwise it reads them as a field
  Scale scale;   ///< compared with the places on which the agents live
};
/// @throws UsageError if a rule takes from places that it reads as a field, or from coarser places
/// of several shapes
MASS_EXPORT void requireFittingUses(std::span<const PlacesUse> uses, const PlacesState& reader);
/// Adds the use of an argument, if it is other places.
template <class T>
void addUse(const T& argument, std::vector<PlacesUse>& uses) {
  constexpr bool isTaken = std::is_base_of_v<AnyResourceSource, T>;
  if constexpr (isTaken || std::is_base_of_v<FieldSource, T>)
    uses.push_back({argument.places.get(), isTaken, argument.scale});
}

/// Prepares the arguments of a rule, or of rules in turn: align() of all, then setViews(), since
/// addresses change when cuts move. @tparam Arguments std::tuple of the arguments of each rule
template <class... Arguments>
void prepareArguments(PlacesState& reader, Arguments&... arguments) {
  const auto forEach = [&](const auto& prepare) {
    (std::apply([&](auto&... each) { (prepare(each), ...); }, arguments), ...);
  };
  forEach([&](auto& argument) { align(argument, reader); });
  forEach([&](auto& argument) { setViews(argument, reader); });
}
/// Prepares the arguments of a rule of agents.
template <class Arguments>
void prepareArguments(const AgentsState& actors, Arguments& arguments) {
  std::vector<PlacesUse> uses;
  std::apply([&](auto&... each) { (setActors(each, actors), ...); }, arguments);
  std::apply([&](auto&... each) { (addUse(each, uses), ...); }, arguments);
  requireFittingUses(uses, *actors.home);
  prepareArguments(*actors.home, arguments);
}
/// Carries out the effects of a rule beyond its places or agents.
template <class Arguments>
void finishArguments(Arguments& arguments) {
  std::apply([](auto&... each) { (finish(each), ...); }, arguments);
}

}  // namespace mass::detail

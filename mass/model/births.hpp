#pragma once

#include <mass/launch/birth_launch.hpp>
#include <mass/model/engine.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// @throws UsageError if a rule on `reader` cannot create these agents: their places have another
/// shape or belong to another Mass
MASS_EXPORT void align(const AnyBirthSource& births, PlacesState& reader);
/// Sets the view of each device to an empty list with memory for all agents that the rule may
/// create. @throws DeviceError if the memory is too small
MASS_EXPORT void setViews(AnyBirthSource& births, const PlacesState& reader);
/// Gives identities to the agents that a rule has created, in the order of places or parents, and
/// keeps them for the next manageAll. All ranks call it together.
/// @throws UsageError if a rule on a GPU created too many; no agent is created then
MASS_EXPORT void finish(AnyBirthSource& births);

/// Agents that the host creates, in the order of their identities.
struct HostBirths {
  std::vector<std::int64_t> places;  ///< row-major indices
  /// By component: values of all agents, as in Newborns.
  std::vector<std::vector<char>> components;
};
/// Keeps agents for the next manageAll. All ranks call it with the same agents.
/// @return identity of the first
/// @throws UsageError if a place is outside the world
MASS_EXPORT std::uint64_t addAgents(AgentsState& agents, HostBirths births);

}  // namespace mass::detail

#pragma once

#include <mass/launch/identity_launch.hpp>
#include <mass/model/engine.hpp>
#include <mass/support/export.hpp>

#include <cstdint>

namespace mass::detail {

/// @throws UsageError if the agents belong to another Mass than `reader`
MASS_EXPORT void align(const AnyIdentitySource& agents, PlacesState& reader);
MASS_EXPORT void align(const AnyGiveSource& gifts, PlacesState& reader);
/// Sets the view of each device, with an up-to-date table of identities.
/// @throws DeviceError if the memory is too small
MASS_EXPORT void setViews(AnyIdentitySource& agents, const PlacesState& reader);
/// Sets the view of each device to an empty list with memory for all gifts that the rule may make.
/// @throws DeviceError if the memory is too small
MASS_EXPORT void setViews(AnyGiveSource& gifts, const PlacesState& reader);
/// Adds the gifts of a rule to the attribute of their receivers, in the order of the givers'
/// identities. All ranks call it together.
/// @throws UsageError if a rule on a GPU made too many; nothing is given then
MASS_EXPORT void finish(AnyGiveSource& gifts);
/// Returns the number of reads of, and gifts to, identities that no agent had, on all ranks, which
/// call it together.
MASS_EXPORT std::uint64_t missingIdentities(const AgentsState& agents);
/// Sets that number to that of a checkpoint.
void restoreMissing(AgentsState& agents, std::uint64_t former);

}  // namespace mass::detail

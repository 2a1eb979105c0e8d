#pragma once

#include <mass/launch/edge_launch.hpp>
#include <mass/model/engine.hpp>
#include <mass/support/export.hpp>

namespace mass::detail {

/// @throws UsageError if a rule on `reader` cannot change these edges: they are of other nodes
MASS_EXPORT void align(const AnyEdgeSource& edges, PlacesState& reader);
/// Sets the view of each device to an empty list with memory for all requests that the rule may
/// make. @throws DeviceError if the memory is too small
MASS_EXPORT void setViews(AnyEdgeSource& edges, const PlacesState& reader);
/// Changes the edges as a rule has requested. All ranks call it together.
/// @throws UsageError if a request cannot be carried out; no edge is changed then
/// @throws DeviceError if the memory is too small; no edge is changed then
MASS_EXPORT void finish(AnyEdgeSource& edges);

}  // namespace mass::detail

#pragma once

#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

// Transfers of the nodes of a network whose rows are in another order. All ranks call these
// functions together, but for writeNodes() and toOrderOfNodes().

/// Copies a component of nodes to host memory of every rank, in the order of nodes.
/// @param nodes range of nodes
void readNodes(const PlaceFields& fields, int component, RowRange nodes, void* packed);
/// Copies a component of nodes to host memory of rank 0. @param packed used on rank 0 only
void readNodesOnFirstRank(const PlaceFields& fields, int component, RowRange nodes, void* packed);
/// Sets a component of the nodes of this rank. @param packed values of all nodes of the range
void writeNodes(PlaceFields& fields, int component, RowRange nodes, const void* packed);
/// Returns the sum of the hashes of the nodes of this rank, as Device::hash().
std::uint64_t hashOfNodes(const PlaceFields& fields);
/// Puts the elements of an array with one for each row into the order of nodes.
MASS_EXPORT void toOrderOfNodes(const PlaceFields& fields, std::size_t elementSize, void* array);

}  // namespace mass::detail

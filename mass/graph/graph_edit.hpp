#pragma once

#include <mass/graph/graph.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace mass::detail {

/// Request to add an edge of a node, or to remove one.
struct EdgeChange {
  /// Kind of a request.
  enum class Kind { add, remove };

  Kind kind = Kind::add;
  std::int64_t node = 0;   ///< node that requests it
  std::int64_t other = 0;  ///< node at the other end; index of the link to remove
  double weight = 1;       ///< weight of an edge to add; no effect in a network without weights
};

/// Returns a network after changes, by its options: first all removals, of links by their indices
/// before the changes, then all additions in their order. Other links keep their order; each node
/// has new ones at the end.
/// @param changes changes whose nodes and links exist, and whose weights are numbers
/// @param counts receives the numbers of edges
/// @throws UsageError if there are too many links
MASS_EXPORT Graph changed(const Graph& graph, std::span<const EdgeChange> changes,
                          EdgeCounts& counts);

}  // namespace mass::detail

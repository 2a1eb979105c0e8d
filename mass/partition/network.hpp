#pragma once

#include <mass/graph/graph.hpp>
#include <mass/partition/row_partition.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mass::detail {

/// Network whose nodes are the rows of a world.
struct Network {
  Graph graph;                          ///< links between rows
  RowPartition partition;               ///< bands of the devices at first
  std::vector<std::int32_t> nodeOfRow;  ///< number of the node of each row; empty: the same
  std::vector<std::int32_t> rowOfNode;  ///< inverse of `nodeOfRow`
  bool isChanged = false;               ///< true if rules have changed edges

  /// Returns the links between nodes.
  MASS_EXPORT Graph byNodes() const;
  /// Returns links between nodes as links between rows; the inverse of byNodes().
  Graph byRows(const Graph& nodes) const;
  /// Returns the network with other links between its rows, which rules have changed.
  Network withLinks(Graph rows) const;
  /// True if rows are in another order than nodes.
  bool isOrdered() const { return !nodeOfRow.empty(); }
  /// Returns the number of the node of a row.
  std::int32_t nodeOf(std::int32_t row) const {
    return isOrdered() ? nodeOfRow[static_cast<std::size_t>(row)] : row;
  }
  /// Returns the row of a node.
  std::int32_t rowOf(std::int32_t node) const {
    return isOrdered() ? rowOfNode[static_cast<std::size_t>(node)] : node;
  }
};

/// Returns the cost of the rows before `row` in a step, in links.
std::int64_t costBefore(const Graph& rows, std::int64_t row);
/// Returns the first row in [first, end) before which the rows cost at least `cost`, or `end`.
std::int64_t rowAtCost(const Graph& rows, RowRange among, std::int64_t cost);

/// Returns a network whose nodes are rows in the order of their numbers, in bands of costs in
/// proportion to the weights.
/// @param weights relative size of the band of each device
/// @throws UsageError as RowPartition
Network inOrderOfNodes(Graph graph, std::span<const double> weights);

/// True if a network on one device is worth another order: it is large, and the numbers of links of
/// consecutive nodes differ often, so that processors mispredict the ends of loops over links.
bool isWorthSorting(const Graph& graph);

/// Returns a network whose rows are in another order. Within a band, nodes that the same other
/// bands read become neighbours, so that they are copied together; and, among those, nodes with
/// equal numbers of links.
/// @param order node at each position
/// @param bands number of positions of each device
Network inOrder(const Graph& graph, std::span<const std::int32_t> order,
                std::span<const std::int64_t> bands);

}  // namespace mass::detail

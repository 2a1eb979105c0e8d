#pragma once

#include <mass/graph/graph.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mass::detail {

/// Order of the nodes of a network in which linked nodes are near each other, cut into parts.
struct GraphPartition {
  std::vector<std::int32_t> order;  ///< node at each position
  std::vector<std::int64_t> cuts;   ///< first position of each part, then the number of nodes
};

/// Divides a network into parts of about equal work, 1 for a node and 1 for each of its links, with
/// few links between them: intervals of the order of the input or of orderNodes(), or parts by
/// METIS if those cut many links, the library was built with METIS, and no node has more than 50
/// times the mean number of links. The result is the same in every call of a build; ranks of
/// different builds must agree on that of one of them.
/// @param graph network; directions of links have no effect
/// @param shares relative work of each part, above 0; not more parts than nodes
/// @throws UsageError if there is no part, there are more parts than nodes, or a share is not
///   positive and finite
MASS_EXPORT GraphPartition partitionGraph(const Graph& graph, std::span<const double> shares);

/// Returns the network in which each link has one back, without self-loops: the network itself if
/// it is such a one, else one without duplicates and weights.
MASS_EXPORT Graph symmetricLinks(const Graph& graph);

/// Returns the nodes in the reverse order of Cuthill & McKee ("Reducing the bandwidth of sparse
/// symmetric matrices", ACM 1969; George, "Computer implementation of the finite element method",
/// 1971): node after node of a breadth-first search, the neighbours of each by their degrees.
/// @param graph network of symmetricLinks()
MASS_EXPORT std::vector<std::int32_t> orderNodes(const Graph& graph);

/// Returns the part of each node if an order of nodes is cut into intervals of the shares of work.
/// @param order node at each position
/// @param shares relative work of each part; at most one for each node
MASS_EXPORT std::vector<std::int32_t> intervalsOf(const Graph& graph,
                                                  std::span<const std::int32_t> order,
                                                  std::span<const double> shares);

/// Returns the part of each node by METIS (Karypis & Kumar, SIAM J. Sci. Comput. 20, 1998).
/// @param graph network of symmetricLinks()
/// @param shares relative work of each part; at least 2
/// @return nullopt if the library was built without METIS, the network has more than 10^9 nodes and
///   links, or METIS fails
MASS_EXPORT std::optional<std::vector<std::int32_t>> metisParts(const Graph& graph,
                                                                std::span<const double> shares);

}  // namespace mass::detail

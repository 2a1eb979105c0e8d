#pragma once

#include <mass/graph/graph.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <span>

namespace mass {

/// Returns a random network G(n, p), in which each pair of nodes has an edge with the same
/// probability (Erdos & Renyi, Publ. Math. Debrecen 6, 1959; Gilbert, Ann. Math. Statist. 30,
/// 1959). Its time is proportional to the nodes and edges (Batagelj & Brandes, Phys. Rev. E 71,
/// 2005). All generators return undirected networks without self-loops and duplicate edges, and the
/// same network for a seed on every machine.
/// @param nodes number of nodes
/// @param probability probability of an edge, 0 to 1
/// @param seed seed of the random numbers
/// @throws UsageError if there is no node, the probability is not from 0 to 1, or more than
///   Graph::largest links are expected
MASS_EXPORT Graph erdosRenyiGraph(std::int64_t nodes, double probability, std::uint64_t seed);

/// Returns a small-world network (Watts & Strogatz, Nature 393, 1998): a ring in which each node
/// has edges to the nearest nodes on both sides, and of each edge the far end is moved to a random
/// node with a given probability.
/// @param nodes number of nodes
/// @param neighbors number of edges of a node before any is moved; even, at least 2, below `nodes`
/// @param rewiring probability that an edge is moved, 0 to 1
/// @param seed seed of the random numbers
/// @throws UsageError if a number is out of its range, or there are too many links
MASS_EXPORT Graph wattsStrogatzGraph(std::int64_t nodes, std::int64_t neighbors, double rewiring,
                                     std::uint64_t seed);

/// Returns a scale-free network (Barabasi & Albert, Science 286, 1999): node after node is added to
/// a star, with edges to different earlier nodes, each chosen with a probability proportional to
/// its degree.
/// @param nodes number of nodes
/// @param edgesOfNode number of edges that each node adds; at least 1, below `nodes`. The star has
/// as
///   many, in its last node.
/// @param seed seed of the random numbers
/// @throws UsageError if a number is out of its range, or there are too many links
MASS_EXPORT Graph barabasiAlbertGraph(std::int64_t nodes, std::int64_t edgesOfNode,
                                      std::uint64_t seed);

/// Returns a grid whose nodes have edges to the next ones along each axis. Nodes are numbered in
/// row-major order, as places are.
/// @param shape number of nodes along each axis, 1 to 3 axes
/// @throws UsageError if `shape` has other axes or no nodes, or there are too many links
MASS_EXPORT Graph latticeGraph(std::span<const std::int64_t> shape);

/// Returns the grid of latticeGraph() with edges between the ends of each axis of at least 3 nodes.
/// @param shape number of nodes along each axis, 1 to 3 axes
/// @throws UsageError if `shape` has other axes or no nodes, or there are too many links
MASS_EXPORT Graph torusGraph(std::span<const std::int64_t> shape);

/// Returns a random geometric network: nodes are at random points of a unit square or cube, with
/// edges to all nodes within a radius (Gilbert, J. SIAM 9, 1961).
/// @param nodes number of nodes
/// @param radius largest distance of the ends of an edge; above 0 and finite
/// @param seed seed of the random numbers
/// @param dimensions 1, 2 (square) or 3 (cube)
/// @throws UsageError if a number is out of its range, or there are too many links
MASS_EXPORT Graph randomGeometricGraph(std::int64_t nodes, double radius, std::uint64_t seed,
                                       int dimensions = 2);

}  // namespace mass

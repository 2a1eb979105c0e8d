#pragma once

#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace mass {

namespace detail {
class GraphBuilder;
}

/// Numbers of edges that rules have added and removed; see Edges.
struct EdgeCounts {
  std::int64_t added = 0;    ///< edges added, or merged with one between the same nodes
  std::int64_t removed = 0;  ///< edges removed
  std::int64_t refused = 0;  ///< edges not added because of Graph::Options
};

/// Network of nodes 0 .. nodes() - 1 and their links, as compressed sparse rows. Each node has a
/// list of links to other nodes, in the order in which the edges were given. A directed edge is a
/// link of its source; an undirected one is a link of both ends.
///
///     const std::vector<mass::Graph::Edge> edges{{0, 1}, {1, 2}, {2, 0}};
///     const mass::Graph triangle(3, edges);
class MASS_EXPORT Graph {
 public:
  /// Edge between two nodes.
  struct Edge {
    std::int64_t source = 0;  ///< first node
    std::int64_t target = 0;  ///< second node

    /// True if both have the same source and the same target.
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  /// Links that an edge becomes.
  enum class Direction {
    undirected,  ///< one of each end; a self-loop is one link
    directed     ///< one of the source
  };

  /// Treatment of an edge from a node to itself.
  enum class SelfLoops { refuse, keep, drop };

  /// Treatment of a second edge with the ends of an earlier one, in any order if undirected.
  /// `merge` keeps the first, with the sum of the weights.
  enum class Duplicates { refuse, keep, merge };

  /// Meaning of a list of edges.
  struct Options {
    Direction direction = Direction::undirected;  ///< links that an edge becomes
    SelfLoops selfLoops = SelfLoops::refuse;      ///< treatment of edges from a node to itself
    Duplicates duplicates = Duplicates::refuse;   ///< treatment of repeated edges
  };

  /// Largest number of nodes, and of links.
  static constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();

  /// Makes an undirected network without self-loops and duplicate edges.
  /// @param nodes number of nodes, 1 to `largest`
  /// @param edges edges, of nodes below `nodes`
  /// @param weights weight of each edge, or empty
  /// @throws UsageError for the reasons of the constructor below
  Graph(std::int64_t nodes, std::span<const Edge> edges, std::span<const double> weights = {});

  /// Makes a network.
  /// @param nodes number of nodes, 1 to `largest`
  /// @param edges edges, of nodes below `nodes`
  /// @param weights weight of each edge, or empty
  /// @param options direction of the edges, treatment of self-loops and duplicates
  /// @throws UsageError if there is no node, a node of an edge does not exist, a weight is not a
  ///   number, there are too many links, or `options` refuses an edge, which the message names
  Graph(std::int64_t nodes, std::span<const Edge> edges, std::span<const double> weights,
        const Options& options);

  /// Returns the network with the given links; links of undirected edges are listed at both ends.
  /// @param offsets number of links of all nodes before each node, then the number of links
  /// @param targets target of each link, node after node
  /// @param weights weight of each link, or empty
  /// @param options treatment of self-loops and duplicates; `direction` only says how rules change
  ///   edges
  /// @throws UsageError for the reasons of the constructor, and if the offsets descend or do not
  /// end
  ///   at the number of targets
  static Graph ofLinks(std::span<const std::int64_t> offsets, std::span<const std::int32_t> targets,
                       std::span<const double> weights, const Options& options);
  /// Returns the network with the given links, without self-loops and duplicates.
  /// @throws UsageError for the same reasons
  static Graph ofLinks(std::span<const std::int64_t> offsets, std::span<const std::int32_t> targets,
                       std::span<const double> weights = {});

  /// Returns the number of nodes, at least 1.
  std::int64_t nodes() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  /// Returns the number of links of all nodes.
  std::int64_t links() const { return static_cast<std::int64_t>(targets_.size()); }
  /// Returns the number of links of a node, 0 <= node < nodes().
  std::int64_t degree(std::int64_t node) const { return begin(node + 1) - begin(node); }
  /// True if links have weights.
  bool isWeighted() const { return !weights_.empty(); }

  /// Returns the targets of the links of a node, 0 <= node < nodes().
  std::span<const std::int32_t> linksOf(std::int64_t node) const {
    return targets().subspan(index(begin(node)), index(degree(node)));
  }
  /// Returns the weights of the links of a node, 0 <= node < nodes(). @pre isWeighted()
  std::span<const double> weightsOf(std::int64_t node) const {
    return weights().subspan(index(begin(node)), index(degree(node)));
  }

  /// Returns the index of the first link of each node, then links(); nodes() + 1 numbers.
  std::span<const std::int64_t> offsets() const { return offsets_; }
  /// Returns the target of each link, node after node; links() numbers.
  std::span<const std::int32_t> targets() const { return targets_; }
  /// Returns the weight of each link; links() numbers, or none.
  std::span<const double> weights() const { return weights_; }

  /// Returns the network in which each link points the other way. The links of a node are ordered
  /// by the node that they pointed from.
  Graph reversed() const;

  /// Returns the meaning of edges, by which rules change them; see Edges.
  const Options& options() const { return options_; }

  /// Returns a hash of all nodes, links and weights.
  std::uint64_t hash() const;

  /// True if both have the same nodes, links, order of links, and weights.
  friend bool operator==(const Graph& a, const Graph& b) {
    return a.offsets_ == b.offsets_ && a.targets_ == b.targets_ && a.weights_ == b.weights_;
  }

 private:
  friend class detail::GraphBuilder;
  Graph() = default;

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::int64_t begin(std::int64_t node) const { return offsets_[index(node)]; }

  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> targets_;
  std::vector<double> weights_;
  Options options_;
};

}  // namespace mass

#pragma once

#include <mass/graph/graph.hpp>
#include <mass/random/philox.hpp>
#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Models of networks; each has random numbers of its own.
enum class GraphModel : std::uint64_t { erdosRenyi = 1, wattsStrogatz, barabasiAlbert, geometric };

/// Returns the random numbers of a node or an edge of a generated network. Models of agents, whose
/// seed may be the same, draw other numbers.
inline Random randomOf(GraphModel model, std::uint64_t seed, std::int64_t index) {
  constexpr std::uint64_t ofNetworks = 0x4e6574776f726b73;
  return Random({.seed = mix(seed ^ mix(ofNetworks + static_cast<std::uint64_t>(model))),
                 .index = static_cast<std::uint64_t>(index)});
}

/// @throws UsageError unless 0 <= value <= 1
inline void requireProbability(std::string_view name, double value) {
  if (!(value >= 0 && value <= 1)) throw UsageError("{} must be from 0 to 1, got {}", name, value);
}

/// Collects the edges of a generated network, which has neither self-loops nor duplicates.
class EdgeCollector {
 public:
  /// @param nodes number of nodes
  /// @param edges expected number of edges
  /// @throws UsageError if there is no node, or there are too many nodes or edges
  EdgeCollector(std::int64_t nodes, double edges) : nodes_(nodes) {
    require(nodes, edges);
    edges_.reserve(static_cast<std::size_t>(edges));
  }

  /// @throws UsageError if there is no node, or there are too many nodes or edges
  static void require(std::int64_t nodes, double edges) {
    if (nodes < 1) throw UsageError("a network needs at least one node, got {}", nodes);
    if (nodes > Graph::largest || edges > static_cast<double>(most))
      throw UsageError("a network of {} nodes and {:.4g} edges: at most {} and {} are possible",
                       nodes, edges, Graph::largest, most);
  }

  /// Adds an edge.
  /// @throws UsageError if there are too many
  void add(std::int64_t source, std::int64_t target) {
    if (static_cast<std::int64_t>(edges_.size()) == most)
      throw UsageError("a network of more than {} edges, which are the most possible", most);
    edges_.push_back({source, target});
  }

  /// Returns the network of all edges.
  Graph build() const { return Graph(nodes_, edges_, {}, {.duplicates = Graph::Duplicates::keep}); }

 private:
  static constexpr std::int64_t most = Graph::largest / 2;

  std::int64_t nodes_;
  std::vector<Graph::Edge> edges_;
};

}  // namespace mass::detail

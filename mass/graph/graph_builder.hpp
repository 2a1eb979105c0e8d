#pragma once

#include <mass/graph/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

/// Returns the name of an edge for messages, from its index: "edge 7", or a file and line.
using EdgeName = std::function<std::string(std::size_t edge)>;

/// Checks a list of edges and sorts it by nodes.
class GraphBuilder {
 public:
  /// @param nodes number of nodes
  /// @param edges, weights edges, and the weight of each or none; must outlive the object
  /// @param options meaning of the edges
  /// @param nameOf names edges in messages
  GraphBuilder(std::int64_t nodes, std::span<const Graph::Edge> edges,
               std::span<const double> weights, const Graph::Options& options, EdgeName nameOf)
      : nodes_(nodes),
        edges_(edges),
        weights_(weights),
        options_(options),
        nameOf_(std::move(nameOf)) {}

  /// Returns the network.
  /// @throws UsageError for the reasons of the constructor of Graph
  Graph build() const;

  /// Returns a network whose links are sorted by nodes already.
  /// @throws UsageError for the reasons of Graph::ofLinks()
  static Graph ofLinks(std::span<const std::int64_t> offsets, std::span<const std::int32_t> targets,
                       std::span<const double> weights, const Graph::Options& options);

  /// Returns a network of links that need no check.
  /// @throws UsageError if there are too many links
  static Graph assembled(std::vector<std::int64_t> offsets, std::vector<std::int32_t> targets,
                         std::vector<double> weights, const Graph::Options& options);

 private:
  void requireEdge(std::size_t edge) const;
  bool isDropped(const Graph::Edge& edge) const;
  bool hasTwoLinks(const Graph::Edge& edge) const;
  std::vector<std::int64_t> countLinks() const;
  void fillLinks(Graph& graph) const;
  [[noreturn]] void failDuplicate(Graph::Edge duplicate) const;

  std::int64_t nodes_;
  std::span<const Graph::Edge> edges_;
  std::span<const double> weights_;
  Graph::Options options_;
  EdgeName nameOf_;
};

}  // namespace mass::detail

#include <mass/graph/graph_builder.hpp>

#include <mass/support/error.hpp>

#include <fmt/core.h>

#include <cmath>
#include <numeric>
#include <optional>

namespace mass::detail {
namespace {

std::size_t asIndex(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

void requireNodes(std::int64_t nodes) {
  if (nodes < 1) throw UsageError("a network needs at least one node, got {}", nodes);
  if (nodes > Graph::largest)
    throw UsageError("a network of {} nodes: at most {} are possible", nodes, Graph::largest);
}

void requireWeights(std::size_t weights, std::size_t edges, const char* of) {
  if (weights == 0 || weights == edges) return;
  throw UsageError("{} weights for {} {}: give one for each, or none", weights, edges, of);
}

void requireLinks(std::int64_t links) {
  if (links <= Graph::largest) return;
  throw UsageError(
      "a network of {} links: at most {} are possible. An undirected edge makes two links.", links,
      Graph::largest);
}

std::string textOf(const Graph::Edge& edge) {
  return fmt::format("{} to {}", edge.source, edge.target);
}

/// Merges the links of a node that have the same target, and shortens the lists.
/// @return the second of two links with the same source and target; nullopt if `merging` or if
///   there are none
std::optional<Graph::Edge> mergeLinks(std::vector<std::int64_t>& offsets,
                                      std::vector<std::int32_t>& targets,
                                      std::vector<double>& weights, bool merging) {
  std::vector<std::int64_t> latest(offsets.size() - 1, -1);  // latest link to each node
  std::int64_t kept = 0;
  for (std::size_t node = 0; node + 1 < offsets.size(); ++node) {
    const std::int64_t first = kept;
    for (std::int64_t link = offsets[node]; link < offsets[node + 1]; ++link) {
      const std::int32_t target = targets[asIndex(link)];
      std::int64_t& known = latest[asIndex(target)];
      if (known >= first) {
        if (!merging) return Graph::Edge{static_cast<std::int64_t>(node), target};
        if (!weights.empty()) weights[asIndex(known)] += weights[asIndex(link)];
        continue;
      }
      known = kept;
      targets[asIndex(kept)] = target;
      if (!weights.empty()) weights[asIndex(kept)] = weights[asIndex(link)];
      ++kept;
    }
    offsets[node] = first;
  }
  offsets.back() = kept;
  targets.resize(asIndex(kept));
  if (!weights.empty()) weights.resize(asIndex(kept));
  return std::nullopt;
}

void requireOffsets(std::span<const std::int64_t> offsets, std::size_t links) {
  if (offsets.empty()) throw UsageError("a network needs offsets: one for each node, and one more");
  requireNodes(static_cast<std::int64_t>(offsets.size()) - 1);
  if (offsets.front() != 0) throw UsageError("offset 0 must be 0, got {}", offsets.front());
  for (std::size_t node = 0; node + 1 < offsets.size(); ++node) {
    if (offsets[node + 1] >= offsets[node]) continue;
    throw UsageError("offset {} is {}, less than {} before it", node + 1, offsets[node + 1],
                     offsets[node]);
  }
  requireLinks(offsets.back());
  if (offsets.back() != static_cast<std::int64_t>(links))
    throw UsageError("the last offset is {}, but there are {} targets", offsets.back(), links);
}

}  // namespace

void GraphBuilder::requireEdge(std::size_t edge) const {
  const Graph::Edge& ends = edges_[edge];
  for (const std::int64_t node : {ends.source, ends.target}) {
    if (node >= 0 && node < nodes_) continue;
    throw UsageError("{}: {}: node {} does not exist; the nodes are 0 to {}", nameOf_(edge),
                     textOf(ends), node, nodes_ - 1);
  }
  if (ends.source == ends.target && options_.selfLoops == Graph::SelfLoops::refuse)
    throw UsageError(
        "{}: {}: an edge from a node to itself; set selfLoops (Python: self_loops) to keep or drop",
        nameOf_(edge), textOf(ends));
  if (!weights_.empty() && std::isnan(weights_[edge]))
    throw UsageError("{}: {}: the weight is not a number", nameOf_(edge), textOf(ends));
}

bool GraphBuilder::isDropped(const Graph::Edge& edge) const {
  return edge.source == edge.target && options_.selfLoops == Graph::SelfLoops::drop;
}

bool GraphBuilder::hasTwoLinks(const Graph::Edge& edge) const {
  return options_.direction == Graph::Direction::undirected && edge.source != edge.target;
}

std::vector<std::int64_t> GraphBuilder::countLinks() const {
  std::vector<std::int64_t> counts(asIndex(nodes_) + 1);
  for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
    requireEdge(edge);
    const Graph::Edge& ends = edges_[edge];
    if (isDropped(ends)) continue;
    ++counts[asIndex(ends.source)];
    if (hasTwoLinks(ends)) ++counts[asIndex(ends.target)];
  }
  return counts;
}

void GraphBuilder::fillLinks(Graph& graph) const {
  std::vector<std::int64_t> next = graph.offsets_;
  const auto add = [&](std::int64_t node, std::int64_t target, std::size_t edge) {
    const std::size_t link = asIndex(next[asIndex(node)]++);
    graph.targets_[link] = static_cast<std::int32_t>(target);
    if (!weights_.empty()) graph.weights_[link] = weights_[edge];
  };
  for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
    const Graph::Edge& ends = edges_[edge];
    if (isDropped(ends)) continue;
    add(ends.source, ends.target, edge);
    if (hasTwoLinks(ends)) add(ends.target, ends.source, edge);
  }
}

void GraphBuilder::failDuplicate(Graph::Edge duplicate) const {
  const Graph::Edge swapped{duplicate.target, duplicate.source};
  const bool directed = options_.direction == Graph::Direction::directed;
  std::optional<std::size_t> earlier;
  for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
    const Graph::Edge& ends = edges_[edge];
    if (ends != duplicate && (directed || ends != swapped)) continue;
    if (earlier)
      throw UsageError("{}: {}: repeats {}; set duplicates to keep or merge", nameOf_(edge),
                       textOf(ends), nameOf_(*earlier));
    earlier = edge;
  }
  throw Error("the duplicate {} has no edge", textOf(duplicate));
}

Graph GraphBuilder::build() const {
  requireNodes(nodes_);
  requireWeights(weights_.size(), edges_.size(), "edges");
  Graph graph;
  graph.options_ = options_;
  graph.offsets_ = countLinks();
  std::exclusive_scan(graph.offsets_.begin(), graph.offsets_.end(), graph.offsets_.begin(),
                      std::int64_t{0});
  requireLinks(graph.offsets_.back());
  graph.targets_.resize(asIndex(graph.offsets_.back()));
  if (!weights_.empty()) graph.weights_.resize(graph.targets_.size());
  fillLinks(graph);
  if (options_.duplicates == Graph::Duplicates::keep) return graph;
  const auto duplicate = mergeLinks(graph.offsets_, graph.targets_, graph.weights_,
                                    options_.duplicates == Graph::Duplicates::merge);
  if (duplicate) failDuplicate(*duplicate);
  return graph;
}

Graph GraphBuilder::ofLinks(std::span<const std::int64_t> offsets,
                            std::span<const std::int32_t> targets, std::span<const double> weights,
                            const Graph::Options& options) {
  requireOffsets(offsets, targets.size());
  requireWeights(weights.size(), targets.size(), "links");
  std::vector<Graph::Edge> edges;
  edges.reserve(targets.size());
  for (std::size_t node = 0; node + 1 < offsets.size(); ++node) {
    for (std::int64_t link = offsets[node]; link < offsets[node + 1]; ++link)
      edges.push_back({static_cast<std::int64_t>(node), targets[asIndex(link)]});
  }
  Graph::Options directed = options;
  directed.direction = Graph::Direction::directed;
  Graph graph =
      GraphBuilder(static_cast<std::int64_t>(offsets.size()) - 1, edges, weights, directed,
                   [](std::size_t link) { return fmt::format("link {}", link); })
          .build();
  graph.options_ = options;
  return graph;
}

Graph GraphBuilder::assembled(std::vector<std::int64_t> offsets, std::vector<std::int32_t> targets,
                              std::vector<double> weights, const Graph::Options& options) {
  requireLinks(offsets.back());
  Graph graph;
  graph.offsets_ = std::move(offsets);
  graph.targets_ = std::move(targets);
  graph.weights_ = std::move(weights);
  graph.options_ = options;
  return graph;
}

}  // namespace mass::detail

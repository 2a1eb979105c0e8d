#include <mass/graph/graph_partition.hpp>

#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace mass::detail {
namespace {

/// Number of nodes of a part from which METIS divides well.
constexpr std::int64_t fewNodes = 16;

void requireShares(const Graph& graph, std::span<const double> shares) {
  if (shares.empty()) throw UsageError("a network needs at least one part, got none");
  if (static_cast<std::int64_t>(shares.size()) > graph.nodes())
    throw UsageError("{} nodes cannot be divided into {} parts: each needs at least one node",
                     graph.nodes(), shares.size());
  for (const double share : shares) {
    if (!(share > 0) || !std::isfinite(share))
      throw UsageError("the share of a part must be a positive number, got {}", share);
  }
}

/// Returns the number of nodes of each part.
std::vector<std::int64_t> sizesOf(std::span<const std::int32_t> parts, std::size_t count) {
  std::vector<std::int64_t> sizes(count);
  for (const std::int32_t part : parts) ++sizes[static_cast<std::size_t>(part)];
  return sizes;
}

/// Returns the share of links between different parts.
double cutShare(const Graph& graph, std::span<const std::int32_t> parts) {
  std::int64_t cut = 0;
  for (std::int64_t node = 0; node < graph.nodes(); ++node) {
    const std::int32_t own = parts[static_cast<std::size_t>(node)];
    for (const std::int32_t target : graph.linksOf(node))
      cut += parts[static_cast<std::size_t>(target)] != own;
  }
  return graph.links() == 0 ? 0 : static_cast<double>(cut) / static_cast<double>(graph.links());
}

/// Returns the order of the input or that of orderNodes(), whichever has fewer links between 64
/// intervals.
std::vector<std::int32_t> localOrder(const Graph& links) {
  const std::vector<double> intervals(
      static_cast<std::size_t>(std::min<std::int64_t>(64, links.nodes())), 1);
  const auto costOf = [&](std::span<const std::int32_t> order) {
    return cutShare(links, intervalsOf(links, order, intervals));
  };
  std::vector<std::int32_t> input(static_cast<std::size_t>(links.nodes()));
  std::iota(input.begin(), input.end(), 0);
  std::vector<std::int32_t> searched = orderNodes(links);
  return costOf(input) <= costOf(searched) ? input : searched;
}

/// True if a node has so many links that METIS would take minutes and find no good parts.
bool hasHubs(const Graph& links) {
  constexpr std::int64_t manyTimesTheMean = 50;
  std::int64_t largest = 0;
  for (std::int64_t node = 0; node < links.nodes(); ++node)
    largest = std::max(largest, links.degree(node));
  return largest * links.nodes() > manyTimesTheMean * links.links();
}

/// Returns the part of each node.
std::vector<std::int32_t> partsOf(const Graph& links, std::span<const std::int32_t> order,
                                  std::span<const double> shares) {
  constexpr double fewLinks = 0.02;
  auto intervals = intervalsOf(links, order, shares);
  const auto count = static_cast<std::int64_t>(shares.size());
  if (links.nodes() < count * fewNodes || hasHubs(links)) return intervals;
  const double cut = cutShare(links, intervals);
  if (cut < fewLinks) return intervals;
  const auto parts = metisParts(links, shares);
  if (!parts || cutShare(links, *parts) > cut) return intervals;
  const auto sizes = sizesOf(*parts, shares.size());
  const bool isComplete = std::find(sizes.begin(), sizes.end(), 0) == sizes.end();
  return isComplete ? *parts : intervals;
}

/// True if each link has one back, by comparison of hashes, and none is a self-loop.
bool isSymmetric(const Graph& graph) {
  std::uint64_t forth = 0;
  std::uint64_t back = 0;
  for (std::int64_t node = 0; node < graph.nodes(); ++node) {
    for (const std::int32_t target : graph.linksOf(node)) {
      if (target == node) return false;
      const auto source = static_cast<std::uint64_t>(node);
      const auto end = static_cast<std::uint64_t>(target);
      forth += mix(source << 32 | end);
      back += mix(end << 32 | source);
    }
  }
  return forth == back;
}

}  // namespace

Graph symmetricLinks(const Graph& graph) {
  if (isSymmetric(graph)) return graph;
  std::vector<Graph::Edge> edges;
  edges.reserve(static_cast<std::size_t>(graph.links()));
  for (std::int64_t node = 0; node < graph.nodes(); ++node)
    for (const std::int32_t target : graph.linksOf(node)) edges.push_back({node, target});
  return Graph(graph.nodes(), edges, {},
               {.selfLoops = Graph::SelfLoops::drop, .duplicates = Graph::Duplicates::merge});
}

std::vector<std::int32_t> intervalsOf(const Graph& graph, std::span<const std::int32_t> order,
                                      std::span<const double> shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  const auto work = static_cast<double>(graph.nodes() + graph.links());
  std::vector<std::int32_t> parts(order.size());
  std::size_t part = 0;
  double bound = work * (shares[0] / total);  // work up to the end of the part
  std::int64_t before = 0;                    // work before the position
  for (std::size_t position = 0; position < order.size(); ++position) {
    const std::int64_t own = 1 + graph.degree(order[position]);
    const std::size_t nodesLeft = order.size() - position;
    const std::size_t partsLeft = shares.size() - part - 1;
    const bool isFull = static_cast<double>(before) + static_cast<double>(own) / 2 > bound;
    if (position > 0 && partsLeft > 0 && (isFull || nodesLeft <= partsLeft)) {
      bound += work * (shares[++part] / total);
    }
    parts[static_cast<std::size_t>(order[position])] = static_cast<std::int32_t>(part);
    before += own;
  }
  return parts;
}

GraphPartition partitionGraph(const Graph& graph, std::span<const double> shares) {
  requireShares(graph, shares);
  const Graph links = symmetricLinks(graph);
  GraphPartition result;
  result.order = localOrder(links);
  const std::vector<std::int32_t> parts = partsOf(links, result.order, shares);
  const auto partOf = [&](std::int32_t node) { return parts[static_cast<std::size_t>(node)]; };
  std::stable_sort(result.order.begin(), result.order.end(),
                   [&](std::int32_t a, std::int32_t b) { return partOf(a) < partOf(b); });
  result.cuts.assign(1, 0);
  for (const std::int64_t size : sizesOf(parts, shares.size()))
    result.cuts.push_back(result.cuts.back() + size);
  return result;
}

}  // namespace mass::detail

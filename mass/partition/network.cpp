#include <mass/partition/network.hpp>

#include <mass/graph/graph_builder.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mass::detail {
namespace {

/// Cost of a row in a step besides that of its links, in links.
constexpr std::int64_t costOfRow = 4;
/// Number of consecutive nodes that are sorted by their numbers of links: enough for long runs of
/// equal ones, and few enough that nodes stay near those that were near.
constexpr std::int64_t sortedTogether = 4096;
/// Smallest network that is sorted on one device; views need the order of nodes.
constexpr std::int64_t minSortedNodes = 8 * sortedTogether;

std::size_t asIndex(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// Returns, by node, a bit mask of the other bands whose nodes read it. Bands from 64 on share the
/// bits.
std::vector<std::uint64_t> readersOf(const Graph& graph, const RowPartition& partition,
                                     std::span<const std::int32_t> positionOfNode) {
  std::vector<std::uint64_t> readers(asIndex(graph.nodes()));
  if (partition.devices() == 1) return readers;
  for (std::int64_t node = 0; node < graph.nodes(); ++node) {
    const int band = partition.owner(positionOfNode[asIndex(node)]);
    const RowRange own = partition.range(band);
    for (const std::int32_t end : graph.linksOf(node)) {
      const std::int64_t position = positionOfNode[asIndex(end)];
      if (position < own.begin || position >= own.end)
        readers[asIndex(end)] |= std::uint64_t{1} << band % 64;
    }
  }
  return readers;
}

/// Sorts the nodes of a band: those that the same other bands read become neighbours, and, among
/// those, nodes with equal numbers of links, in windows.
void sortBand(std::span<std::int32_t> nodes, const Graph& graph,
              std::span<const std::uint64_t> readers) {
  const auto readersOfNode = [&](std::int32_t node) { return readers[asIndex(node)]; };
  std::ranges::stable_sort(nodes, {}, readersOfNode);
  for (std::size_t begin = 0; begin < nodes.size();) {
    std::size_t end = begin + 1;
    while (end < nodes.size() && end < begin + asIndex(sortedTogether) &&
           readersOfNode(nodes[end]) == readersOfNode(nodes[begin]))
      ++end;
    std::ranges::stable_sort(nodes.subspan(begin, end - begin), std::ranges::greater{},
                             [&](std::int32_t node) { return graph.degree(node); });
    begin = end;
  }
}

/// Returns the inverse of a permutation.
std::vector<std::int32_t> inverseOf(std::span<const std::int32_t> permutation) {
  std::vector<std::int32_t> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[asIndex(permutation[i])] = static_cast<std::int32_t>(i);
  return inverse;
}

/// Returns a network whose nodes have other numbers.
/// @param nodeAt present number of each node in the new order @param numberOf its inverse
Graph renumbered(const Graph& graph, std::span<const std::int32_t> nodeAt,
                 std::span<const std::int32_t> numberOf) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> targets;
  std::vector<double> weights;
  offsets.reserve(asIndex(graph.nodes() + 1));
  targets.reserve(asIndex(graph.links()));
  for (const std::int32_t node : nodeAt) {
    for (const std::int32_t end : graph.linksOf(node)) targets.push_back(numberOf[asIndex(end)]);
    if (graph.isWeighted())
      weights.insert(weights.end(), graph.weightsOf(node).begin(), graph.weightsOf(node).end());
    offsets.push_back(static_cast<std::int64_t>(targets.size()));
  }
  return GraphBuilder::assembled(std::move(offsets), std::move(targets), std::move(weights),
                                 graph.options());
}

}  // namespace

Graph Network::byNodes() const {
  return isOrdered() ? renumbered(graph, rowOfNode, nodeOfRow) : graph;
}

Graph Network::byRows(const Graph& nodes) const {
  return isOrdered() ? renumbered(nodes, nodeOfRow, rowOfNode) : nodes;
}

Network Network::withLinks(Graph rows) const {
  return {std::move(rows), partition, nodeOfRow, rowOfNode, true};
}

std::int64_t costBefore(const Graph& rows, std::int64_t row) {
  return rows.offsets()[asIndex(row)] + costOfRow * row;
}

std::int64_t rowAtCost(const Graph& rows, RowRange among, std::int64_t cost) {
  while (among.size() > 0) {
    const std::int64_t middle = among.begin + among.size() / 2;
    if (costBefore(rows, middle) < cost)
      among.begin = middle + 1;
    else
      among.end = middle;
  }
  return among.begin;
}

Network inOrderOfNodes(Graph graph, std::span<const double> weights) {
  const std::int64_t nodes = graph.nodes();
  const RowPartition equal(nodes, weights);  // checks the weights
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto cost = static_cast<double>(costBefore(graph, nodes));
  std::vector<std::int64_t> bands;
  std::int64_t begin = 0;
  double upTo = 0;
  for (int device = 0; device < equal.devices(); ++device) {
    upTo += weights[asIndex(device)];
    const std::int64_t after = equal.devices() - 1 - device;  // bands of at least one row
    const auto wanted = static_cast<std::int64_t>(cost * (upTo / total));
    const std::int64_t end =
        after == 0 ? nodes
                   : std::clamp(rowAtCost(graph, {0, nodes}, wanted), begin + 1, nodes - after);
    bands.push_back(end - begin);
    begin = end;
  }
  return {std::move(graph), RowPartition::ofBands(bands), {}, {}, false};
}

bool isWorthSorting(const Graph& graph) {
  if (graph.nodes() < minSortedNodes) return false;
  std::int64_t changes = 0;
  for (std::int64_t node = 1; node < graph.nodes(); ++node)
    changes += graph.degree(node) == graph.degree(node - 1) ? 0 : 1;
  return changes > graph.nodes() / 8;
}

Network inOrder(const Graph& graph, std::span<const std::int32_t> order,
                std::span<const std::int64_t> bands) {
  RowPartition partition = RowPartition::ofBands(bands);
  const std::vector<std::uint64_t> readers = readersOf(graph, partition, inverseOf(order));
  std::vector<std::int32_t> nodeOfRow(order.begin(), order.end());
  for (int device = 0; device < partition.devices(); ++device) {
    const RowRange band = partition.range(device);
    sortBand(std::span(nodeOfRow).subspan(asIndex(band.begin), asIndex(band.size())), graph,
             readers);
  }
  std::vector<std::int32_t> rowOfNode = inverseOf(nodeOfRow);
  Graph rows = renumbered(graph, nodeOfRow, rowOfNode);
  return {std::move(rows), std::move(partition), std::move(nodeOfRow), std::move(rowOfNode), false};
}

}  // namespace mass::detail

#include <mass/partition/network.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace mass::detail {
namespace {

using Numbers = std::vector<std::int32_t>;

/// Returns a ring of directed links, node i to i + 1.
Graph ring(std::int64_t nodes, bool isWeighted = false) {
  std::vector<Graph::Edge> edges;
  std::vector<double> weights;
  for (std::int64_t node = 0; node < nodes; ++node) {
    edges.push_back({node, (node + 1) % nodes});
    if (isWeighted) weights.push_back(static_cast<double>(node));
  }
  return Graph(nodes, edges, weights, {.direction = Graph::Direction::directed});
}

TEST(Network, InTheOrderOfNodesHasBandsOfEqualCosts) {
  std::vector<std::int64_t> offsets{0, 20};  // node 0 has 20 links, the others none
  for (int node = 1; node < 11; ++node) offsets.push_back(20);
  const Numbers targets(20, 5);
  const Graph graph = Graph::ofLinks(offsets, targets, {}, {.duplicates = Graph::Duplicates::keep});
  const std::vector<double> weights{1, 1};
  const Network network = inOrderOfNodes(graph, weights);
  EXPECT_EQ(network.partition.bands(), (std::vector<std::int64_t>{3, 8}));
  EXPECT_FALSE(network.isOrdered());
  EXPECT_EQ(network.graph, graph);
}

TEST(Network, InAnotherOrderHasTheSameLinks) {
  const Numbers order{4, 0, 2, 1, 3, 5};
  const std::vector<std::int64_t> bands{2, 4};
  const Graph graph = ring(6, true);
  const Network network = inOrder(graph, order, bands);
  EXPECT_EQ(network.partition.bands(), bands);
  for (std::int64_t row = 0; row < 6; ++row) {
    const std::int32_t node = network.nodeOfRow[static_cast<std::size_t>(row)];
    EXPECT_EQ(network.rowOfNode[static_cast<std::size_t>(node)], row);
    ASSERT_EQ(network.graph.degree(row), 1);
    const std::int32_t end = network.graph.linksOf(row)[0];
    EXPECT_EQ(network.nodeOfRow[static_cast<std::size_t>(end)], (node + 1) % 6);
    EXPECT_EQ(network.graph.weightsOf(row)[0], node);
  }
}

TEST(Network, MakesNodesNeighboursThatTheSameBandsRead) {
  // Band 0 has nodes 0 to 3, of which band 1 reads 1 and 3 and reads no others.
  const std::vector<Graph::Edge> edges{{4, 1}, {4, 3}, {0, 1}, {2, 3}};
  const Graph graph(6, edges, {}, {.direction = Graph::Direction::directed});
  const Numbers order{0, 1, 2, 3, 4, 5};
  const std::vector<std::int64_t> bands{4, 2};
  EXPECT_EQ(inOrder(graph, order, bands).nodeOfRow, (Numbers{0, 2, 1, 3, 4, 5}));
}

TEST(Network, MakesNodesNeighboursThatHaveEquallyManyLinks) {
  const std::vector<Graph::Edge> edges{{1, 0}, {2, 0}, {2, 1}, {4, 0}, {5, 0}, {5, 3}};
  const Graph graph(6, edges, {}, {.direction = Graph::Direction::directed});
  const Numbers order{0, 1, 2, 3, 4, 5};
  const std::vector<std::int64_t> bands{6};
  EXPECT_EQ(inOrder(graph, order, bands).nodeOfRow, (Numbers{2, 5, 1, 4, 0, 3}));
}

TEST(Network, IsWorthSortingIfLargeAndNumbersOfLinksDifferOften) {
  const auto everySecond = [](std::int64_t nodes) {
    std::vector<Graph::Edge> edges;
    for (std::int64_t node = 2; node < nodes; node += 2) edges.push_back({node, node - 1});
    return Graph(nodes, edges, {}, {.direction = Graph::Direction::directed});
  };
  EXPECT_TRUE(isWorthSorting(everySecond(40000)));
  EXPECT_FALSE(isWorthSorting(everySecond(10000)));
  EXPECT_FALSE(isWorthSorting(ring(40000)));
}

}  // namespace
}  // namespace mass::detail

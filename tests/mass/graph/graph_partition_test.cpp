#include <mass/graph/graph_partition.hpp>

#include <mass/graph/generators.hpp>
#include <mass/support/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass::detail {
namespace {

using mass::testing::messageOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Edges = std::vector<Graph::Edge>;
using Nodes = std::vector<std::int32_t>;
using Shape = std::vector<std::int64_t>;
using Shares = std::vector<double>;

/// Checks that each node has one position, and that each part has a node.
void expectValid(const GraphPartition& partition, std::int64_t nodes, std::size_t parts) {
  Nodes sorted = partition.order;
  std::sort(sorted.begin(), sorted.end());
  Nodes all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  ASSERT_EQ(partition.cuts.size(), parts + 1);
  EXPECT_EQ(partition.cuts.front(), 0);
  EXPECT_EQ(partition.cuts.back(), nodes);
  for (std::size_t part = 0; part < parts; ++part)
    EXPECT_LT(partition.cuts[part], partition.cuts[part + 1]);
}

/// Returns the part of each node.
Nodes partsOf(const GraphPartition& partition) {
  Nodes parts(partition.order.size());
  for (std::size_t part = 0; part + 1 < partition.cuts.size(); ++part) {
    for (std::int64_t i = partition.cuts[part]; i < partition.cuts[part + 1]; ++i)
      parts[static_cast<std::size_t>(partition.order[static_cast<std::size_t>(i)])] =
          static_cast<std::int32_t>(part);
  }
  return parts;
}

/// Returns the number of links between different parts.
std::int64_t cutLinks(const Graph& graph, const Nodes& parts) {
  std::int64_t count = 0;
  for (std::int64_t node = 0; node < graph.nodes(); ++node)
    for (const std::int32_t target : graph.linksOf(node))
      count += parts[static_cast<std::size_t>(node)] != parts[static_cast<std::size_t>(target)];
  return count;
}

/// Returns the work of each part, divided by its share of all work.
std::vector<double> relativeWork(const Graph& graph, const Nodes& parts, const Shares& shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<double> work(shares.size());
  for (std::int64_t node = 0; node < graph.nodes(); ++node)
    work[static_cast<std::size_t>(parts[static_cast<std::size_t>(node)])] +=
        static_cast<double>(1 + graph.degree(node));
  for (std::size_t part = 0; part < work.size(); ++part)
    work[part] /= static_cast<double>(graph.nodes() + graph.links()) * shares[part] / total;
  return work;
}

/// Returns a grid of 60 x 60 nodes, numbered at random.
Graph shuffledLattice() {
  const Graph lattice = latticeGraph(Shape{60, 60});
  const auto renamed = [](std::int64_t node) { return node * 1999 % 3600; };
  Edges edges;
  for (std::int64_t node = 0; node < lattice.nodes(); ++node)
    for (const std::int32_t target : lattice.linksOf(node))
      if (node < target) edges.push_back({renamed(node), renamed(target)});
  return Graph(lattice.nodes(), edges);
}

TEST(GraphPartition, PartsOfALatticeAreBalancedAndHaveFewLinksBetweenThem) {
  const Graph graph = shuffledLattice();
  for (const std::size_t count : {2U, 3U, 8U}) {
    const Shares shares(count, 1);
    const GraphPartition partition = partitionGraph(graph, shares);
    expectValid(partition, graph.nodes(), count);
    const Nodes parts = partsOf(partition);
    for (const double work : relativeWork(graph, parts, shares)) EXPECT_NEAR(work, 1, 0.05);
    // In the order of the input, more than half of all links are between parts.
    EXPECT_LT(cutLinks(graph, parts), graph.links() / 7);
  }
}

TEST(GraphPartition, PartsHaveTheirShares) {
  const Graph graph = barabasiAlbertGraph(5000, 4, 1);
  const Shares shares{1, 4, 2};
  const GraphPartition partition = partitionGraph(graph, shares);
  expectValid(partition, graph.nodes(), 3);
  for (const double work : relativeWork(graph, partsOf(partition), shares))
    EXPECT_NEAR(work, 1, 0.05);
}

TEST(GraphPartition, WithoutMetisAnOrderIsCut) {
  const Graph graph = shuffledLattice();
  const Shares shares{1, 2, 1};
  const Nodes parts = intervalsOf(graph, orderNodes(graph), shares);
  for (const double work : relativeWork(graph, parts, shares)) EXPECT_NEAR(work, 1, 0.02);
  EXPECT_LT(cutLinks(graph, parts), graph.links() / 20);
}

TEST(GraphPartition, IsTheSameInEachCall) {
  const Graph graph = erdosRenyiGraph(3000, 2e-3, 1);
  const Shares shares(4, 1);
  const GraphPartition first = partitionGraph(graph, shares);
  const GraphPartition second = partitionGraph(graph, shares);
  EXPECT_EQ(first.order, second.order);
  EXPECT_EQ(first.cuts, second.cuts);
}

TEST(GraphPartition, EachPartHasANode) {
  for (const std::size_t count : {1U, 2U, 5U, 6U}) {
    expectValid(partitionGraph(Graph(6, Edges{{0, 1}}), Shares(count, 1)), 6, count);
    expectValid(partitionGraph(Graph(6, Edges{}), Shares(count, 1)), 6, count);
  }
  // All work is in the star's middle.
  Edges star;
  for (std::int64_t leaf = 1; leaf < 200; ++leaf) star.push_back({0, leaf});
  expectValid(partitionGraph(Graph(200, star), Shares(7, 1)), 200, 7);
}

TEST(GraphPartition, DirectionsHaveNoEffect) {
  const Graph::Options directed{.direction = Graph::Direction::directed,
                                .selfLoops = Graph::SelfLoops::keep};
  const Graph graph(4, Edges{{0, 1}, {1, 0}, {2, 1}, {3, 3}}, {}, directed);
  EXPECT_EQ(symmetricLinks(graph), Graph(4, Edges{{0, 1}, {2, 1}}));
  const Graph looped(2, Edges{{0, 1}, {1, 1}}, {}, {.selfLoops = Graph::SelfLoops::keep});
  EXPECT_EQ(symmetricLinks(looped), Graph(2, Edges{{0, 1}}));
}

TEST(NodeOrder, NumbersALineFromEndToEnd) {
  const Graph line(5, Edges{{3, 1}, {4, 0}, {0, 3}, {2, 4}});
  EXPECT_THAT(orderNodes(line),
              ::testing::AnyOf(ElementsAre(1, 3, 0, 4, 2), ElementsAre(2, 4, 0, 3, 1)));
}

TEST(NodeOrder, KeepsComponentsTogether) {
  const Nodes order = orderNodes(Graph(6, Edges{{0, 3}, {1, 4}}));
  const auto positionOf = [&](std::int32_t node) {
    return std::find(order.begin(), order.end(), node) - order.begin();
  };
  EXPECT_EQ(std::abs(positionOf(0) - positionOf(3)), 1);
  EXPECT_EQ(std::abs(positionOf(1) - positionOf(4)), 1);
}

TEST(NodeOrder, LinkedNodesOfALatticeAreNear) {
  const Graph graph = shuffledLattice();
  const Nodes order = orderNodes(graph);
  std::vector<std::int64_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    position[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  std::int64_t bandwidth = 0;
  for (std::int64_t node = 0; node < graph.nodes(); ++node)
    for (const std::int32_t target : graph.linksOf(node))
      bandwidth = std::max(bandwidth, std::abs(position[static_cast<std::size_t>(node)] -
                                               position[static_cast<std::size_t>(target)]));
  EXPECT_LE(bandwidth, 62);
}

TEST(GraphPartition, RefusesPartsWithoutNodesOrShares) {
  const Graph graph(3, Edges{{0, 1}});
  const auto refusal = [&](const Shares& shares) {
    return messageOf<UsageError>([&] { partitionGraph(graph, shares); });
  };
  EXPECT_THAT(refusal({}), HasSubstr("at least one part"));
  EXPECT_EQ(refusal({1, 1, 1, 1}),
            "3 nodes cannot be divided into 4 parts: each needs at least one node");
  EXPECT_THAT(refusal({1, 0}), HasSubstr("must be a positive number, got 0"));
  EXPECT_THAT(refusal({1, std::numeric_limits<double>::infinity()}), HasSubstr("got inf"));
}

}  // namespace
}  // namespace mass::detail

#include <mass/graph/graph.hpp>

#include <mass/support/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace {

using mass::Graph;
using mass::testing::messageOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Edges = std::vector<Graph::Edge>;
using Weights = std::vector<double>;

std::string refusalOf(std::int64_t nodes, const Edges& edges, const Weights& weights = {}) {
  return messageOf<mass::UsageError>([&] { return Graph(nodes, edges, weights); });
}

TEST(Graph, AnUndirectedEdgeIsALinkOfBothEnds) {
  const Graph graph(4, Edges{{2, 0}, {0, 1}, {2, 1}});
  EXPECT_EQ(graph.nodes(), 4);
  EXPECT_EQ(graph.links(), 6);
  EXPECT_THAT(graph.linksOf(0), ElementsAre(2, 1));
  EXPECT_THAT(graph.linksOf(1), ElementsAre(0, 2));
  EXPECT_THAT(graph.linksOf(2), ElementsAre(0, 1));
  EXPECT_THAT(graph.linksOf(3), IsEmpty());
  EXPECT_THAT(graph.offsets(), ElementsAre(0, 2, 4, 6, 6));
  EXPECT_FALSE(graph.isWeighted());
}

TEST(Graph, ADirectedEdgeIsALinkOfItsSource) {
  const Graph graph(3, Edges{{2, 0}, {0, 1}, {2, 1}, {0, 2}}, {},
                    {.direction = Graph::Direction::directed});
  EXPECT_THAT(graph.linksOf(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.linksOf(1), IsEmpty());
  EXPECT_THAT(graph.linksOf(2), ElementsAre(0, 1));
}

TEST(Graph, LinksHaveTheWeightsOfTheirEdges) {
  const Graph graph(3, Edges{{2, 0}, {0, 1}}, Weights{0.5, 7});
  EXPECT_TRUE(graph.isWeighted());
  EXPECT_THAT(graph.weightsOf(0), ElementsAre(0.5, 7));
  EXPECT_THAT(graph.weightsOf(1), ElementsAre(7));
  EXPECT_THAT(graph.weightsOf(2), ElementsAre(0.5));
}

TEST(Graph, NodesWithoutEdgesAreANetwork) {
  const Graph graph(2, Edges{});
  EXPECT_EQ(graph.nodes(), 2);
  EXPECT_EQ(graph.links(), 0);
  EXPECT_EQ(graph.degree(1), 0);
}

TEST(Graph, ReversedLinksPointTheOtherWay) {
  const Graph::Options directed{.direction = Graph::Direction::directed};
  const Graph graph(3, Edges{{2, 0}, {0, 1}, {2, 1}}, Weights{1, 2, 3}, directed);
  EXPECT_EQ(graph.reversed(), Graph(3, Edges{{1, 0}, {0, 2}, {1, 2}}, Weights{2, 1, 3}, directed));
  const Graph symmetric(3, Edges{{0, 1}, {1, 2}});
  EXPECT_EQ(symmetric.reversed(), symmetric);
}

TEST(Graph, RefusesToBeEmpty) {
  EXPECT_EQ(refusalOf(0, {}), "a network needs at least one node, got 0");
  EXPECT_EQ(refusalOf(-3, {}), "a network needs at least one node, got -3");
  EXPECT_THAT(refusalOf(std::int64_t{1} << 31, {}), HasSubstr("at most 2147483647"));
}

TEST(Graph, NamesAnEdgeWhoseNodeDoesNotExist) {
  EXPECT_EQ(refusalOf(3, {{0, 1}, {1, 3}}),
            "edge 1: 1 to 3: node 3 does not exist; the nodes are 0 to 2");
  EXPECT_THAT(refusalOf(3, {{-1, 1}}), HasSubstr("edge 0: -1 to 1: node -1 does not exist"));
  EXPECT_THAT(refusalOf(3, {{0, 1LL << 32}}), HasSubstr("node 4294967296 does not exist"));
}

TEST(Graph, NamesASelfLoop) {
  EXPECT_EQ(refusalOf(3, {{0, 1}, {2, 2}}),
            "edge 1: 2 to 2: an edge from a node to itself; set selfLoops (Python: "
            "self_loops) to keep or drop");
}

TEST(Graph, KeepsOrDropsSelfLoopsOnRequest) {
  const Edges edges{{1, 1}, {0, 1}};
  const Graph kept(2, edges, Weights{4, 5}, {.selfLoops = Graph::SelfLoops::keep});
  EXPECT_THAT(kept.linksOf(1), ElementsAre(1, 0));
  EXPECT_THAT(kept.weightsOf(1), ElementsAre(4, 5));
  const Graph dropped(2, edges, Weights{4, 5}, {.selfLoops = Graph::SelfLoops::drop});
  EXPECT_EQ(dropped, Graph(2, Edges{{0, 1}}, Weights{5}));
}

TEST(Graph, NamesADuplicateAndTheEdgeThatItRepeats) {
  EXPECT_EQ(refusalOf(3, {{0, 1}, {1, 2}, {1, 0}}),
            "edge 2: 1 to 0: repeats edge 0; set duplicates to keep or merge");
  const Graph::Options directed{.direction = Graph::Direction::directed};
  EXPECT_EQ(Graph(3, Edges{{0, 1}, {1, 0}}, {}, directed).links(), 2);
  const auto makeRepeated = [&] { return Graph(3, Edges{{0, 1}, {1, 0}, {1, 0}}, {}, directed); };
  EXPECT_THAT(messageOf<mass::UsageError>(makeRepeated),
              HasSubstr("edge 2: 1 to 0: repeats edge 1"));
}

TEST(Graph, KeepsDuplicatesOnRequest) {
  const Graph graph(3, Edges{{0, 1}, {0, 2}, {1, 0}}, {}, {.duplicates = Graph::Duplicates::keep});
  EXPECT_THAT(graph.linksOf(0), ElementsAre(1, 2, 1));
  EXPECT_THAT(graph.linksOf(1), ElementsAre(0, 0));
}

TEST(Graph, MergesDuplicatesAtTheFirstOfThem) {
  const Graph graph(4, Edges{{0, 1}, {0, 2}, {1, 0}, {3, 2}}, Weights{1, 2, 4, 8},
                    {.duplicates = Graph::Duplicates::merge});
  EXPECT_EQ(graph, Graph(4, Edges{{0, 1}, {0, 2}, {3, 2}}, Weights{5, 2, 8}));
}

TEST(Graph, NamesAnEdgeWhoseWeightIsNotANumber) {
  EXPECT_EQ(refusalOf(3, {{0, 1}, {1, 2}}, {1, std::nan("")}),
            "edge 1: 1 to 2: the weight is not a number");
}

TEST(Graph, RefusesOtherNumbersOfWeightsThanOfEdges) {
  EXPECT_EQ(refusalOf(3, {{0, 1}, {1, 2}}, {1}),
            "1 weights for 2 edges: give one for each, or none");
}

TEST(Graph, IsMadeOfLinksInTheirOrder) {
  const std::vector<std::int64_t> offsets{0, 2, 2, 3};
  const std::vector<std::int32_t> targets{2, 1, 0};
  const Graph graph = Graph::ofLinks(offsets, targets, Weights{1, 2, 3});
  EXPECT_THAT(graph.linksOf(0), ElementsAre(2, 1));
  EXPECT_THAT(graph.linksOf(1), IsEmpty());
  EXPECT_THAT(graph.weightsOf(2), ElementsAre(3));
}

TEST(Graph, NamesALinkThatIsWrong) {
  const auto make = [](const std::vector<std::int64_t>& offsets,
                       const std::vector<std::int32_t>& targets) {
    return messageOf<mass::UsageError>([&] { return Graph::ofLinks(offsets, targets); });
  };
  EXPECT_THAT(make({0, 1, 2}, {1, 2}), HasSubstr("link 1: 1 to 2: node 2 does not exist"));
  EXPECT_THAT(make({0, 2, 2}, {1, 1}), HasSubstr("link 1: 0 to 1: repeats link 0"));
  EXPECT_THAT(make({0, 1}, {0}), HasSubstr("link 0: 0 to 0: an edge from a node to itself"));
}

TEST(Graph, RefusesOffsetsThatDoNotFitTheTargets) {
  const auto make = [](const std::vector<std::int64_t>& offsets) {
    return messageOf<mass::UsageError>([&] {
      return Graph::ofLinks(offsets, std::vector<std::int32_t>{1, 0});
    });
  };
  EXPECT_THAT(make({}), HasSubstr("one for each node"));
  EXPECT_THAT(make({0}), HasSubstr("at least one node"));
  EXPECT_EQ(make({1, 1, 2}), "offset 0 must be 0, got 1");
  EXPECT_EQ(make({0, 2, 1, 2}), "offset 2 is 1, less than 2 before it");
  EXPECT_EQ(make({0, 1, 1}), "the last offset is 1, but there are 2 targets");
  EXPECT_THAT(make({0, 1, std::int64_t{1} << 31}),
              HasSubstr("a network of 2147483648 links: at most 2147483647 are possible"));
}

TEST(Graph, TheHashDependsOnNodesLinksOrderAndWeights) {
  const std::uint64_t hash = Graph(3, Edges{{0, 1}, {0, 2}}).hash();
  EXPECT_EQ(Graph(3, Edges{{1, 0}, {2, 0}}).hash(), hash);
  EXPECT_NE(Graph(4, Edges{{0, 1}, {0, 2}}).hash(), hash);
  EXPECT_NE(Graph(3, Edges{{0, 2}, {0, 1}}).hash(), hash);
  EXPECT_NE(Graph(3, Edges{{0, 1}, {0, 2}}, Weights{1, 1}).hash(), hash);
}

}  // namespace

#include <mass/graph/generators.hpp>

#include <mass/support/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::messageOf;
using Shape = std::vector<std::int64_t>;

/// Checks that all links are of undirected edges, none is a self-loop, and none occurs twice.
void expectSimple(const Graph& graph) {
  std::vector<std::pair<std::int64_t, std::int64_t>> links, swapped;
  for (std::int64_t node = 0; node < graph.nodes(); ++node) {
    for (const std::int32_t target : graph.linksOf(node)) {
      EXPECT_NE(node, target);
      links.emplace_back(node, target);
      swapped.emplace_back(target, node);
    }
  }
  std::sort(links.begin(), links.end());
  std::sort(swapped.begin(), swapped.end());
  EXPECT_TRUE(links == swapped);
  EXPECT_TRUE(std::adjacent_find(links.begin(), links.end()) == links.end());
}

double meanDegree(const Graph& graph) {
  return static_cast<double>(graph.links()) / static_cast<double>(graph.nodes());
}

double degreeVariance(const Graph& graph) {
  double sum = 0;
  for (std::int64_t node = 0; node < graph.nodes(); ++node)
    sum += std::pow(static_cast<double>(graph.degree(node)) - meanDegree(graph), 2);
  return sum / static_cast<double>(graph.nodes());
}

/// Returns the share of nodes with at least a number of links.
double shareOfDegree(const Graph& graph, std::int64_t least) {
  double count = 0;
  for (std::int64_t node = 0; node < graph.nodes(); ++node) count += graph.degree(node) >= least;
  return count / static_cast<double>(graph.nodes());
}

/// Returns the share of pairs of a node's neighbours that have an edge, as a mean over all nodes.
double clusteringOf(const Graph& graph) {
  double sum = 0;
  for (std::int64_t node = 0; node < graph.nodes(); ++node) {
    const auto links = graph.linksOf(node);
    double closed = 0;
    for (const std::int32_t a : links) {
      const auto others = graph.linksOf(a);
      for (const std::int32_t b : links)
        closed += std::find(others.begin(), others.end(), b) != others.end();
    }
    const auto degree = static_cast<double>(links.size());
    if (degree > 1) sum += closed / (degree * (degree - 1));
  }
  return sum / static_cast<double>(graph.nodes());
}

/// Returns the number of ordered pairs of different nodes.
double pairsOf(const Graph& graph) {
  return static_cast<double>(graph.nodes()) * static_cast<double>(graph.nodes() - 1);
}

TEST(ErdosRenyi, DegreesAreBinomial) {
  const Graph graph = erdosRenyiGraph(20'000, 5e-4, 1);
  expectSimple(graph);
  EXPECT_NEAR(meanDegree(graph), 10, 0.1);
  EXPECT_NEAR(degreeVariance(graph), 10, 0.4);
}

TEST(ErdosRenyi, LinksAreSpreadOverAllPairs) {
  const Graph graph = erdosRenyiGraph(2000, 0.3, 2);
  double upper = 0;
  for (std::int64_t node = 0; node < 1000; ++node)
    for (const std::int32_t target : graph.linksOf(node)) upper += target < 1000;
  EXPECT_NEAR(upper, 0.3 * 1000 * 999, 1500);
  EXPECT_NEAR(static_cast<double>(graph.links()), 0.3 * 2000 * 1999, 3000);
}

TEST(ErdosRenyi, ProbabilitiesMayBeZeroOrOneOrTiny) {
  EXPECT_EQ(erdosRenyiGraph(10, 0, 1).links(), 0);
  EXPECT_EQ(erdosRenyiGraph(10, 1, 1).links(), 90);
  EXPECT_EQ(erdosRenyiGraph(1, 0.5, 1).links(), 0);
  EXPECT_EQ(erdosRenyiGraph(1000, 1e-300, 1).links(), 0);
  const Graph sparse = erdosRenyiGraph(300'000, 1e-7, 3);
  EXPECT_NEAR(static_cast<double>(sparse.links()), 9000, 500);
}

TEST(WattsStrogatz, WithoutRewiringIsARing) {
  const Graph graph = wattsStrogatzGraph(1000, 6, 0, 1);
  expectSimple(graph);
  EXPECT_THAT(graph.linksOf(10), ::testing::UnorderedElementsAre(7, 8, 9, 11, 12, 13));
  EXPECT_NEAR(clusteringOf(graph), 3.0 * 4 / (4 * 5), 1e-12);
}

TEST(WattsStrogatz, RewiringReducesTheClustering) {
  const Graph graph = wattsStrogatzGraph(10'000, 10, 0.2, 1);
  expectSimple(graph);
  EXPECT_EQ(graph.links(), 100'000);
  const double ofRing = 3.0 * 8 / (4 * 9);
  EXPECT_NEAR(clusteringOf(graph), ofRing * std::pow(1 - 0.2, 3), 0.015);
}

TEST(WattsStrogatz, RewiresAllEdgesOnRequest) {
  const Graph graph = wattsStrogatzGraph(10'000, 8, 1, 1);
  expectSimple(graph);
  EXPECT_LT(clusteringOf(graph), 0.005);
  EXPECT_NEAR(degreeVariance(graph), 4, 0.2);
}

TEST(WattsStrogatz, ACompleteNetworkHasNothingToRewire) {
  const Graph graph = wattsStrogatzGraph(7, 6, 1, 1);
  expectSimple(graph);
  EXPECT_EQ(graph.links(), 42);
}

TEST(BarabasiAlbert, TheTailOfDegreesIsAPowerLaw) {
  constexpr double m = 3;
  const Graph graph = barabasiAlbertGraph(50'000, 3, 1);
  expectSimple(graph);
  EXPECT_EQ(graph.links(), 2 * 3 * (50'000 - 3));
  // Dorogovtsev, Mendes & Samukhin, Phys. Rev. Lett. 85, 2000.
  for (const std::int64_t degree : {4, 8, 16, 32}) {
    const auto k = static_cast<double>(degree);
    const double share = m * (m + 1) / (k * (k + 1));
    EXPECT_NEAR(shareOfDegree(graph, degree), share, 0.02 * share + 4 * std::sqrt(share / 5e4));
  }
}

TEST(BarabasiAlbert, BeginsWithAStar) {
  const Graph graph = barabasiAlbertGraph(3, 2, 1);
  EXPECT_THAT(graph.linksOf(2), ElementsAre(0, 1));
  EXPECT_EQ(graph.links(), 4);
}

TEST(Lattice, HasEdgesAlongEachAxis) {
  const Graph line = latticeGraph(Shape{4});
  EXPECT_EQ(line, Graph(4, std::vector<Graph::Edge>{{0, 1}, {1, 2}, {2, 3}}));
  const Graph grid = latticeGraph(Shape{2, 3});
  EXPECT_THAT(grid.linksOf(1), ::testing::UnorderedElementsAre(0, 2, 4));
  EXPECT_THAT(grid.linksOf(5), ::testing::UnorderedElementsAre(2, 4));
  const Graph volume = latticeGraph(Shape{3, 4, 5});
  expectSimple(volume);
  EXPECT_EQ(volume.links(), 2 * (2 * 4 * 5 + 3 * 3 * 5 + 3 * 4 * 4));
  EXPECT_EQ(latticeGraph(Shape{1}).links(), 0);
}

TEST(Lattice, ATorusClosesEachAxisOfAtLeastThreeNodes) {
  const Graph grid = torusGraph(Shape{3, 4});
  expectSimple(grid);
  EXPECT_THAT(grid.linksOf(0), ::testing::UnorderedElementsAre(1, 3, 4, 8));
  EXPECT_EQ(grid.links(), 4 * 12);
  const Graph thin = torusGraph(Shape{2, 5, 1});
  expectSimple(thin);
  EXPECT_THAT(thin.linksOf(0), ::testing::UnorderedElementsAre(1, 4, 5));
}

TEST(RandomGeometric, DensityIsThatOfPointsInAUnitCube) {
  const double r = 0.05;
  const Graph line = randomGeometricGraph(2000, r, 1, 1);
  expectSimple(line);
  EXPECT_NEAR(static_cast<double>(line.links()) / pairsOf(line), 2 * r - r * r, 0.002);
  const Graph square = randomGeometricGraph(20'000, r / 2, 1);
  const double s = r / 2;
  EXPECT_NEAR(static_cast<double>(square.links()) / pairsOf(square),
              std::acos(-1.0) * s * s - 8.0 / 3 * s * s * s + s * s * s * s / 2, 2e-5);
  expectSimple(square);
  const Graph cube = randomGeometricGraph(500, 2, 1, 3);
  EXPECT_EQ(cube.links(), 500 * 499);
}

TEST(RandomGeometric, ALargerRadiusAddsEdges) {
  const Graph near = randomGeometricGraph(1000, 0.1, 7, 3);
  const Graph far = randomGeometricGraph(1000, 0.101, 7, 3);
  EXPECT_GT(far.links(), near.links());
  for (std::int64_t node = 0; node < near.nodes(); ++node) {
    for (const std::int32_t target : near.linksOf(node))
      EXPECT_THAT(far.linksOf(node), ::testing::Contains(target));
  }
}

TEST(Generators, ASeedGivesTheSameNetworkEverywhere) {
  EXPECT_EQ(erdosRenyiGraph(1000, 0.01, 42).hash(), 0xb3d9d04d1e6b103bU);
  EXPECT_EQ(wattsStrogatzGraph(1000, 6, 0.3, 42).hash(), 0x4a047cd157256470U);
  EXPECT_EQ(barabasiAlbertGraph(1000, 5, 42).hash(), 0x642c6f50b22187ebU);
  EXPECT_EQ(randomGeometricGraph(1000, 0.05, 42).hash(), 0x8483059fd5c9ce00U);
  EXPECT_EQ(torusGraph(Shape{10, 20}).hash(), 0xb910e76ac5ccdfd6U);
}

TEST(Generators, OtherSeedsGiveOtherNetworks) {
  EXPECT_NE(erdosRenyiGraph(1000, 0.01, 1), erdosRenyiGraph(1000, 0.01, 2));
  EXPECT_NE(wattsStrogatzGraph(1000, 6, 0.3, 1), wattsStrogatzGraph(1000, 6, 0.3, 2));
  EXPECT_NE(barabasiAlbertGraph(1000, 5, 1), barabasiAlbertGraph(1000, 5, 2));
  EXPECT_NE(randomGeometricGraph(1000, 0.05, 1), randomGeometricGraph(1000, 0.05, 2));
}

TEST(Generators, RefuseNumbersOutOfRange) {
  const auto refusal = [](const auto& make) { return messageOf<UsageError>(make); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal([] { erdosRenyiGraph(10, 1.5, 1); }),
            "the probability of an edge must be from 0 to 1, got 1.5");
  EXPECT_THAT(refusal([&] { erdosRenyiGraph(10, nan, 1); }), HasSubstr("from 0 to 1, got nan"));
  EXPECT_THAT(refusal([] { erdosRenyiGraph(0, 0.5, 1); }), HasSubstr("at least one node"));
  EXPECT_THAT(refusal([] { erdosRenyiGraph(100'000, 0.5, 1); }),
              HasSubstr("a network of 100000 nodes and 2.5e+09 edges: at most"));
  EXPECT_THAT(refusal([] { wattsStrogatzGraph(10, 3, 0.5, 1); }), HasSubstr("must be even"));
  EXPECT_THAT(refusal([] { wattsStrogatzGraph(10, 10, 0.5, 1); }), HasSubstr("less than the"));
  EXPECT_THAT(refusal([] { wattsStrogatzGraph(10, 2, -1, 1); }), HasSubstr("rewiring must be"));
  EXPECT_THAT(refusal([] { wattsStrogatzGraph(100'000, 90'000, 0, 1); }), HasSubstr("at most"));
  EXPECT_THAT(refusal([] { barabasiAlbertGraph(10, 10, 1); }), HasSubstr("10 edges of each of 10"));
  EXPECT_THAT(refusal([] { barabasiAlbertGraph(10, 0, 1); }), HasSubstr("at least 1"));
  EXPECT_THAT(refusal([] { latticeGraph(Shape{}); }), HasSubstr("a lattice of 0 axes"));
  EXPECT_THAT(refusal([] { latticeGraph(Shape{2, 0}); }), HasSubstr("at least one node along"));
  EXPECT_THAT(refusal([] { torusGraph(Shape{1 << 30, 1 << 30, 1 << 30}); }), HasSubstr("at most"));
  EXPECT_THAT(refusal([] { randomGeometricGraph(10, 0, 1); }), HasSubstr("got 0"));
  EXPECT_THAT(refusal([] { randomGeometricGraph(10, 0.1, 1, 4); }), HasSubstr("in 4 dimensions"));
}

}  // namespace
}  // namespace mass

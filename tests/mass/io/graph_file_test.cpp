#include <mass/io/graph_file.hpp>

#include <mass/support/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using ::testing::HasSubstr;
using testing::messageOf;
using testing::writeBytes;
using Edges = std::vector<Graph::Edge>;
using Weights = std::vector<double>;

constexpr Graph::Options directed{.direction = Graph::Direction::directed};

class GraphFile : public ::testing::Test {
 protected:
  Graph read(std::string_view name, std::string_view contents, const Graph::Options& options = {}) {
    writeBytes(folder / name, contents);
    return readGraph(folder / name, options);
  }
  /// Checks the end of the message about a file: all after the path of the folder.
  void expectRefused(std::string_view name, std::string_view contents, const std::string& message) {
    EXPECT_THAT(messageOf<InputError>([&] { read(name, contents); }), HasSubstr(message))
        << contents;
  }

  testing::TemporaryFolder folder;
};

TEST_F(GraphFile, ReadsAListOfEdges) {
  const Graph wanted(4, Edges{{3, 0}, {0, 1}});
  EXPECT_EQ(read("a.csv", "source,target\n3,0\n0,1\n"), wanted);
  EXPECT_EQ(read("a.tsv", "# a comment\nname\ttarget\tsource\nx\t0\t3\ny\t1\t0\n"), wanted);
}

TEST_F(GraphFile, ReadsAListOfDirectedEdgesWithWeights) {
  EXPECT_EQ(read("a.csv", "source,target,weight\n2,0,0.5\n0,2,-1\n", directed),
            Graph(3, Edges{{2, 0}, {0, 2}}, Weights{0.5, -1}, directed));
}

TEST_F(GraphFile, NamesTheLineOfAWrongEdgeOfAList) {
  expectRefused("a.csv", "from,to\n0,1\n", "a.csv:1: there is no column 'source'");
  expectRefused("a.csv", "source,target\n0,1\n\n-1,0\n", "a.csv:4: 'source' = -1 is no node");
  expectRefused("a.csv", "source,target\n0,2147483647\n", "a.csv:2: 'target' = 2147483647 is no");
  expectRefused("a.csv", "source,target\n0,b\n", "a.csv:2: 'target' = 'b'");
  expectRefused("a.csv", "source,target\n0,1\n2,2\n", "a.csv:3: 2 to 2: an edge from a node to it");
  expectRefused("a.csv", "source,target,weight\n0,1,1\n0,2,nan\n", "a.csv:3: 0 to 2: the weight");
  expectRefused("a.csv", "source,target\n", "a.csv' has no nodes");
}

TEST_F(GraphFile, NamesTheLinesOfDuplicates) {
  const std::string message =
      messageOf<InputError>([&] { read("a.csv", "source,target\n0,1\n0,2\n1,0\n"); });
  const std::string path = (folder / "a.csv").string();
  EXPECT_EQ(message, path + ":4: 1 to 0: repeats " + path + ":2; set duplicates to keep or merge");
  EXPECT_EQ(
      read("a.csv", "source,target\n0,1\n0,2\n1,0\n", {.duplicates = Graph::Duplicates::merge}),
      Graph(3, Edges{{0, 1}, {0, 2}}));
}

TEST_F(GraphFile, RefusesNodesThatAreNumberedWithLargeGaps) {
  expectRefused("a.csv", "source,target\n0,1500000000\n",
                "has 1500000001 nodes, but 1 edges: number the nodes from 0 without gaps");
  expectRefused("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2000000 2000000 0\n",
                "has 2000000 nodes, but 0 edges");
  EXPECT_EQ(read("a.csv", "source,target\n0,999999\n").nodes(), 1'000'000);
}

TEST_F(GraphFile, ReadsAMatrix) {
  EXPECT_EQ(read("a.mtx",
                 "%%MatrixMarket matrix coordinate real general\n% a comment\n\n"
                 "3 3 2\n3 1 0.5\n 1\t3 2e-1\n"),
            Graph(3, Edges{{2, 0}, {0, 2}}, Weights{0.5, 0.2}, directed));
  EXPECT_EQ(read("a.mtx", "%%MATRIXMARKET Matrix Coordinate Integer General\n2 2 1\n1 2 -7\n"),
            Graph(2, Edges{{0, 1}}, Weights{-7}, directed));
}

TEST_F(GraphFile, ASymmetricMatrixIsUndirected) {
  EXPECT_EQ(read("a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n3 1\n2 1\n",
                 directed),
            Graph(4, Edges{{2, 0}, {1, 0}}));
}

TEST_F(GraphFile, NamesTheFaultOfAMatrix) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const auto expect = [&](const std::string& contents, const std::string& message) {
    expectRefused("a.mtx", contents, message);
  };
  expect("", "a.mtx' is empty; it must be '%%MatrixMarket");
  expect("%%MatrixMarket matrix array real general\n2 2\n", "a.mtx:1: '%%MatrixMarket matrix arra");
  expect("%%MatrixMarket matrix coordinate complex hermitian\n", "real, integer or pattern");
  expect(banner, "ends before the line 'rows columns entries'");
  expect(banner + "3 3\n", "a.mtx:2: '3 3' has 2 numbers; 'rows columns entries' are 3");
  expect(banner + "3 2 1\n", "a.mtx:2: 3 rows and 2 columns: the matrix of a network is square");
  expect(banner + "3 3 -1\n", "'entries' = -1 is negative");
  expect(banner + "0 0 0\n", "has no nodes");
  expect(banner + "3 3 1\n1 4 1\n", "a.mtx:3: 'column' = 4 does not exist");
  expect(banner + "3 3 1\n0 1 1\n", "a.mtx:3: 'row' = 0 does not exist");
  expect(banner + "3 3 1\n1 2\n", "a.mtx:3: '1 2' has 2 numbers");
  expect(banner + "3 3 1\n1 2 x\n", "a.mtx:3: 'value' = 'x' is not");
  expect(banner + "3 3 2\n1 2 1\n", "ends after 1 of 2 entries");
  expect(banner + "3 3 1\n1 2 1\n2 3 1\n", "a.mtx:4: entry 2, but the size announces 1");
  expect(banner + "3 3 1\n2 2 1\n", "a.mtx:3: 1 to 1: an edge from a node to itself");
}

/// Returns a GraphML file with the given elements.
std::string graphMl(std::string_view keys, std::string_view direction, std::string_view contents) {
  return "<?xml version='1.0'?>\n<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>" +
         std::string(keys) + "\n<graph edgedefault='" + std::string(direction) + "'>\n" +
         std::string(contents) + "</graph></graphml>\n";
}

constexpr std::string_view nodes = "<node id='x'/><node id='y'/><node id='z'/>\n";

TEST_F(GraphFile, ReadsGraphMlInTheOrderOfItsNodes) {
  const std::string edges = "<edge source='z' target='x'/>\n<edge source='x' target='y'/>\n";
  const Edges wanted{{2, 0}, {0, 1}};
  EXPECT_EQ(read("a.graphml", graphMl("", "undirected", std::string(nodes) + edges), directed),
            Graph(3, wanted));
  EXPECT_EQ(read("a.graphml", graphMl("", "directed", edges + std::string(nodes))),
            Graph(3, wanted, {}, directed));
}

TEST_F(GraphFile, ReadsTheWeightsOfGraphMl) {
  const std::string edges =
      "<edge source='z' target='x'><data key='w'> 0.5\n</data><data key='c'>9</data></edge>\n"
      "<edge source='x' target='y'/>\n";
  const std::string keys =
      "<key id='c' for='edge' attr.name='cost'/>"
      "<key id='w' for='edge' attr.name='weight' attr.type='double'><default>2</default></key>";
  EXPECT_EQ(read("a.graphml", graphMl(keys, "undirected", std::string(nodes) + edges)),
            Graph(3, Edges{{2, 0}, {0, 1}}, Weights{0.5, 2}));
}

TEST_F(GraphFile, NamesTheFaultOfGraphMl) {
  const auto expect = [&](const std::string& contents, const std::string& message) {
    expectRefused("a.graphml", graphMl("<key id='w' attr.name='weight'/>", "directed", contents),
                  message);
  };
  const std::string all(nodes);
  const std::string edge = "<edge source='x' target='y'/>\n";
  expect(all + "<edge source='x' target='q'/>", "a.graphml:5: node 'q' does not exist");
  expect(all + "<edge source='x'/>",
         "a.graphml:5: the element 'edge' needs the attribute 'target'");
  expect("<node/>", "a.graphml:4: the element 'node' needs the attribute 'id'");
  expect(all + "<node id='y'/>", "a.graphml:5: a second node 'y'");
  expect(all + "<edge source='x' target='y' directed='false'/>",
         "directed = 'false' in a directed");
  expect(all + "<hyperedge/>", "a.graphml:5: a hyperedge");
  expect(all + "<graph edgedefault='directed'/>", "a.graphml:5: a second graph");
  expect(all + edge + "<edge source='y' target='z'><data key='w'>1</data></edge>",
         "a.graphml:6: an edge with a weight, after edges without");
  expect(all + "<edge source='y' target='z'><data key='w'>1</data></edge>\n" + edge,
         "a.graphml:6: an edge without a weight, after edges with one");
  expect(all + "<edge source='y' target='z'><data key='w'>heavy</data></edge>\n",
         "a.graphml:5: 'weight' = 'heavy' is not");
  expect(all + edge + edge, "a.graphml:6: 0 to 1: repeats");
  expect("", "has no nodes");
  expect("<node id='x'>\n\n", "a.graphml:6: mismatched tag");
  expectRefused("a.graphml", graphMl("", "none", all), "edgedefault = 'none' is neither");
  expectRefused("a.graphml", "<graphml/>", "has no element 'graph'");
  expectRefused("a.graphml", "<html/>", "a.graphml:1: the first element is 'html', not 'graphml'");
  expectRefused("a.graphml", "<graphml><node id='x'/></graphml>", "'node' is outside of a graph");
  expectRefused("a.graphml", "", "a.graphml:1: no element found");
}

TEST_F(GraphFile, DoesNotExpandEntitiesWithoutEnd) {
  std::string entities = "<!DOCTYPE graphml [<!ENTITY e0 'xxxxxxxxxx'>";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "&e" + std::to_string(i - 1) + ";";
    entities += "<!ENTITY e" + std::to_string(i) + " '";
    for (int k = 0; k < 10; ++k) entities += before;
    entities += "'>";
  }
  expectRefused("a.graphml", entities + "]><graphml>&e11;</graphml>", "amplification");
}

TEST_F(GraphFile, RefusesOtherFormats) {
  expectRefused("a.gml", "graph [ ]", "the extension '.gml' is that of no format of networks");
  EXPECT_THAT(messageOf<InputError>([&] { readGraph(folder / "missing.mtx"); }),
              HasSubstr("No such file or directory; name a Matrix Market file"));
  EXPECT_THAT(messageOf<InputError>([&] { readGraph(folder / "missing.graphml"); }),
              HasSubstr("No such file or directory; name a GraphML file"));
}

}  // namespace
}  // namespace mass

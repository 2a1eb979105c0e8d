#include <mass/io/morphology.hpp>

#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "../../support/frustum_reference.hpp"
#include "../../support/little_memory.hpp"
#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;
using testing::TemporaryFolder;
using testing::writeBytes;
using Rule = Morphology::Rule;
using Within = Morphology::Within;
using Cube = std::array<std::int64_t, 3>;

const std::string smallNeuron = MASS_SOURCE_DIR "/settings/small_neuron.swc";

/// Returns the types of the filled cubes, by their coordinates along x, y, z in the grid.
std::map<Cube, int> typesByCube(const Morphology::Cubes& cubes) {
  std::map<Cube, int> types;
  for (std::size_t i = 0; i < cubes.indices.size(); ++i) {
    const auto at = coordinatesOf<3>(cubes.indices[i], cubes.shape);
    const auto first = [&](std::size_t axis) {
      return std::llround(cubes.origin[axis] / cubes.edge);
    };
    types[{first(0) + at[2], first(1) + at[1], first(2) + at[0]}] = cubes.types[i];
  }
  return types;
}

/// Returns the cubes that differ, for a message.
std::string differences(const std::map<Cube, int>& a, const std::map<Cube, int>& b) {
  std::string text;
  const auto list = [&](const auto& from, const auto& other, char sign) {
    for (const auto& [cube, type] : from) {
      const auto found = other.find(cube);
      if (found == other.end() || found->second != type)
        text += fmt::format("{} ({}, {}, {}): {}\n", sign, cube[0], cube[1], cube[2], type);
    }
  };
  list(a, b, '-');
  list(b, a, '+');
  return text;
}

std::int64_t countOf(const Morphology::Cubes& cubes, int type) {
  return std::count(cubes.types.begin(), cubes.types.end(), type);
}

class Swc : public ::testing::Test {
 protected:
  Morphology read(std::string_view contents) {
    writeBytes(folder / "a.swc", contents);
    return Morphology(folder / "a.swc");
  }
  /// Returns the message about a file.
  std::string refusal(std::string_view contents) {
    return messageOf<InputError>([&] { (void)read(contents); });
  }
  std::string refusal(std::string_view contents, const Morphology::Grid& grid) {
    const Morphology neuron = read(contents);
    return messageOf<InputError>([&] { (void)neuron.cubes(grid); });
  }
  void expectRefusal(std::string_view contents, const std::string& message) {
    const std::string found = refusal(contents);
    EXPECT_TRUE(contains(found, "a.swc" + message)) << contents << '\n' << found;
  }

  TemporaryFolder folder;
};

TEST_F(Swc, ReadsNodesInTheOrderOfTheFile) {
  const Morphology neuron =
      read("# comment\n7 1 0.5 -1 2 3 -1\n\n3 4 1 2 3 0.5 7\n9 0 4 5 6 1 3\n");
  ASSERT_EQ(neuron.nodes().size(), 3U);
  const auto& [soma, dendrite, other] =
      std::tie(neuron.nodes()[0], neuron.nodes()[1], neuron.nodes()[2]);
  EXPECT_EQ(soma.id, 7);
  EXPECT_EQ(soma.type, Morphology::soma);
  EXPECT_EQ(soma.position, (Morphology::Point{0.5, -1, 2}));
  EXPECT_EQ(soma.radius, 3);
  EXPECT_EQ(soma.parent, -1);
  EXPECT_EQ(soma.line, 2);
  EXPECT_EQ(dendrite.parent, 0);
  EXPECT_EQ(dendrite.line, 4);
  EXPECT_EQ(other.type, 0);
  EXPECT_EQ(other.parent, 1);
}

TEST_F(Swc, ReadsAllCommonForms) {
  const std::string plain = "1 1 0 0 0 5 -1\n2 3 10 0 -2.5 0.5 1\n";
  const auto expected = read(plain).nodes();
  for (const std::string form : {
           "1 1 0 0 0 5 -1\r\n2 3 10 0 -2.5 0.5 1\r\n",
           "\xEF\xBB\xBF"
           "1 1 0 0 0 5 -1\n2 3 10 0 -2.5 0.5 1",
           "1\t1\t0\t0\t0\t5\t-1\n2\t3\t10\t0\t-2.5\t0.5\t1",
           "  1   1  0 0\t 0 5 -1  \n\n \t\n2 3 10 0 -2.5 0.5 1\t\n# end",
           "1 1 0 0 0 5e0 -1 # soma\n#2 3 nonsense\n2 3 1e1 0 -25E-1 .5 1",
           "1 1 0.0 +0 0 5. -1\n  # indented\n2 3 10.000 0 -2.5 0.5 1\n",
           "\xEF\xBB\xBF# head\r\n1.0 1 0 0 0 5 -1\r\n2 3 10 0 -2.5 0.5 1",
       }) {
    const auto nodes = read(form).nodes();
    ASSERT_EQ(nodes.size(), 2U) << form;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(nodes[i].id, expected[i].id) << form;
      EXPECT_EQ(nodes[i].type, expected[i].type) << form;
      EXPECT_EQ(nodes[i].position, expected[i].position) << form;
      EXPECT_EQ(nodes[i].radius, expected[i].radius) << form;
      EXPECT_EQ(nodes[i].parent, expected[i].parent) << form;
    }
  }
}

TEST_F(Swc, RefusesFilesThatCannotBeRead) {
  const auto message = [](const std::filesystem::path& file) {
    return messageOf<InputError>([&] { (void)Morphology(file); });
  };
  EXPECT_TRUE(contains(message(folder / "none.swc"), "none.swc': No such file"));
  EXPECT_TRUE(contains(message(folder.path()), "it is a folder; name an SWC file"));
  EXPECT_TRUE(contains(message("/dev/null"), "it is no regular file"));
  EXPECT_TRUE(contains(refusal(""), "a.swc' is empty: a line of an SWC file is"));
  EXPECT_TRUE(contains(refusal("# nothing\n\n \r\n"), "a.swc' has no nodes"));
}

TEST_F(Swc, RefusesFaultyLines) {
  const std::string root = "1 1 0 0 0 5 -1\n";
  expectRefusal(root + "2 3 1 0 0 1\n", ":2: columns: 6; a line has 7");
  expectRefusal(root + "\n2 3 1 0 0 1 1 5\n", ":3: columns: 8; a line has 7");
  expectRefusal(root + "2,3,1,0,0,1,1\n", ":2: columns: 1; a line has 7");
  expectRefusal(root + "2 3 1 x 0 1 1\n", ":2: 'y' = 'x' is not a number");
  expectRefusal(root + "2 3 1 nan 0 1 1\n", ":2: 'y' = 'nan' is not finite");
  expectRefusal(root + "2 3 1 0 inf 1 1\n", ":2: 'z' = 'inf' is not finite");
  expectRefusal(root + "2 3 1e999 0 0 1 1\n", ":2: 'x' = '1e999' is too large");
  expectRefusal(root + "2 3 1 0 0 nan 1\n", ":2: 'radius' = 'nan' is not finite");
  expectRefusal(root + "2 3 1 0 0 0 1\n", ":2: 'radius' = '0' is not above 0");
  expectRefusal(root + "2 3 1 0 0 -1 1\n", ":2: 'radius' = '-1' is not above 0");
  expectRefusal(root + "2.5 3 1 0 0 1 1\n", ":2: 'id' = '2.5' is not an integer");
  expectRefusal(root + "-2 3 1 0 0 1 1\n", ":2: 'id' = -2 is negative");
  expectRefusal(root + "2 -3 1 0 0 1 1\n", ":2: 'type' = '-3' is not an integer from 0 to 255");
  expectRefusal(root + "2 256 1 0 0 1 1\n", ":2: 'type' = '256' is not an integer from 0 to 255");
  expectRefusal(root + "2 3 1 0 0 1 soma\n", ":2: 'parent' = 'soma' is not an integer");
  expectRefusal("1 1 0 0 0 5 -1\r2 3 1 0 0 1 1\r", ":1: the lines end with a carriage return only");
  expectRefusal(
      "\xFF\xFE"
      "1\n",
      ":1: the text is UTF-16");
}

TEST_F(Swc, RefusesNodesThatFormNoTree) {
  const std::string root = "# head\n1 1 0 0 0 5 -1\n";
  expectRefusal(root + "2 3 1 0 0 1 7\n", ":3: parent 7 of node 2 does not exist");
  expectRefusal(root + "2 3 1 0 0 1 -2\n", ":3: parent -2 of node 2 does not exist");
  expectRefusal(root + "2 3 1 0 0 1 3\n3 3 1 0 0 1 1\n",
                ":3: parent 3 of node 2 comes later, in line 4; sort the lines");
  expectRefusal(root + "2 3 1 0 0 1 2\n", ":3: node 2 is its own ancestor");
  expectRefusal(root + "2 3 1 0 0 1 4\n3 3 1 0 0 1 2\n4 3 1 0 0 1 3\n",
                ":3: node 2 is its own ancestor: its parents form a circle");
  expectRefusal(root + "2 3 1 0 0 1 3\n3 3 1 0 0 1 4\n4 3 1 0 0 1 3\n",
                ":3: parent 3 of node 2 comes later, in line 4");
  expectRefusal("1 3 1 0 0 1 2\n2 3 1 0 0 1 1\n", ":1: node 1 is its own ancestor");
  expectRefusal(root + "1 3 1 0 0 1 1\n", ":3: id 1 is that of line 2 too");
  expectRefusal(root + "2 3 1 0 0 1 -1\n",
                ":3: node 2 is a second root, after node 1 in line 2; a file has one tree");
}

TEST_F(Swc, FillsTheSphereOfASoma) {
  const Morphology neuron = read("1 1 1 2 3 2.2 -1\n");
  std::map<Cube, int> expected;
  for (std::int64_t x = -20; x < 20; ++x)
    for (std::int64_t y = -20; y < 20; ++y)
      for (std::int64_t z = -20; z < 20; ++z) {
        const auto gap = [](std::int64_t cube, double at) {
          const double low = 0.5 * static_cast<double>(cube);
          return std::max({0.0, low - at, at - low - 0.5});
        };
        if (std::hypot(gap(x, 1), gap(y, 2), gap(z, 3)) < 2.2) expected[{x, y, z}] = 1;
      }
  const auto cubes = neuron.cubes({.edge = 0.5});
  EXPECT_EQ(differences(expected, typesByCube(cubes)), "");
  EXPECT_EQ(cubes.pieces, std::vector<std::int64_t>{static_cast<std::int64_t>(expected.size())});
  EXPECT_EQ(cubes.notes.size(), 3U);  // no nodes of types 2, 3 and 4
}

TEST_F(Swc, FillsAnUprightCylinder) {
  // From the middle of the soma on, with the radius of the dendrite.
  const Morphology neuron = read("1 1 0 0 0 1 -1\n2 3 0 0 9.25 0.6 1\n");
  std::map<Cube, int> expected;
  const auto gap = [](std::int64_t cube) {
    return std::max({0.0, 0.5 * static_cast<double>(cube), -0.5 * static_cast<double>(cube) - 0.5});
  };
  for (std::int64_t x = -5; x < 5; ++x)
    for (std::int64_t y = -5; y < 5; ++y)
      for (std::int64_t z = -5; z < 19; ++z) {
        if (z >= 0 && std::hypot(gap(x), gap(y)) < 0.6) expected[{x, y, z}] = 3;
        if (std::hypot(gap(x), gap(y), gap(z)) < 1) expected[{x, y, z}] = 1;
      }
  const auto cubes = neuron.cubes({.edge = 0.5, .types = {3}});
  EXPECT_EQ(differences(expected, typesByCube(cubes)), "");
  EXPECT_EQ(cubes.shape, (Shape<3>{21, 4, 4}));
  EXPECT_EQ(cubes.origin, (Morphology::Point{-1, -1, -1}));
  EXPECT_EQ(cubes.edge, 0.5);
  EXPECT_TRUE(cubes.notes.empty());
}

TEST_F(Swc, ScalesTheFile) {
  const Morphology neuron(smallNeuron);
  const auto um = neuron.cubes({.edge = 0.5, .within = Within{{}, 20}});
  const auto m =
      neuron.cubes({.edge = 0.5 / 1024, .scale = 1.0 / 1024, .within = Within{{}, 20.0 / 1024}});
  EXPECT_EQ(um.indices, m.indices);
  EXPECT_EQ(um.types, m.types);
  EXPECT_EQ(m.origin[2] * 1024, um.origin[2]);
}

TEST_F(Swc, FillsMiddlesOnRequest) {
  const Morphology neuron = read("1 3 0 0 0.5 1 -1\n2 3 4 0 0.5 1 1\n");
  const auto middles = neuron.cubes({.edge = 1, .rule = Rule::middle});
  // Rows along x: two have middles within 1 of the axis, both at its height.
  EXPECT_EQ(middles.indices.size(), 2U * 4);
  EXPECT_EQ(neuron.cubes({.edge = 1}).indices.size(), 4U * (2 + 2 + 2));
}

TEST_F(Swc, TakesThreeNodesAsTheSphereOfEqualSurface) {
  const auto sphere = read("1 1 3 4 5 5 -1\n4 3 12 4 5 1 1\n").cubes({});
  const std::string dendrite = "4 3 12 4 5 1 1\n";
  const auto three =
      read("1 1 3 4 5 5 -1\n2 1 3 -1 5 5 1\n3 1 3 9.01 5 5 1\n" + dendrite).cubes({});
  EXPECT_EQ(three.indices, sphere.indices);
  EXPECT_EQ(three.types, sphere.types);
  EXPECT_TRUE(contains(three.notes.back(), "sphere of equal surface"));
  // Others are frusta: from node 1 to 2 and 3.
  const auto frusta = read("1 1 3 4 5 5 -1\n2 1 3 -6 5 5 1\n3 1 3 14 5 5 1\n" + dendrite).cubes({});
  EXPECT_EQ(frusta.shape, (Shape<3>{10, 20, 14}));
  const auto narrow = read("1 1 3 4 5 5 -1\n2 1 3 -1 5 5 1\n3 1 3 9 5 1 1\n" + dendrite).cubes({});
  EXPECT_NE(narrow.indices, sphere.indices);
  const auto chain = read("1 1 3 4 5 5 -1\n2 1 3 -1 5 5 1\n3 1 3 -6 5 5 2\n" + dendrite).cubes({});
  EXPECT_EQ(chain.shape, (Shape<3>{10, 11, 14}));
}

TEST_F(Swc, JoinsASomaBelowADendriteWithTheRadiusOfTheDendrite) {
  const Morphology neuron = read("1 3 0 0 0 1 -1\n2 3 4 0 0 1 1\n3 1 14 0 0 4 2\n");
  const auto cubes = neuron.cubes({});
  const auto types = typesByCube(cubes);
  EXPECT_EQ(cubes.shape, (Shape<3>{8, 8, 18}));
  EXPECT_EQ(types.at({8, 0, 0}), 3);
  EXPECT_EQ(types.at({10, 0, 0}), 1);
  EXPECT_EQ(types.count({8, 1, 0}), 0U);
}

TEST_F(Swc, HasTheRulesAndTypesOfSettings) {
  EXPECT_EQ(Morphology::ruleOf("touched"), Rule::touched);
  EXPECT_EQ(Morphology::ruleOf("middle"), Rule::middle);
  EXPECT_EQ(Morphology::ruleOf("Middle"), std::nullopt);
  EXPECT_EQ(Morphology::ruleOf(""), std::nullopt);
  EXPECT_EQ(Morphology::typeOf(0), 0);
  EXPECT_EQ(Morphology::typeOf(255), 255);
  for (const double number : {-1.0, 0.5, 255.5, 256.0, 1e300, std::nan("")})
    EXPECT_EQ(Morphology::typeOf(number), std::nullopt) << number;
}

TEST_F(Swc, CentersARegionAtTheMeanOfTheSoma) {
  const Morphology neuron = read("1 1 0 0 0 1 -1\n2 1 10 0 0 1 1\n3 3 40 0 0 1 2\n");
  EXPECT_EQ(neuron.somaCenter(), (Morphology::Point{5, 0, 0}));
  EXPECT_EQ(read("1 3 0 0 0 1 -1\n").somaCenter(), std::nullopt);
  const auto cubes = neuron.cubes({.within = Within{{}, 2}});
  for (const auto& [cube, type] : typesByCube(cubes)) {
    EXPECT_LE(std::hypot(static_cast<double>(cube[0]) + 0.5 - 5, static_cast<double>(cube[1]) + 0.5,
                         static_cast<double>(cube[2]) + 0.5),
              2);
  }
  EXPECT_EQ(cubes.shape, (Shape<3>{2, 2, 4}));
  const auto other = neuron.cubes({.within = Within{{{30, 0, 0}}, 2}});
  EXPECT_EQ(other.shape, cubes.shape);
  EXPECT_EQ(other.origin[0], 28);
}

TEST_F(Swc, KeepsAllCubesOfALargeRegion) {
  const Morphology neuron(smallNeuron);
  const auto whole = neuron.cubes({.edge = 0.5});
  for (const double radius : {60.0, 1e9, 1e300})
    EXPECT_EQ(neuron.cubes({.edge = 0.5, .within = Within{{}, radius}}).indices, whole.indices);
}

TEST_F(Swc, LeavesOutOtherTypesAndTheirDescendants) {
  const Morphology neuron = read(
      "1 1 0 0 0 1 -1\n2 10 0 0 9 1 1\n3 3 0 0 19 1 2\n4 3 0 9 0 1 1\n5 2 0 19 0 1 4\n"
      "6 3 0 29 0 1 5\n");
  const auto cubes = neuron.cubes({.types = {3, 4}});
  EXPECT_EQ(cubes.shape, (Shape<3>{2, 10, 2}));
  EXPECT_EQ(cubes.dropped[10], 1);
  EXPECT_EQ(cubes.dropped[2], 1);
  EXPECT_EQ(cubes.dropped[3], 2);
  EXPECT_EQ(std::accumulate(cubes.dropped.begin(), cubes.dropped.end(), std::int64_t{0}), 4);
  EXPECT_EQ(cubes.notes, (std::vector<std::string>{
                             "no node has type 4", "1 node of type 2 is left out",
                             "2 nodes of type 3 are left out: they hang on nodes of other types",
                             "1 node of type 10 is left out"}));
  EXPECT_EQ(neuron.cubes({.types = {2, 3, 10}}).shape, (Shape<3>{20, 30, 2}));
}

TEST_F(Swc, KeepsTheLargestPieceUnlessAllAreWanted) {
  // A thin arc leaves the region and returns to it twice.
  const Morphology neuron =
      read("1 1 0 0 0 2 -1\n2 3 0 0 50 0.1 1\n3 3 6 0 50 0.1 2\n4 3 6 0 -9 0.1 3\n");
  Morphology::Grid grid{.types = {3}, .within = Within{{}, 8}};
  const auto one = neuron.cubes(grid);
  ASSERT_EQ(one.pieces.size(), 2U);
  EXPECT_EQ(static_cast<std::int64_t>(one.indices.size()), one.pieces[0]);
  EXPECT_GT(one.pieces[0], one.pieces[1]);
  EXPECT_TRUE(contains(one.notes.back(), "the cubes form 2 pieces, of "));
  EXPECT_TRUE(contains(one.notes.back(), " cubes; the first of these is kept"));
  grid.largestPiece = false;
  const auto both = neuron.cubes(grid);
  EXPECT_EQ(both.pieces, one.pieces);
  EXPECT_EQ(static_cast<std::int64_t>(both.indices.size()), both.pieces[0] + both.pieces[1]);
  EXPECT_FALSE(contains(both.notes.back(), "kept"));
}

TEST_F(Swc, GivesACubeTheTypeOfTheSomaOrTheFirstNode) {
  const Morphology neuron = read("1 3 0 0 0 1 -1\n2 2 9 0 0 1 1\n3 4 9 0 0.5 1 1\n4 1 4 0 0 1 3\n");
  const auto types = typesByCube(neuron.cubes({}));
  EXPECT_EQ(types.at({0, 0, 0}), 2);  // nodes 2 and 3 fill it
  EXPECT_EQ(types.at({4, 0, 0}), 1);  // the sphere of node 4 fills it too
}

TEST_F(Swc, RefusesMissingCubes) {
  const std::string line = "1 3 0 0 0 1 -1\n2 3 9 0 0 1 1\n";
  EXPECT_TRUE(contains(refusal(line, {.within = Within{{}, 5}}),
                       "a.swc: there is no soma (nodes of type 1) for the centre of the region"));
  EXPECT_TRUE(contains(
      refusal(line, {.edge = 0.5, .within = Within{{{0, 50, 0}}, 5}}),
      "a.swc: no cube of edge 0.5 within 5 of (0, 50, 0) is filled; the nearest node is 50 away"));
  EXPECT_TRUE(contains(refusal(line, {.types = {2, 4}}),
                       "all nodes are left out, as the root has type 3: add it to the types 2, 4"));
  EXPECT_TRUE(contains(refusal(line, {.edge = 7, .rule = Rule::middle}),
                       "no cube of edge 7 is filled; with the rule 'touched' thin branches"));
  EXPECT_TRUE(contains(refusal("1 3 0 0 0 1 -1\n", {}), "no cube of edge 1 is filled"));
}

TEST_F(Swc, RefusesMoreCubesThanMemory) {
  const std::string large = refusal("1 1 0 0 0 5 -1\n", {.edge = 1e-5});
  EXPECT_TRUE(contains(large,
                       "about 5.24e+17 cubes of edge 1e-05 are filled, which need 3.35e+19 "
                       "bytes of memory, and "));
  EXPECT_TRUE(contains(large, "are free: choose larger cubes or a smaller region"));
  const std::string thin = "1 3 0 0 0 1e-9 -1\n2 3 9 9 9 1e-9 1\n3 3 -9 9 9 1e-9 1\n";
  EXPECT_TRUE(contains(refusal(thin, {.edge = 1e-6}),
                       "the box of the neuron has 18000004 x 9000004 x 9000004 cubes of edge 1e-06 "
                       "along x, y, z, more than 2^62"));
  EXPECT_TRUE(contains(refusal("1 3 0 0 0 1 -1\n7 3 1e15 9 9 1 1\n", {}),
                       "a.swc:2: node 7 reaches farther than 1.09951e+12 cubes"));
  EXPECT_TRUE(contains(refusal("1 3 0 0 0 1e300 -1\n2 3 0 0 9 1e300 1\n", {.scale = 1e300}),
                       "a.swc:1: node 1 reaches farther"));
}

TEST_F(Swc, RefusesMoreCubesThanAddressSpace) {
  const Morphology neuron = read("1 1 0 0 0 100 -1\n");
  const testing::LittleMemory little(std::size_t{100} << 20);
  EXPECT_TRUE(contains(messageOf<InputError>([&] { (void)neuron.cubes({}); }),
                       "about 4.28e+06 cubes of edge 1 are filled, which need 2.74e+08 bytes"));
}

TEST_F(Swc, RefusesGridsOutOfRange) {
  const Morphology neuron = read("1 1 0 0 0 5 -1\n");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Morphology::Grid> grids = {
      {.edge = 0},
      {.edge = nan},
      {.edge = 1, .scale = -1},
      {.edge = 1, .within = Within{{}, 0}},
      {.edge = 1, .within = Within{{}, std::numeric_limits<double>::infinity()}},
      {.edge = 1, .within = Within{{{0, nan, 0}}, 1}}};
  for (const auto& grid : grids) EXPECT_THROW((void)neuron.cubes(grid), UsageError);
}

/// Returns the cubes that the small neuron fills, each tried with each part of it.
std::map<Cube, int> filledOneByOne(const Morphology& neuron, double edge) {
  std::map<Cube, int> found;
  const auto forEachCube = [&](const Morphology::Point& a, const Morphology::Point& b,
                               double radius, const auto& body) {
    Cube low{}, high{};
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::llround(std::floor((std::min(a[i], b[i]) - radius) / edge));
      high[i] = std::llround(std::ceil((std::max(a[i], b[i]) + radius) / edge));
    }
    for (std::int64_t x = low[0]; x < high[0]; ++x)
      for (std::int64_t y = low[1]; y < high[1]; ++y)
        for (std::int64_t z = low[2]; z < high[2]; ++z) {
          const auto at = [&](std::int64_t i) { return edge * static_cast<double>(i); };
          body(Cube{x, y, z}, testing::Vector{at(x), at(y), at(z)},
               testing::Vector{at(x + 1), at(y + 1), at(z + 1)});
        }
  };
  const auto& soma = neuron.nodes()[0];
  forEachCube(soma.position, soma.position, soma.radius,
              [&](const Cube& cube, const testing::Vector& low, const testing::Vector& high) {
                testing::Vector away{};
                for (std::size_t i = 0; i < 3; ++i)
                  away[i] = std::clamp(soma.position[i], low[i], high[i]) - soma.position[i];
                // The corner (2, -1.5, 5) is on the surface.
                if (std::sqrt(testing::dot(away, away)) < soma.radius - 1e-9)
                  found.emplace(cube, 1);
              });
  for (const auto& node : neuron.nodes()) {
    if (node.parent < 0) continue;
    const auto& parent = neuron.nodes()[static_cast<std::size_t>(node.parent)];
    const double first = node.parent == 0 ? node.radius : parent.radius;
    const testing::ReferenceFrustum frustum(parent.position, node.position, first, node.radius);
    forEachCube(parent.position, node.position, std::max(first, node.radius),
                [&](const Cube& cube, const testing::Vector& low, const testing::Vector& high) {
                  const auto relation = frustum.relationTo(low, high);
                  EXPECT_NE(relation, testing::Relation::unknown);
                  if (relation == testing::Relation::meeting) found.emplace(cube, node.type);
                });
  }
  return found;
}

TEST(SmallNeuron, FillsTheCubesThatMeetItsParts) {
  const Morphology neuron(smallNeuron);
  EXPECT_EQ(neuron.nodes().size(), 60U);
  const auto cubes = neuron.cubes({.edge = 0.5});
  EXPECT_EQ(cubes.indices.size(), 8989U);
  EXPECT_EQ(differences(filledOneByOne(neuron, 0.5), typesByCube(cubes)), "");
  EXPECT_EQ(countOf(cubes, 1), 5760);
  EXPECT_EQ(countOf(cubes, 2), 412);
  EXPECT_EQ(countOf(cubes, 3), 876);
  EXPECT_EQ(countOf(cubes, 4), 1941);
  EXPECT_TRUE(cubes.notes.empty());
}

TEST(SmallNeuron, HasManyPiecesByTheMiddlesOfCubes) {
  const auto cubes = Morphology(smallNeuron).cubes({.edge = 0.5, .rule = Rule::middle});
  EXPECT_EQ(cubes.pieces.size(), 11U);
  EXPECT_EQ(cubes.indices.size(), 6157U);
}

/// Returns the neuron of Lin et al. 2017, section 4.5, if MASS_SWC names the file.
class C91662 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("MASS_SWC") == nullptr) GTEST_SKIP() << "MASS_SWC does not name c91662.swc";
  }
  static Morphology::Cubes within(double radius) {
    return Morphology(std::getenv("MASS_SWC")).cubes({.edge = 0.5, .within = Within{{}, radius}});
  }
};

TEST_F(C91662, HasTheSitesOfThePaperWithin50Um) {
  const auto cubes = within(50);  // the paper: 14,749
  EXPECT_EQ(cubes.indices.size(), 14744U);
  EXPECT_EQ(cubes.pieces, (std::vector<std::int64_t>{14744, 308}));
  EXPECT_EQ(cubes.dropped[10], 80);
  EXPECT_EQ(cubes.dropped[2], 38);  // the axon hangs on an outline
}

TEST_F(C91662, HasMoreSitesThanInThePaperWithin120Um) {
  EXPECT_EQ(within(120).indices.size(), 34320U);  // the paper: 23,547
}

}  // namespace
}  // namespace mass

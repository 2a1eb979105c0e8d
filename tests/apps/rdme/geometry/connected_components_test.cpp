#include <apps/rdme/geometry/connected_components.hpp>
#include <apps/rdme/geometry/voxelize.hpp>
#include <apps/rdme/lattice/lattice.hpp>  // both have a `lattice`: names must not clash

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rdme {
namespace {

/// 10 x 10 x 10 sites with reflecting borders.
constexpr Grid lattice{{10, 10, 10}, 1, {}};

/// Returns the layers of all sites of the lattice, as their types.
std::vector<std::uint8_t> typesOf(const VoxelizedShape& voxels) {
  std::vector<std::uint8_t> types(1000);
  const auto& [z, y, x] = voxels.ranges;
  for (std::int64_t k = 0; k < z.count; ++k)
    for (std::int64_t j = 0; j < y.count; ++j)
      for (std::int64_t i = 0; i < x.count; ++i)
        types[static_cast<std::size_t>(((z.first + k) * 10 + y.first + j) * 10 + x.first + i)] =
            voxels.layers[voxels.at(k, j, i)];
  return types;
}

/// Returns the graph whose only edge joins `type` with itself.
TypeGraph within(std::size_t type) {
  TypeGraph graph(4);
  graph.addEdge(type, type);
  return graph;
}

TEST(ConnectedComponents, areCountedByFacesOrAllNeighbours) {
  std::vector<std::uint8_t> types(1000);
  types[0] = types[1] = 1;  // side by side
  types[112] = 1;           // touches the second at a corner: (1, 1, 2)
  types[999] = 1;           // the last site, a neighbour of the first across periodic borders
  types[555] = 2;
  EXPECT_EQ(connectedComponents(types, lattice, within(1), Connectivity::faces), 3);
  EXPECT_EQ(connectedComponents(types, lattice, within(1), Connectivity::all), 2);
  EXPECT_EQ(connectedComponents(types, lattice, within(2), Connectivity::faces), 1);
  EXPECT_EQ(connectedComponents(types, lattice, within(3), Connectivity::faces), 0);
  const Grid torus{{10, 10, 10}, 1, {true, true, true}};
  EXPECT_EQ(connectedComponents(types, torus, within(1), Connectivity::faces), 3);
  EXPECT_EQ(connectedComponents(types, torus, within(1), Connectivity::all), 1);
}

TEST(ConnectedComponents, areOfTypesWithEdges) {
  std::vector<std::uint8_t> types(1000);
  types[0] = types[3] = 1;
  types[1] = types[2] = 2;
  TypeGraph graph(4);
  graph.addEdge(1, 2);
  EXPECT_EQ(connectedComponents(types, lattice, graph, Connectivity::faces), 2) << "not within 2";
  graph.addEdge(2, 2);
  EXPECT_EQ(connectedComponents(types, lattice, graph, Connectivity::faces), 1);
  types[1] = 3;
  EXPECT_EQ(connectedComponents(types, lattice, graph, Connectivity::faces), 2);
}

TEST(ConnectedComponents, thatMeetInTheLastPlaneAreOne) {
  // Arms along z, connected by the last plane alone; then cut, and connected by the periodic
  // border.
  std::vector<std::uint8_t> types(1000);
  for (std::size_t z = 0; z < 10; ++z)
    for (std::size_t x = 0; x < 10; x += 2) types[z * 100 + x] = 1;
  EXPECT_EQ(connectedComponents(types, lattice, within(1), Connectivity::all), 5);
  for (std::size_t x = 0; x < 9; ++x) types[900 + x] = 1;
  EXPECT_EQ(connectedComponents(types, lattice, within(1), Connectivity::faces), 1);
  for (std::size_t z = 4; z < 6; ++z)
    for (std::size_t x = 0; x < 10; ++x) types[z * 100 + x] = 0;
  EXPECT_EQ(connectedComponents(types, lattice, within(1), Connectivity::faces), 6);
  const Grid ring{{10, 10, 10}, 1, {true, false, false}};
  EXPECT_EQ(connectedComponents(types, ring, within(1), Connectivity::faces), 1);
}

TEST(ConnectedComponents, shellsByAllNeighboursAreConnectedByFaces) {
  const SolidShape ball = SolidShape::sphere({5, 5, 5}, 8);
  EXPECT_EQ(connectedComponents(typesOf(voxelize(ball, lattice, 1)), lattice, within(2),
                                Connectivity::faces),
            1);
  EXPECT_GT(connectedComponents(typesOf(voxelize(ball, lattice, 1, Connectivity::faces)), lattice,
                                within(2), Connectivity::faces),
            1);
}

}  // namespace
}  // namespace rdme

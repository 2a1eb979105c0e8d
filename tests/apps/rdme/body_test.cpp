// Bodies on the lattice: shells, and what hangs together.
#include <apps/rdme/body.hpp>
#include <apps/rdme/lattice.hpp>  // names of both must not clash

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rdme {
namespace {

std::int64_t countOf(const Body& body, int layer) {
  return std::count(body.layers.begin(), body.layers.end(), static_cast<std::uint8_t>(layer));
}

/// 6 x 6 x 6 sites in the middle of 10 x 10 x 10, of 1 m.
constexpr Grid lattice{{10, 10, 10}, 1, {}};
const Shape box = Shape::box({2, 2, 2}, {8, 8, 8});

TEST(Body, shellOfABoxIsItsOuterLayer) {
  const Body body = bodyOf(box, lattice, 1);
  EXPECT_EQ(countOf(body, 1), 4 * 4 * 4);
  EXPECT_EQ(countOf(body, 2), 6 * 6 * 6 - 4 * 4 * 4);
}

TEST(Body, thickShellsAreLayers) {
  const Body body = bodyOf(box, lattice, 2);
  EXPECT_EQ(countOf(body, 1), 2 * 2 * 2);
  EXPECT_EQ(countOf(body, 2), 6 * 6 * 6 - 4 * 4 * 4);
  EXPECT_EQ(countOf(body, 3), 4 * 4 * 4 - 2 * 2 * 2);
  EXPECT_EQ(countOf(bodyOf(box, lattice, 9), 1), 0);
}

TEST(Body, beyondTheBorderOfTheLatticeIsOutside) {
  const Shape all = Shape::box({0, 0, 0}, {10, 10, 10});
  EXPECT_EQ(countOf(bodyOf(all, lattice, 1), 2), 1000 - 512);
  // Periodic along z, the box goes on there: no caps.
  const Grid endless{{10, 10, 10}, 1, {true, false, false}};
  EXPECT_EQ(countOf(bodyOf(all, endless, 1), 2), 1000 - 10 * 64);
  // A box that ends at a periodic border has an end there.
  const Shape half = Shape::box({0, 0, 0}, {5, 10, 10});
  EXPECT_EQ(countOf(bodyOf(half, endless, 1), 2), 500 - 3 * 64);
}

TEST(Body, shellsByFacesAreThinnerInCorners) {
  const Shape ball = Shape::sphere({5, 5, 5}, 8);
  const auto byFaces = countOf(bodyOf(ball, lattice, 1, Neighbors::faces), 2);
  const auto byAll = countOf(bodyOf(ball, lattice, 1, Neighbors::all), 2);
  EXPECT_LT(byFaces, byAll);
}

std::vector<std::uint8_t> typesOf(const Body& body) {
  std::vector<std::uint8_t> types(1000);
  const auto& [z, y, x] = body.spans;
  for (std::int64_t k = 0; k < z.count; ++k)
    for (std::int64_t j = 0; j < y.count; ++j)
      for (std::int64_t i = 0; i < x.count; ++i)
        types[static_cast<std::size_t>(((z.first + k) * 10 + y.first + j) * 10 + x.first + i)] =
            body.layers[body.at(k, j, i)];
  return types;
}

/// Within one type.
Links within(std::size_t type) {
  Links links(4);
  links.add(type, type);
  return links;
}

TEST(Pieces, areCountedByFacesAndAllAround) {
  std::vector<std::uint8_t> types(1000);
  types[0] = types[1] = 1;  // side by side
  types[112] = 1;           // touches the second at a corner: (1, 1, 2)
  types[999] = 1;           // the last site, across the borders from the first
  types[555] = 2;
  EXPECT_EQ(pieces(types, lattice, within(1), Neighbors::faces), 3);
  EXPECT_EQ(pieces(types, lattice, within(1), Neighbors::all), 2);
  EXPECT_EQ(pieces(types, lattice, within(2), Neighbors::faces), 1);
  EXPECT_EQ(pieces(types, lattice, within(3), Neighbors::faces), 0);
  const Grid torus{{10, 10, 10}, 1, {true, true, true}};
  EXPECT_EQ(pieces(types, torus, within(1), Neighbors::faces), 3);
  EXPECT_EQ(pieces(types, torus, within(1), Neighbors::all), 1);
}

TEST(Pieces, areOfTypesThatAreLinked) {
  std::vector<std::uint8_t> types(1000);
  types[0] = types[3] = 1;
  types[1] = types[2] = 2;
  Links links(4);
  links.add(1, 2);
  EXPECT_EQ(pieces(types, lattice, links, Neighbors::faces), 2) << "not within 2";
  links.add(2, 2);
  EXPECT_EQ(pieces(types, lattice, links, Neighbors::faces), 1);
  types[1] = 3;
  EXPECT_EQ(pieces(types, lattice, links, Neighbors::faces), 2);
}

TEST(Pieces, thatMeetLateAreOne) {
  // Arms along z that only the last plane joins, and that a periodic border joins at either end.
  std::vector<std::uint8_t> types(1000);
  for (std::size_t z = 0; z < 10; ++z)
    for (std::size_t x = 0; x < 10; x += 2) types[z * 100 + x] = 1;
  EXPECT_EQ(pieces(types, lattice, within(1), Neighbors::all), 5);
  for (std::size_t x = 0; x < 9; ++x) types[900 + x] = 1;
  EXPECT_EQ(pieces(types, lattice, within(1), Neighbors::faces), 1);
  for (std::size_t z = 4; z < 6; ++z)
    for (std::size_t x = 0; x < 10; ++x) types[z * 100 + x] = 0;
  EXPECT_EQ(pieces(types, lattice, within(1), Neighbors::faces), 6);
  const Grid ring{{10, 10, 10}, 1, {true, false, false}};
  EXPECT_EQ(pieces(types, ring, within(1), Neighbors::faces), 1);
}

TEST(Pieces, shellsByAllNeighboursHangTogetherByFaces) {
  const Shape ball = Shape::sphere({5, 5, 5}, 8);
  EXPECT_EQ(pieces(typesOf(bodyOf(ball, lattice, 1)), lattice, within(2), Neighbors::faces), 1);
  EXPECT_GT(pieces(typesOf(bodyOf(ball, lattice, 1, Neighbors::faces)), lattice, within(2),
                   Neighbors::faces),
            1);
}

}  // namespace
}  // namespace rdme

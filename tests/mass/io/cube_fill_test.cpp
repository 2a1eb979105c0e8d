#include <mass/io/cube_fill.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace mass::detail {
namespace {

using Cube = std::array<std::int64_t, 3>;

std::map<Cube, std::uint32_t> cubesOf(CubeFill fill) {
  std::map<Cube, std::uint32_t> found;
  std::int64_t last = -1;
  for (const FilledCube& filled : fill.cubes()) {
    EXPECT_GT(filled.index, last);
    last = filled.index;
    const Cube cube = fill.range().cubeAt(filled.index);
    EXPECT_EQ(fill.range().indexOf(cube), filled.index);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_GT(cube[axis], fill.range().low[axis]);
      EXPECT_LT(cube[axis], fill.range().high[axis] - 1);
    }
    found.emplace(cube, filled.solid);
  }
  return found;
}

/// Returns the cubes of [-size, size) along each axis that fulfil a condition.
template <class Condition>
std::set<Cube> cubesWhere(std::int64_t size, Condition condition) {
  std::set<Cube> found;
  for (std::int64_t x = -size; x < size; ++x)
    for (std::int64_t y = -size; y < size; ++y)
      for (std::int64_t z = -size; z < size; ++z)
        if (condition(Cube{x, y, z})) found.insert({x, y, z});
  return found;
}

std::set<Cube> keysOf(const std::map<Cube, std::uint32_t>& cubes) {
  std::set<Cube> keys;
  for (const auto& [cube, solid] : cubes) keys.insert(cube);
  return keys;
}

/// Returns the distance along an axis between a position and a cube.
double gap(std::int64_t cube, double position) {
  const auto low = static_cast<double>(cube);
  return std::max({0.0, low - position, position - low - 1});
}

double middle(std::int64_t cube) {
  return static_cast<double>(cube) + 0.5;
}

TEST(CubeFill, FindsTheCubesOfABall) {
  for (const double radius : {0.2, 0.5, 1.0, 4.3, 9.0}) {
    const Point at{0.3, -1.2, 0.5};
    const auto touched = cubesWhere(12, [&](const Cube& cube) {
      return std::hypot(gap(cube[0], at[0]), gap(cube[1], at[1]), gap(cube[2], at[2])) <
             radius - 1e-9;
    });
    const auto middles = cubesWhere(12, [&](const Cube& cube) {
      return std::hypot(middle(cube[0]) - at[0], middle(cube[1]) - at[1],
                        middle(cube[2]) - at[2]) <= radius;
    });
    EXPECT_EQ(keysOf(cubesOf({{Ball{at, radius}}, {}, false})), touched) << radius;
    EXPECT_EQ(keysOf(cubesOf({{Ball{at, radius}}, {}, true})), middles) << radius;
  }
}

TEST(CubeFill, FindsTheCubesOfAnUprightCylinder) {
  for (const double radius : {0.1, 0.75, 3.0, 6.4}) {
    const Frustum cylinder({0.25, -0.5, -4.5}, {0.25, -0.5, 7}, radius, radius);
    const auto touched = cubesWhere(9, [&](const Cube& cube) {
      return std::hypot(gap(cube[0], 0.25), gap(cube[1], -0.5)) < radius && cube[2] >= -5 &&
             cube[2] < 7;
    });
    const auto middles = cubesWhere(9, [&](const Cube& cube) {
      return std::hypot(middle(cube[0]) - 0.25, middle(cube[1]) + 0.5) <= radius && cube[2] >= -5 &&
             cube[2] < 7;
    });
    EXPECT_EQ(keysOf(cubesOf({{cylinder}, {}, false})), touched) << radius;
    EXPECT_EQ(keysOf(cubesOf({{cylinder}, {}, true})), middles) << radius;
  }
}

TEST(CubeFill, FindsTheCubesOfAConeAlongAnAxis) {
  // The widest cross section within a cube is that at its lower end along x.
  const Frustum cone({-6, 0.5, 0.5}, {6, 0.5, 0.5}, 5, 1);
  const auto touched = cubesWhere(8, [&](const Cube& cube) {
    if (cube[0] < -6 || cube[0] >= 6) return false;
    const double radius = 5 - static_cast<double>(cube[0] + 6) / 3;
    return std::hypot(gap(cube[1], 0.5), gap(cube[2], 0.5)) < radius - 1e-9;
  });
  EXPECT_EQ(keysOf(cubesOf({{cone}, {}, false})), touched);
}

TEST(CubeFill, KeepsTheFirstSolidOfEachCube) {
  const Ball a{{0, 0, 0}, 2}, b{{3, 0, 0}, 2};
  const auto cubes = cubesOf({{a, b}, {}, false});
  for (const auto& [cube, solid] : cubes) {
    const double distance = std::hypot(gap(cube[0], 0), gap(cube[1], 0), gap(cube[2], 0));
    EXPECT_EQ(solid, distance < 2 ? 0U : 1U);
  }
  EXPECT_EQ(keysOf(cubes), keysOf(cubesOf({{b, a}, {}, false})));
}

TEST(CubeFill, KeepsCubesOnceWhereManySolidsOverlap) {
  std::vector<Solid> solids;
  for (int i = 0; i < 30; ++i) solids.emplace_back(Ball{{0.01 * i, 0, 0}, 12});
  const auto all = cubesOf({solids, {}, false});
  const auto first = keysOf(cubesOf({{solids[0]}, {}, false}));
  const auto last = keysOf(cubesOf({{solids[29]}, {}, false}));
  EXPECT_GT(first.size(), 8000U);
  for (const auto& [cube, solid] : all) {
    EXPECT_EQ(solid == 0, first.count(cube) == 1);
    EXPECT_TRUE(first.count(cube) == 1 || last.count(cube) == 1);
  }
}

TEST(CubeFill, RestrictsMiddlesToARegion) {
  const Ball region{{1.5, 0.2, -0.3}, 4};
  const std::vector<Solid> solids{Frustum({-50, 0, 0}, {60, 3, 1}, 2, 2.5), Ball{{5, 0, 0}, 3},
                                  Frustum({90, 90, 90}, {99, 99, 99}, 1, 1)};
  std::set<Cube> expected;
  for (const Cube& cube : keysOf(cubesOf({solids, {}, false}))) {
    if (std::hypot(middle(cube[0]) - 1.5, middle(cube[1]) - 0.2, middle(cube[2]) + 0.3) <= 4)
      expected.insert(cube);
  }
  EXPECT_GT(expected.size(), 50U);
  CubeFill fill(solids, region, false);
  EXPECT_EQ(keysOf(cubesOf(fill)), expected);
  EXPECT_LE(fill.range().size(0), 14);
  EXPECT_LT(fill.expectedCubes(), 600);
}

TEST(CubeFill, FillsCubesThatASolidEntersAtTheBorderOfTheRegion) {
  const Frustum thin({-9, 0.5, 0.5}, {9, 0.5, 0.5}, 0.1, 0.1);
  const auto cubes = cubesOf({{thin}, Ball{{0.5, 0.5, 0.5}, 4}, false});
  EXPECT_EQ(cubes.size(), 9U);
  EXPECT_EQ(cubes.count({-4, 0, 0}), 1U);
  EXPECT_EQ(cubes.count({4, 0, 0}), 1U);
}

TEST(CubeFill, FindsNoCubesWithoutSolids) {
  EXPECT_TRUE(cubesOf({{}, {}, false}).empty());
  EXPECT_EQ(CubeFill({}, {}, false).expectedCubes(), 0);
}

TEST(FacePieces, AreThoseOfASearchFromEachCube) {
  std::mt19937 random(3);
  const CubeRange range{{-2, 0, 5}, {7, 8, 12}};
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<FilledCube> cubes;
    std::map<Cube, std::size_t> positions;
    for (std::int64_t index = 0; index < 9 * 8 * 7; ++index) {
      const Cube cube = range.cubeAt(index);
      bool isInner = true;
      for (std::size_t axis = 0; axis < 3; ++axis)
        isInner = isInner && cube[axis] > range.low[axis] && cube[axis] < range.high[axis] - 1;
      if (!isInner || random() % 100 > static_cast<unsigned>(20 + trial)) continue;
      positions.emplace(cube, cubes.size());
      cubes.push_back({index, 0});
    }
    std::vector<std::size_t> expected(cubes.size(), cubes.size());
    for (std::size_t seed = 0; seed < cubes.size(); ++seed) {
      if (expected[seed] != cubes.size()) continue;
      std::vector<std::size_t> open{seed};
      expected[seed] = seed;
      while (!open.empty()) {
        const Cube cube = range.cubeAt(cubes[open.back()].index);
        open.pop_back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
          for (const int step : {-1, 1}) {
            Cube next = cube;
            next[axis] += step;
            const auto found = positions.find(next);
            if (found == positions.end() || expected[found->second] != cubes.size()) continue;
            expected[found->second] = seed;
            open.push_back(found->second);
          }
        }
      }
    }
    EXPECT_EQ(facePieces(cubes, range), expected) << trial;
  }
}

}  // namespace
}  // namespace mass::detail

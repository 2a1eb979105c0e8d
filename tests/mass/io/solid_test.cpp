#include <mass/io/solid.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "../../support/frustum_reference.hpp"

namespace mass::detail {
namespace {

using testing::ReferenceFrustum;
using testing::Relation;

class Random {
 public:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / 0x1p64;
  }
  Point point(double size) {
    return {between(-size, size), between(-size, size), between(-size, size)};
  }

 private:
  std::mt19937_64 engine_{1};
};

TEST(Frustum, MeetsBlocksLikeAlternatingProjections) {
  Random random;
  int meeting = 0, apart = 0, unknown = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    const double size = std::exp(random.between(-1.5, 2));
    const Point first = random.point(size), last = random.point(size);
    const double a = std::exp(random.between(-3, 1)), b = std::exp(random.between(-3, 1));
    CubeBlock block;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      block.low[axis] = std::floor(random.between(-size - 2, size + 2));
      block.high[axis] = block.low[axis] + (trial % 2 == 0 ? 1 : std::floor(random.between(1, 5)));
    }
    const bool meets = Frustum(first, last, a, b).meets(block);
    switch (ReferenceFrustum(first, last, a, b).relationTo(block.low, block.high)) {
      case Relation::meeting:
        EXPECT_TRUE(meets) << trial;
        ++meeting;
        break;
      case Relation::apart:
        EXPECT_FALSE(meets) << trial;
        ++apart;
        break;
      case Relation::unknown:
        ++unknown;
    }
  }
  EXPECT_GT(meeting, 5000);
  EXPECT_GT(apart, 5000);
  EXPECT_LT(unknown, 10);
}

TEST(Frustum, DoesNotMeetABlockThatItOnlyTouches) {
  const Frustum cylinder({0, 0, 0}, {0, 0, 2}, 1, 1);
  const auto meetsCube = [&](double x, double y, double z) {
    return cylinder.meets({{x, y, z}, {x + 1, y + 1, z + 1}});
  };
  EXPECT_TRUE(meetsCube(0, 0, 0));
  EXPECT_TRUE(meetsCube(-1, -1, 1));
  EXPECT_FALSE(meetsCube(1, 0, 0));
  EXPECT_FALSE(meetsCube(0, -2, 0));
  EXPECT_FALSE(meetsCube(0, 0, 2));
  EXPECT_FALSE(meetsCube(0, 0, -1));
  EXPECT_TRUE(meetsCube(1 - 1e-6, 0, 0));
  EXPECT_TRUE(meetsCube(0, 0, 2 - 1e-6));
}

TEST(Frustum, MeetsTheOtherBlocksBesideItsAxis) {
  // The axis lies in an edge of four cubes.
  const Frustum thin({3, 4, 0}, {3, 4, 5}, 1e-3, 1e-3);
  for (const double x : {2, 3})
    for (const double y : {3, 4}) EXPECT_TRUE(thin.meets({{x, y, 2}, {x + 1, y + 1, 3}}));
}

TEST(Frustum, MeetsABlockThroughTheMiddleOfAFaceOnly) {
  // Thin along its axis, far from all edges of the block.
  EXPECT_TRUE(Frustum({5, 5, -1}, {5, 5, 0.1}, 0.1, 0.2).meets({{0, 0, 0}, {10, 10, 10}}));
  EXPECT_FALSE(Frustum({5, 5, -1}, {5, 5, -0.1}, 0.1, 0.2).meets({{0, 0, 0}, {10, 10, 10}}));
  // The rim of an inclined end enters the block; the axis does not.
  EXPECT_TRUE(Frustum({5, 5, -0.6}, {3, 5, -2.6}, 1, 1).meets({{0, 0, 0}, {10, 10, 10}}));
  EXPECT_FALSE(Frustum({5, 5, -0.8}, {3, 5, -2.8}, 1, 1).meets({{0, 0, 0}, {10, 10, 10}}));
}

TEST(Frustum, ContainsPointsLikeTheReference) {
  Random random;
  int inside = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Point first = random.point(2), last = random.point(2), point = random.point(2);
    const double a = random.between(0.1, 2), b = random.between(0.1, 2);
    const bool contains = Frustum(first, last, a, b).contains(point);
    EXPECT_EQ(contains, ReferenceFrustum(first, last, a, b).contains(point)) << trial;
    inside += contains ? 1 : 0;
  }
  EXPECT_GT(inside, 1000);
}

TEST(Frustum, HasTheSmallestBlockAroundIt) {
  const CubeBlock bounds = Frustum({1, 2, 3}, {1, 2, 7}, 0.5, 2).bounds();
  EXPECT_EQ(bounds.low, (Point{-1, 0, 3}));
  EXPECT_EQ(bounds.high, (Point{3, 4, 7}));
  const CubeBlock inclined = Frustum({0, 0, 0}, {3, 4, 0}, 1, 1).bounds();
  EXPECT_NEAR(inclined.low[0], -0.8, 1e-12);
  EXPECT_NEAR(inclined.high[1], 4.6, 1e-12);
  EXPECT_NEAR(inclined.high[2], 1, 1e-12);
}

TEST(Frustum, IsClippedToTheNeighborhoodOfABall) {
  const auto whole = [] { return Frustum({0, 0, 0}, {100, 0, 0}, 1, 11); };
  Frustum part = whole();
  ASSERT_TRUE(part.clip({{50, 3, 0}, 10}));
  EXPECT_NEAR(part.bounds().low[0], 40, 1e-12);
  EXPECT_NEAR(part.bounds().high[0], 60, 1e-12);
  EXPECT_NEAR(part.bounds().high[1], 7, 1e-12);
  for (const double z : {0.0, 5.4, 5.6, 6.4, 6.6}) {
    EXPECT_EQ(part.contains({50, 0, z}), whole().contains({50, 0, z})) << z;
    EXPECT_EQ(part.meets({{50, 0, z}, {51, 1, z + 1}}),
              whole().meets({{50, 0, z}, {51, 1, z + 1}}));
  }
  EXPECT_FALSE(part.clip({{120, 0, 0}, 10}));
}

/// Returns the mean number of cubes that a solid meets, over random positions of the grid.
template <class Make>
double meanCubes(Make make, Random& random) {
  std::int64_t total = 0;
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    const auto solid = make(random.point(1));
    const CubeBlock bounds = solid.bounds();
    for (double x = std::floor(bounds.low[0]); x < bounds.high[0]; ++x)
      for (double y = std::floor(bounds.low[1]); y < bounds.high[1]; ++y)
        for (double z = std::floor(bounds.low[2]); z < bounds.high[2]; ++z)
          total += solid.meets({{x, y, z}, {x + 1, y + 1, z + 1}}) ? 1 : 0;
  }
  return static_cast<double>(total) / trials;
}

TEST(Solids, ExpectTheirMeanNumberOfCubes) {
  Random random;
  const auto ball = [](const Point& at) { return Ball{at, 2.5}; };
  const double cubes = ball({}).cubes();
  EXPECT_NEAR(meanCubes(ball, random), cubes, 0.02 * cubes);
  const auto frustum = [](const Point& at) {
    return Frustum(at, testing::sum(at, 1, {3, 4, 5}), 1.5, 0.5);
  };
  const double expected = frustum({}).cubes(), mean = meanCubes(frustum, random);
  EXPECT_GT(expected, mean);
  EXPECT_LT(expected, 1.25 * mean);
}

TEST(Ball, MeetsABlockWithinItsRadius) {
  const Ball ball{{0, 0, 0}, 5};
  EXPECT_TRUE(ball.meets({{3, 3.9, 0}, {4, 4.9, 1}}));
  EXPECT_FALSE(ball.meets({{3, 4, 0}, {4, 5, 1}}));
  EXPECT_FALSE(ball.meets({{3.1, 4, 0}, {4.1, 5, 1}}));
  EXPECT_TRUE(ball.contains({3, 4, 0}));
  EXPECT_FALSE(ball.contains({3, 4, 0.01}));
}

}  // namespace
}  // namespace mass::detail

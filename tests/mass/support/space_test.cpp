#include <mass/support/space.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using mass::Coordinates;
using mass::Offset;
using mass::Space;

const Space<2> torus{2.5F, {4, 3}, {true, true}};  // 10 x 7.5
const Space<2> mixed{2.5F, {4, 3}, {false, true}};
const Space<2> bounded{2.5F, {4, 3}, {false, false}};

TEST(Space, BinOfReturnsTheNearestBinOutsideAnAxisThatIsNotPeriodic) {
  EXPECT_EQ(torus.binOf(std::array{0.0F, 0.0F}), (Coordinates<2>{0, 0}));
  EXPECT_EQ(torus.binOf(std::array{2.5F, 2.4F}), (Coordinates<2>{1, 0}));
  EXPECT_EQ(torus.binOf(std::array{9.99F, 7.49F}), (Coordinates<2>{3, 2}));
  EXPECT_EQ(torus.binOf(std::array{10.0F, 7.5F}), (Coordinates<2>{3, 2})) << "rounded up";
  EXPECT_EQ(bounded.binOf(std::array{10.0F, -0.1F}), (Coordinates<2>{3, 0}));
  EXPECT_EQ(bounded.binOf(std::array{-1e30F, 1e30F}), (Coordinates<2>{0, 2}));
  const float position[] = {5.5F, 1.0F};
  EXPECT_EQ(torus.binOf(position), (Coordinates<2>{2, 0}));
}

TEST(Space, BinOfReturnsNowhereForPositionsThatAreInNoBin) {
  constexpr std::int64_t nowhere = Space<2>::nowhere;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Space<2>& space : {torus, mixed, bounded}) {
    EXPECT_EQ(space.binOf(std::array{nan, 1.0F})[0], nowhere);
    EXPECT_EQ(space.binOf(std::array{1.0F, -nan})[0], nowhere);
    EXPECT_EQ(space.binOf(std::array{1.0F, infinity})[0], nowhere);
    EXPECT_EQ(space.binOf(std::array{-infinity, 1.0F})[0], nowhere);
  }
  EXPECT_EQ(mixed.binOf(std::array{-0.1F, 0.1F}), (Coordinates<2>{0, 0}));
  constexpr float most = std::numeric_limits<float>::max();
  EXPECT_EQ(bounded.binOf(std::array{most, most}), (Coordinates<2>{3, 2})) << "finite";
  for (const float at : {25.0F, -20.1F, nan, infinity}) {
    std::array<float, 2> far{at, 1};
    torus.wrap(far);
    EXPECT_EQ(torus.binOf(far)[0], nowhere) << at;
  }
}

TEST(Space, ChecksThatAPeriodicAxisContainsThePosition) {
#ifndef MASS_CHECKED
  GTEST_SKIP() << "needs a checked build";
#endif
  constexpr std::int64_t nowhere = Space<2>::nowhere;
  EXPECT_EQ(torus.binOf(std::array{-0.1F, 1.0F})[0], nowhere);
  EXPECT_EQ(torus.binOf(std::array{1.0F, 12.6F})[0], nowhere);
  EXPECT_EQ(mixed.binOf(std::array{-0.1F, -0.1F})[0], nowhere);
}

TEST(Space, WrapsOnlyAlongAxesThatGoRound) {
  const auto wrapped = [](const Space<2>& space, std::array<float, 2> position) {
    space.wrap(position);
    return position;
  };
  using Position = std::array<float, 2>;
  EXPECT_EQ(wrapped(torus, {3, 7}), (Position{3, 7}));
  EXPECT_EQ(wrapped(torus, {-1, 8}), (Position{9, 0.5F}));
  EXPECT_EQ(wrapped(torus, {10, 7.5F}), (Position{0, 0}));
  EXPECT_EQ(wrapped(torus, {-1e-9F, -1e-9F}), (Position{0, 0})) << "which rounds up to the length";
  EXPECT_EQ(wrapped(mixed, {-1, -1}), (Position{-1, 6.5F}));
  EXPECT_EQ(wrapped(mixed, {12, 8}), (Position{12, 0.5F}));
}

TEST(Space, HasTheShorterWay) {
  const std::array from{1.0F, 1.0F};
  const auto round = torus.way(from, std::array{9.0F, 7.0F});
  EXPECT_EQ(round[0], -2);
  EXPECT_EQ(round[1], -1.5F);
  EXPECT_EQ(round.squared, 6.25F);
  EXPECT_EQ(round.length(), 2.5F);
  EXPECT_EQ(mixed.way(from, std::array{9.0F, 7.0F})[0], 8);
  EXPECT_EQ(torus.way(from, from).squared, 0);
  const auto back = torus.way(std::array{9.0F, 7.0F}, from);
  EXPECT_EQ(back[0], 2);
  EXPECT_EQ(back[1], 1.5F);
}

template <int D>
std::vector<std::vector<int>> binsWithin(const Space<D>& space, float radius) {
  const auto box = space.binsWithin(radius);
  std::vector<std::vector<int>> offsets{{}};
  for (int axis = 0; axis < D; ++axis) {
    std::vector<std::vector<int>> longer;
    for (const auto& offset : offsets) {
      for (int step = box.first[axis]; step <= box.last[axis]; ++step) {
        longer.push_back(offset);
        longer.back().push_back(step);
      }
    }
    offsets = longer;
  }
  return offsets;
}

using Offsets = std::vector<std::vector<int>>;

TEST(Space, LooksAsFarAsTheRadiusInRowMajorOrder) {
  const Space<1> line{2, {100}, {true}};
  EXPECT_EQ(binsWithin(line, 2), (Offsets{{-1}, {0}, {1}}));
  EXPECT_EQ(binsWithin(line, 1), (Offsets{{-1}, {0}, {1}}));
  EXPECT_EQ(binsWithin(line, 2.1F), (Offsets{{-2}, {-1}, {0}, {1}, {2}}));
  EXPECT_EQ(binsWithin(line, 0), (Offsets{{0}}));
  EXPECT_EQ(
      binsWithin(torus, 2.5F),
      (Offsets{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(binsWithin(Space<3>{1, {9, 9, 9}, {}}, 1).size(), 27U);
}

TEST(Space, ThatGoesRoundInFewBinsShowsEachOnce) {
  for (int bins = 1; bins <= 7; ++bins) {
    for (int far = 1; far <= 3; ++far) {
      const Space<1> line{1, {bins}, {true}};
      std::vector<int> seen(static_cast<std::size_t>(bins));
      for (const auto& offset : binsWithin(line, static_cast<float>(far))) {
        EXPECT_LE(std::abs(offset[0]), far);
        ++seen[static_cast<std::size_t>((offset[0] + bins) % bins)];
      }
      for (int bin = 0; bin < bins; ++bin) {
        const bool isNear = std::min(bin, bins - bin) <= far;
        EXPECT_EQ(seen[static_cast<std::size_t>(bin)], isNear ? 1 : 0) << bins << " bins, " << far;
      }
    }
  }
  EXPECT_EQ(binsWithin(Space<1>{1, {2}, {false}}, 1), (Offsets{{-1}, {0}, {1}}));
}

TEST(Space, IsStraightWhereNoShortestWayCrossesAPeriodicBoundary) {
  for (int bins = 1; bins <= 9; ++bins) {
    for (int far = 0; far <= 3; ++far) {
      const Space<1>::Box box{{-far}, {far}};
      for (int bin = 0; bin < bins; ++bin) {
        const bool isInside = bin - far >= 0 && bin + far < bins;
        // The displacement is less than far + 1 bins, and at most half of the axis.
        const bool expected = isInside && 2 * (far + 1) <= bins;
        EXPECT_EQ((Space<1>{1, {bins}, {true}}.isStraight({bin}, box)), expected)
            << bin << " of " << bins << ", " << far;
        EXPECT_TRUE((Space<1>{1, {bins}, {false}}.isStraight({bin}, box)));
      }
    }
  }
  const Space<2> both{1, {20, 9}, {false, true}};
  EXPECT_TRUE(both.isStraight({0, 7}, {{-1, -1}, {1, 1}}));
  EXPECT_FALSE(both.isStraight({0, 8}, {{-1, -1}, {1, 1}}));
  EXPECT_FALSE(both.isStraight({0, 0}, {{-1, -1}, {1, 1}}));
}

}  // namespace

#include <mass/launch/tile_plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace {

using mass::detail::Layout;
using mass::detail::PersistentTilePlan;

Layout layoutOf(std::int64_t rows, std::int64_t lines, std::int64_t columns) {
  return Layout::of({.dimensions = 3, .shape = {rows, lines, columns}, .reach = 1}, rows);
}

/// Rows (or lines) of the smallest and the largest of so many parts, as the kernels cut them.
std::pair<std::int64_t, std::int64_t> partsOf(std::int64_t length, int parts) {
  std::int64_t least = length, most = 0;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t size = length * (part + 1) / parts - length * part / parts;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  return {least, most};
}

TEST(PersistentTilePlan, CoversTheWorldByTilesThatFitAndReachTheirNeighboursOnly) {
  for (const std::int64_t rows : {1, 2, 7, 64, 131, 1000}) {
    for (const std::int64_t lines : {1, 3, 64, 97}) {
      for (const int reach : {1, 3}) {
        const auto plan = PersistentTilePlan::of(layoutOf(rows, lines, 33), 3, reach, 132);
        ASSERT_TRUE(plan) << rows << " x " << lines;
        EXPECT_LE(plan->blocks(), 132);
        const auto [leastRows, mostRows] = partsOf(rows, plan->rowTiles);
        const auto [leastLines, mostLines] = partsOf(lines, plan->lineTiles);
        EXPECT_TRUE(plan->rowTiles == 1 || leastRows >= reach);
        EXPECT_TRUE(plan->lineTiles == 1 || leastLines >= reach);
        EXPECT_LE(mostRows * mostLines, plan->lines);
        EXPECT_LE(std::max<std::int64_t>(mostRows - 2 * reach, 0) *
                      std::max<std::int64_t>(mostLines - 2 * reach, 0),
                  plan->interiorLines);
      }
    }
  }
}

TEST(PersistentTilePlan, SharesALargeWorldEvenly) {
  const auto plan = PersistentTilePlan::of(layoutOf(256, 128, 128), 3, 1, 132);
  ASSERT_TRUE(plan);
  EXPECT_GE(plan->blocks(), 120);
  EXPECT_LE(plan->lines, 256 * 128 / 120 * 1.1);
}

TEST(PersistentTilePlan, IsNothingForWorldsTooLarge) {
  EXPECT_FALSE(PersistentTilePlan::of(layoutOf(4096, 4096, 8), 3, 1, 132));
  EXPECT_FALSE(PersistentTilePlan::of(layoutOf(1, 1, 70'000), 3, 1, 132));
}

TEST(PersistentTilePlan, OfTwoDimensionsHasNoLinesBetweenTiles) {
  const Layout layout = Layout::of({.dimensions = 2, .shape = {600, 1, 100}, .reach = 2}, 600);
  const auto plan = PersistentTilePlan::of(layout, 2, 2, 100);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->lineTiles, 1);
  EXPECT_GT(plan->rowTiles, 50);
  EXPECT_GT(plan->interiorLines, 0);
}

}  // namespace

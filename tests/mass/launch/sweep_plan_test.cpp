#include <mass/launch/sweep_plan.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using mass::detail::PlaneSweepShape;
using mass::detail::rowsPerSweep;

/// Layout of a world with rules of some reach.
mass::detail::Layout layoutOf(std::int64_t rows, std::int64_t lines, std::int64_t columns,
                              int reach) {
  mass::detail::Domain domain;
  domain.dimensions = 3;
  domain.shape = {rows, lines, columns};
  domain.reach = reach;
  return mass::detail::Layout::of(domain, rows);
}

// 4 x 26 blocks lie side by side: 5 parts are 3.94 waves of 132 blocks, 4 are 3.15.
TEST(SweepPlan, FillsTheGpuByWholeWaves) {
  EXPECT_EQ(rowsPerSweep(layoutOf(512, 512, 512, 4), {4, 32, 20}, 132), 103);
  EXPECT_EQ(rowsPerSweep(layoutOf(512, 512, 512, 2), {4, 32, 12}, 264), 171);
}

TEST(SweepPlan, TakesAllRowsOfWorldsWithManyBlocksInARow) {
  EXPECT_EQ(rowsPerSweep(layoutOf(100, 4096, 4096, 1), {4, 32, 12}, 132), 100);
  EXPECT_EQ(rowsPerSweep(layoutOf(2048, 4096, 4096, 1), {4, 32, 12}, 132), 1024);
}

TEST(SweepPlan, DividesFewRowsOnlyIfPartsHaveAtLeastEight) {
  for (const std::int64_t rows : {1, 7, 8, 13})
    EXPECT_EQ(rowsPerSweep(layoutOf(rows, 8, 128, 1), {4, 32, 12}, 132), rows);
  EXPECT_EQ(rowsPerSweep(layoutOf(17, 8, 128, 1), {4, 32, 12}, 132), 9);
}

}  // namespace

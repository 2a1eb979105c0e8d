#include <mass/program/live/curves.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using mass::detail::live::Curves;

/// Adds rows of the steps [0, count).
void fill(Curves& curves, std::int64_t count) {
  for (std::int64_t step = 0; step < count; ++step)
    curves.add(step, std::vector<double>{static_cast<double>(2 * step)});
}

TEST(LiveCurves, KeepsAllRowsOfAShortRun) {
  Curves curves;
  fill(curves, 100);
  ASSERT_EQ(curves.rows().size(), 100);
  EXPECT_EQ(curves.rows()[99].step, 99);
  EXPECT_EQ(curves.rows()[99].values, std::vector<double>{198});
}

TEST(LiveCurves, ThinsLongRunsOutEvenly) {
  Curves curves;
  fill(curves, 100'000);
  const auto& rows = curves.rows();
  ASSERT_LE(rows.size(), Curves::most);
  ASSERT_GE(rows.size(), Curves::most / 2);
  EXPECT_EQ(rows.front().step, 0);
  const std::int64_t stride = rows[1].step;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].step, static_cast<std::int64_t>(i) * stride);
    ASSERT_EQ(rows[i].values[0], 2.0 * static_cast<double>(rows[i].step));
  }
  EXPECT_GT(rows.back().step + stride, 99'999);
}

TEST(LiveCurves, ChangesItsGenerationWithEarlierRows) {
  Curves curves;
  const std::int64_t first = curves.generation();
  fill(curves, Curves::most);
  EXPECT_EQ(curves.generation(), first);
  fill(curves, 1);
  EXPECT_NE(curves.generation(), first);
}

TEST(LiveCurves, BeginsAnewWithAnotherRun) {
  Curves curves;
  fill(curves, 10'000);
  const std::int64_t generation = curves.generation();
  curves.clear();
  EXPECT_NE(curves.generation(), generation);
  fill(curves, 3);
  EXPECT_EQ(curves.rows().size(), 3);
}

}  // namespace

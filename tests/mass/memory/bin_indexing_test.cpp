#include <mass/memory/bin_indexing.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using mass::detail::BinIndexing;

TEST(BinIndexing, ArePlacesOfTheBandAndThenGhostsAfterAndBeforeIt) {
  const BinIndexing bins{.rows = 3, .depth = 2, .lines = 1, .columns = 5};
  EXPECT_EQ(bins.at(0, 0, 0), 0);
  EXPECT_EQ(bins.at(2, 0, 4), 14);
  EXPECT_EQ(bins.at(3, 0, 1), 16);
  EXPECT_EQ(bins.at(-2, 0, 0), 25);
  EXPECT_EQ(bins.at(-1, 0, 4), bins.size() - 1);
}

TEST(BinIndexing, OfRowsBeyondTheGhostsAreNone) {
  for (const bool wraps : {false, true}) {
    const BinIndexing bins{.rows = 3, .depth = 2, .lines = 2, .columns = 5, .rowsWrap = wraps};
    for (const std::int64_t row : {-1000, -4, -3, 5, 6, 1000}) EXPECT_EQ(bins.at(row, 1, 2), -1);
  }
}

TEST(BinIndexing, OfADeviceThatIsAloneGoRoundOrEnd) {
  BinIndexing bins{.rows = 3, .lines = 2, .columns = 5};
  for (const std::int64_t row : {-4, -1, 3, 1000}) EXPECT_EQ(bins.at(row, 0, 0), -1);
  EXPECT_EQ(bins.at(0, -1, 0), -1);
  EXPECT_EQ(bins.at(0, 2, 0), -1);
  EXPECT_EQ(bins.at(0, 0, 5), -1);
  bins.rowsWrap = bins.linesWrap = bins.columnsWrap = true;
  EXPECT_EQ(bins.at(-1, -1, -1), bins.at(2, 1, 4));
  EXPECT_EQ(bins.at(4, 3, 6), bins.at(1, 1, 1));
}

}  // namespace

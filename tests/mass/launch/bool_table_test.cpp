#include <mass/launch/bool_table.hpp>

#include <gtest/gtest.h>

#include <bit>

namespace {

using mass::detail::BoolTable;
using mass::detail::LifeCounts;

/// Returns the table of a function of the own state and the number of living neighbours.
template <class Function>
BoolTable tableOf(const Function& function) {
  BoolTable table;
  for (int pattern = 0; pattern < BoolTable::patterns; ++pattern) {
    const bool own = (pattern & 16) != 0;
    table.set(pattern, function(own, std::popcount(static_cast<unsigned>(pattern & ~16))));
  }
  return table;
}

TEST(BoolTable, KeepsEachResult) {
  BoolTable table;
  for (int pattern = 0; pattern < 512; ++pattern) table.set(pattern, pattern % 5 == 1);
  for (int pattern = 0; pattern < 512; ++pattern) EXPECT_EQ(table.at(pattern), pattern % 5 == 1);
  table.set(6, false);
  EXPECT_FALSE(table.at(6));
  EXPECT_TRUE(table.at(1));
  EXPECT_TRUE(table.at(11));
}

TEST(BoolTable, HasTheCountsOfTotalisticRules) {
  EXPECT_EQ(tableOf([](bool own, int n) { return n == 3 || (own && n == 2); }).counts(),
            (LifeCounts{0x8, 0xc}));
  EXPECT_EQ(tableOf([](bool own, int n) { return own ? n == 8 : n == 0; }).counts(),
            (LifeCounts{0x1, 0x100}));
  EXPECT_EQ(tableOf([](bool, int) { return false; }).counts(), (LifeCounts{0, 0}));
  EXPECT_EQ(tableOf([](bool, int) { return true; }).counts(), (LifeCounts{0x1ff, 0x1ff}));
}

TEST(BoolTable, HasNoCountsIfOnePatternDiffers) {
  const BoolTable conway = tableOf([](bool own, int n) { return n == 3 || (own && n == 2); });
  for (int pattern = 0; pattern < 512; ++pattern) {
    BoolTable other = conway;
    other.set(pattern, !conway.at(pattern));
    // The only patterns of their own state and number.
    const bool isAlone = pattern == 0 || pattern == 16 || pattern == 495 || pattern == 511;
    EXPECT_EQ(other.counts().has_value(), isAlone) << pattern;
  }
}

}  // namespace

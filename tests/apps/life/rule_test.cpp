#include <apps/life/rule.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace life {
namespace {

static_assert(std::is_trivially_copyable_v<Rule> && std::is_standard_layout_v<Rule>);

TEST(Rule, DefaultsToConways) {
  EXPECT_EQ(Rule{}.birth, 8U);
  EXPECT_EQ(Rule{}.survival, 12U);
}

TEST(Rule, TextHasTheCountsInOrder) {
  EXPECT_EQ(Rule{}.text(), "B3/S23");
  EXPECT_EQ((Rule{1U << 6 | 1U << 3, 0}.text()), "B36/S");
  EXPECT_EQ((Rule{0x1FF, 0x1FF}.text()), "B012345678/S012345678");
}

TEST(Rule, NextIsTheTablesBitForEveryRuleAndCount) {
  for (std::uint32_t birth = 0; birth < 512; ++birth) {
    for (std::uint32_t survival = 0; survival < 512; ++survival) {
      const Rule rule{birth, survival};
      for (int living = 0; living <= 8; ++living) {
        ASSERT_EQ(rule.next(false, living), (birth >> living & 1U) == 1U) << rule.text() << living;
        ASSERT_EQ(rule.next(true, living), (survival >> living & 1U) == 1U)
            << rule.text() << living;
      }
    }
  }
}

}  // namespace
}  // namespace life

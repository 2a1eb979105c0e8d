#include <apps/life/rule.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace life {
namespace {

static_assert(std::is_trivially_copyable_v<Rule> && std::is_standard_layout_v<Rule>);

std::string errorOf(const std::string& text) {
  try {
    Rule::parse(text);
  } catch (const mass::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Rule, DefaultsToConways) {
  EXPECT_EQ(Rule{}, Rule::parse("B3/S23"));
  EXPECT_EQ(Rule{}.birth, 8U);
  EXPECT_EQ(Rule{}.survival, 12U);
}

TEST(Rule, ReadsBothFormsInAnyCaseAndOrder) {
  EXPECT_EQ(Rule::parse("b3/s23"), Rule{});
  EXPECT_EQ(Rule::parse("B3/s32"), Rule{});
  EXPECT_EQ(Rule::parse("23/3"), Rule{});
  const Rule highLife = Rule::parse("B36/S23");
  EXPECT_EQ(highLife.birth, 1U << 3 | 1U << 6);
  EXPECT_EQ(highLife, Rule::parse("23/36"));
  EXPECT_EQ(Rule::parse("B012345678/S").birth, 0x1FFU);
  EXPECT_EQ(Rule::parse("B012345678/S").survival, 0U);
  EXPECT_EQ(Rule::parse("/2"), Rule::parse("B2/S"));
}

TEST(Rule, TextReadsBackForEveryRule) {
  EXPECT_EQ(Rule::parse("B63/S32").text(), "B36/S23");
  for (std::uint32_t birth = 0; birth < 512; ++birth) {
    const Rule rule{birth, 511 - birth};
    EXPECT_EQ(Rule::parse(rule.text()), rule);
  }
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

TEST(Rule, ErrorsNameThePositionAndAnExample) {
  EXPECT_NE(errorOf("B3/S29").find("\"B3/S29\", position 6: a cell has at most 8"),
            std::string::npos)
      << errorOf("B3/S29");
  EXPECT_NE(errorOf("B33/S23").find("position 3: a digit is repeated"), std::string::npos);
  EXPECT_NE(errorOf("B3/S23 ").find("position 7: unexpected text"), std::string::npos);
  EXPECT_NE(errorOf("B3S23").find("position 3: expected '/'"), std::string::npos);
  EXPECT_NE(errorOf("B3/23").find("position 4: expected 'S'"), std::string::npos);
  EXPECT_NE(errorOf("").find("position 1: expected '/'"), std::string::npos);
  EXPECT_NE(errorOf("Life").find("write a rule as B3/S23"), std::string::npos);
}

TEST(Rule, OtherKindsOfRuleSayWhatIsSupported) {
  for (const char* text :
       {"B3/S23V", "B2/S34H", "B3/S23:T100,100", "23/3/3", "B2/S23/C4", "B3/S2-i34q"}) {
    EXPECT_NE(errorOf(text).find("not supported"), std::string::npos) << text;
  }
}

TEST(Rule, MessagesStayCleanAndShort) {
  const std::string message = errorOf("B3/S23\x01" + std::string(100000, 'x'));
  EXPECT_LT(message.size(), 500U);
  EXPECT_NE(message.find("B3/S23?xxx"), std::string::npos);
}

}  // namespace
}  // namespace life

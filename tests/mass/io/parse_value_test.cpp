#include <mass/io/parse_value.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace mass {
namespace {

/// Returns the value of a text that must be valid.
template <class T>
T valueOf(std::string_view text) {
  T value{};
  EXPECT_EQ(parseValue(text, value), "") << text;
  return value;
}

/// Returns the complaint about a text, which must leave the value alone.
template <class T>
std::string faultOf(std::string_view text) {
  T value = 1;
  const std::string fault = parseValue(text, value);
  EXPECT_EQ(value, T{1}) << text;
  return fault;
}

TEST(ParseValue, readsTruthInAnyCase) {
  for (const auto* yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "t", "T",
                          "y", "Y", "1", "1.0", "+1", "10e-1"})
    EXPECT_TRUE(valueOf<bool>(yes)) << yes;
  for (const auto* no : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "f", "F",
                         "n", "N", "0", "0.0", "-0", "0e5"})
    EXPECT_FALSE(valueOf<bool>(no)) << no;
  for (const auto* neither : {"", " ", "2", "-1", "0.5", "1e-9", "tru", "truely", "yes!", "nan",
                              "null", "None", "ja", "1e999"})
    EXPECT_EQ(faultOf<bool>(neither), "is not true or false (yes or no, on or off, 1 or 0)");
}

TEST(ParseValue, readsWholeNumbersInEveryForm) {
  for (const auto* three : {"3", "+3", "3.", "3.0", "3.000000", "03", "3e0", "3E+0", "0.3e1",
                            "0.003e3", "300e-2", "30.0e-1", ".3e1"})
    EXPECT_EQ(valueOf<int>(three), 3) << three;
  EXPECT_EQ(valueOf<int>("1e3"), 1000);
  EXPECT_EQ(valueOf<int>("-2.5e1"), -25);
  EXPECT_EQ(valueOf<unsigned>("-0.0"), 0U);
  EXPECT_EQ(valueOf<int>("0e99999999999999999999"), 0);
  EXPECT_EQ(valueOf<std::int8_t>("-1.28e2"), -128);
  EXPECT_EQ(valueOf<std::uint64_t>("18446744073709551615.0"), 18446744073709551615U);
  EXPECT_EQ(valueOf<std::int64_t>("-9.223372036854775808e18"),
            std::numeric_limits<std::int64_t>::min());
  // No double has this value.
  EXPECT_EQ(valueOf<std::int64_t>("9007199254740993.0"), 9007199254740993);
}

TEST(ParseValue, refusesNumbersThatAreNotWhole) {
  for (const auto* text : {"",
                           "+",
                           "-",
                           ".",
                           "e3",
                           "1.5",
                           "1e-3",
                           "2.5e0",
                           "1.0000000000000000000001",
                           "1e-99999",
                           "0x10",
                           "1_000",
                           "1,000",
                           "1 2",
                           " 1",
                           "1 ",
                           "1.0f",
                           "+-1",
                           "-+1",
                           "++1",
                           "--1",
                           "1e",
                           "1e+",
                           "1e3.0",
                           "1.2.0",
                           "inf",
                           "nan",
                           "true",
                           "\xE2\x88\x92"
                           "1"})
    EXPECT_EQ(faultOf<std::int8_t>(text), "is not an integer from -128 to 127") << text;
}

TEST(ParseValue, refusesIntegersThatDoNotFit) {
  EXPECT_EQ(faultOf<std::int8_t>("128"), "is not an integer from -128 to 127");
  EXPECT_EQ(faultOf<std::int8_t>("-129.0"), "is not an integer from -128 to 127");
  EXPECT_EQ(faultOf<std::uint8_t>("-1"), "is not an integer from 0 to 255");
  EXPECT_EQ(faultOf<std::uint8_t>("1e3"), "is not an integer from 0 to 255");
  std::int64_t value = 0;
  for (const auto* text : {"9223372036854775808", "1e19", "-9.3e18", "1e999999999999999999999"})
    EXPECT_EQ(detail::parse(text, value), detail::ParseStatus::outOfRange) << text;
  EXPECT_EQ(detail::rangeError<std::int64_t>(), "does not fit into 64 bits");
  EXPECT_EQ(detail::parse("1.5", value), detail::ParseStatus::malformed);
}

TEST(ParseValue, roundsToTheNearestNumber) {
  EXPECT_EQ(valueOf<float>("0.1"), 0.1F);
  EXPECT_EQ(valueOf<double>("+.5"), 0.5);
  EXPECT_EQ(valueOf<double>("5."), 5.0);
  EXPECT_EQ(valueOf<double>("1E+5"), 1e5);
  EXPECT_EQ(valueOf<float>("1e-40"), 1e-40F);
  EXPECT_EQ(valueOf<float>("7.1e-46"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(valueOf<double>("3e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(valueOf<float>("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isnan(valueOf<float>("nan")));
  EXPECT_EQ(valueOf<double>("-inf"), -std::numeric_limits<double>::infinity());
}

TEST(ParseValue, readsNumbersNearerToZeroThanTheTypeAsZero) {
  for (const auto* tiny : {"5.5e-48", "7e-46", "1e-999", "1e-99999999999999999999", "0.0e-999",
                           "0.00000000000000000000000000000000000000000000000001", "10000e-90"})
    EXPECT_EQ(valueOf<float>(tiny), 0.0F) << tiny;
  EXPECT_EQ(valueOf<double>("2e-324"), 0.0);
  EXPECT_TRUE(std::signbit(valueOf<float>("-1e-50")));
  EXPECT_EQ(valueOf<double>("5.5e-48"), 5.5e-48);
}

TEST(ParseValue, refusesNumbersThatAreTooLarge) {
  for (const auto* large : {"1e39", "-1e39", "3.4028236e38", "1e999999999999999999999",
                            "400000000000000000000000000000000000000"})
    EXPECT_EQ(faultOf<float>(large), "is too large for a float (at most 3.4e38)") << large;
  EXPECT_EQ(faultOf<double>("1.8e308"), "is too large for a double (at most 1.8e308)");
  EXPECT_EQ(faultOf<double>("-1e999"), "is too large for a double (at most 1.8e308)");
}

TEST(ParseValue, refusesTextThatIsNoNumber) {
  for (const auto* text :
       {"",      "+",   "-",  ".",   "-.", "e5", ".e5",  "1e",  "1e+", "1.2.3", "1,5",
        "0x1p3", "1 2", " 1", "1d3", "1f", "NA", "None", "+-5", "-+5", "1e999x"})
    EXPECT_EQ(faultOf<double>(text), "is not a number") << text;
}

}  // namespace
}  // namespace mass

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <mass/io/schema.hpp>
#include <mass/support/error.hpp>
#include <set>

namespace mass {
namespace {

detail::KeyInfo key(SettingValue defaultValue) {
  return {"key", std::move(defaultValue), "", ""};
}

TEST(KeyInfo, aboveLeavesTheBoundOut) {
  const auto open = key(1.0).above(0);
  EXPECT_FALSE(open.allows(0.0));
  EXPECT_TRUE(open.allows(1e-300));
  const auto closed = key(1.0).atLeast(0);
  EXPECT_TRUE(closed.allows(0.0));
  EXPECT_FALSE(closed.allows(-1e-300));
}

TEST(KeyInfo, betweenHoldsBothBounds) {
  const auto info = key(std::int64_t{1}).between(1, 64);
  EXPECT_FALSE(info.allows(std::int64_t{0}));
  EXPECT_TRUE(info.allows(std::int64_t{1}));
  EXPECT_TRUE(info.allows(std::int64_t{64}));
  EXPECT_FALSE(info.allows(std::int64_t{65}));
}

TEST(KeyInfo, aRangeHoldsForEveryNumberOfAList) {
  const auto info = key(std::vector<double>{}).above(0);
  EXPECT_TRUE(info.allows(std::vector<double>{}));
  EXPECT_TRUE(info.allows(std::vector<double>{1, 2}));
  EXPECT_FALSE(info.allows(std::vector<double>{1, 0}));
}

TEST(KeyInfo, refusesOtherTypesAndNumbersThatAreNone) {
  EXPECT_FALSE(key(1.0).allows(std::int64_t{1}));
  EXPECT_FALSE(key(1.0).allows(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(key(1.0).allows(std::numeric_limits<double>::infinity()));
}

TEST(KeyInfo, saysItsRange) {
  EXPECT_EQ(key(1).range(), "");
  EXPECT_EQ(key(1).atLeast(1).range(), "at least 1");
  EXPECT_EQ(key(0.5).above(0).range(), "above 0");
  EXPECT_EQ(key(1).between(1, 64).range(), "1 to 64");
  EXPECT_EQ(key(0.5).between(0, 1).above(0).range(), "above 0, at most 1");
  EXPECT_EQ(key("cpu").oneOf({"cpu"}).range(), "cpu");
  EXPECT_EQ(key("cpu").oneOf({"cpu", "auto"}).range(), "cpu or auto");
  EXPECT_EQ(key("a").oneOf({"a", "b", "c"}).range(), "a, b or c");
}

TEST(Schema, namesAreWordsInAtMostOneSection) {
  for (const auto* name :
       {"", ".", "a.", ".a", "a.b.c", "a b", "1a", "a-b", "a.1", "\xc3\xa9", "a:"})
    EXPECT_THROW(Schema{}.add(name, 1, "", ""), UsageError) << name;
  for (const auto* name : {"a", "_", "A1_b", "a.b", "a1.b2"})
    EXPECT_NO_THROW(Schema{}.add(name, 1, "", "")) << name;
}

TEST(Schema, aNameIsTakenOnceAndIsEitherKeyOrSection) {
  Schema schema;
  schema.add("output.folder", "out", "", "");
  schema.add("rows", 1, "", "");
  EXPECT_THROW(schema.add("rows", 2, "", ""), UsageError);
  EXPECT_THROW(schema.add("output", 2, "", ""), UsageError);
  EXPECT_THROW(schema.add("rows.of", 2, "", ""), UsageError);
}

TEST(Schema, keysOfASectionStayTogether) {
  Schema schema;
  for (const auto* name : {"a", "s.x", "t.z", "b", "s.y", "u.w"}) schema.add(name, 1, "", "");
  std::vector<std::string> names;
  for (const auto& info : schema.keys()) names.push_back(info.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "s.x", "s.y", "t.z", "u.w"}));
}

TEST(Schema, aKeyAffectsResultsUnlessItOrItsSectionIsDeclaredWithoutEffect) {
  Schema schema;
  schema.add("rows", 1, "", "");
  schema.add("devices", 1, "", "").withoutEffectOnResults();
  schema.add("output.folder", "out", "", "");
  schema.withoutEffectOnResults("output");
  schema.add("output.quantity", "speed", "", "");
  EXPECT_TRUE(schema.find("rows")->affectsResults);
  EXPECT_FALSE(schema.find("devices")->affectsResults);
  EXPECT_FALSE(schema.find("output.folder")->affectsResults);
  EXPECT_FALSE(schema.find("output.quantity")->affectsResults);
}

TEST(Schema, boundsAreSetByName) {
  auto schema = Schema::library();
  schema.between("steps", 1, 9).between("seed", 0, 5);
  EXPECT_EQ(schema.find("steps")->range(), "1 to 9");
  EXPECT_THROW(schema.between("setps", 1, 2), UsageError);
}

TEST(Schema, aDefaultIsReplacedByOneOfItsType) {
  auto schema = Schema::library();
  schema.setDefault("steps", 1234);
  EXPECT_EQ(std::get<std::int64_t>(schema.find("steps")->defaultValue), 1234);
  EXPECT_THROW(schema.setDefault("steps", 1.5), UsageError);
  EXPECT_THROW(schema.setDefault("setps", 1), UsageError);
}

TEST(Schema, nearestForgivesLettersCapitalsAndAMissingSection) {
  auto schema = Schema::library();
  schema.add("rows", 1, "", "");
  EXPECT_EQ(schema.nearest("row"), "rows");
  EXPECT_EQ(schema.nearest("Rosw"), "rows");
  EXPECT_EQ(schema.nearest("max_place_exchange"), "MAX_PLACE_EXCHANGE");
  EXPECT_EQ(schema.nearest("output.foldr"), "output.folder");
  EXPECT_EQ(schema.nearest("folder"), "output.folder");
  EXPECT_EQ(schema.nearest("outptu"), "output");
  EXPECT_EQ(schema.nearest("output.x"), "");
  EXPECT_EQ(schema.nearest("temperature"), "");
  EXPECT_EQ(schema.nearest(""), "");
  EXPECT_EQ(schema.nearest(std::string(1 << 20, 'r')), "");
}

TEST(Schema, theLibrarysKeysSayWhatTheyAre) {
  const auto schema = Schema::library();
  // Texts; those of steps say their range, which is that of numbers or auto.
  const std::set<std::string> withoutRange = {
      "output.folder",  "output.allow_nan", "output.legend",  "output.plot", "checkpoint.file",
      "tile",           "steps_per_pass",   "exchange_every", "until",       "partition",
      "partition.cuts", "predict.overlap"};
  for (const auto& info : schema.keys()) {
    EXPECT_FALSE(info.about.empty()) << info.name;
    EXPECT_TRUE(info.allows(info.defaultValue)) << info.name;
    EXPECT_EQ(info.range().empty(), withoutRange.contains(info.name)) << info.name;
    EXPECT_EQ(info.about.find('\n'), std::string::npos) << info.name;
  }
}

TEST(Schema, theTableHasALineForEachKey) {
  Schema schema;
  schema.add("dx", 0.5, "m", "spacing | of places").above(0);
  schema.add("output.folder", "", "", "where");
  EXPECT_EQ(schema.markdownTable(),
            "| key | type | unit | default | range | meaning |\n"
            "|---|---|---|---|---|---|\n"
            "| `dx` | number | m | `0.5` | above 0 | spacing \\| of places |\n"
            "| `output.folder` | text |  | `\"\"` |  | where |\n");
}

TEST(Schema, aLiveKeySaysThatItMayChange) {
  Schema schema;
  schema.add("dx", 0.5, "m", "spacing").above(0);
  schema.add("growth", 0.5, "1/step", "growth").between(0, 1).live();
  schema.add("rule", "", "", "rule").live();
  EXPECT_EQ(schema.liveKeys(), (std::vector<std::string>{"growth", "rule"}));
  EXPECT_EQ(schema.find("dx")->meaning(), "spacing [m, above 0]");
  EXPECT_EQ(schema.find("growth")->meaning(), "growth [1/step, 0 to 1, may change during a run]");
  EXPECT_EQ(schema.find("rule")->meaning(), "rule [may change during a run]");
  EXPECT_NE(schema.markdownTable().find("| 0 to 1 | growth; may change during a run |"),
            std::string::npos);
}

TEST(ToYaml, quotesOnlyWhatNeedsIt) {
  EXPECT_EQ(toYaml("B3/S23"), "B3/S23");
  EXPECT_EQ(toYaml(""), "\"\"");
  EXPECT_EQ(toYaml("a: b # c"), "\"a: b # c\"");
  EXPECT_EQ(toYaml("null"), "\"null\"");
  EXPECT_EQ(toYaml("two\nlines"), "\"two\\nlines\"");
  EXPECT_EQ(toYaml(0.1), "0.1");
  EXPECT_EQ(toYaml(std::vector<double>{1, 2.5}), "[1, 2.5]");
  EXPECT_EQ(toYaml(true), "true");
}

}  // namespace
}  // namespace mass

#include <apps/life/start.hpp>

#include <apps/life/setup.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace life {
namespace {

class StartOf : public testing::Test {
 protected:
  ~StartOf() override { std::filesystem::remove(file_); }

  /// Returns the start of settings and, if it is not empty, a pattern file.
  Start start(const std::string& pattern, const std::vector<std::string>& assignments) {
    mass::Settings settings(schema());
    if (!pattern.empty()) {
      std::ofstream(file_) << pattern;
      settings.set("pattern=" + file_.string());
    }
    for (const std::string& assignment : assignments) settings.set(assignment);
    return startOf(settings);
  }

  std::string error(const std::string& pattern, const std::vector<std::string>& assignments) {
    try {
      start(pattern, assignments);
    } catch (const mass::Error& error) {
      return error.what();
    }
    return "no error";
  }

  static std::string withRule(const std::string& rule) {
    return "x = 3, y = 3, rule = " + rule + "\nbob$2bo$3o!";
  }

  void expectError(const std::string& error, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
      EXPECT_NE(error.find(part), std::string::npos) << part << ": " << error;
  }

  const std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("start_test_{}.rle", getpid());
};

TEST_F(StartOf, TheRuleIsThatOfTheSettingsElseOfTheFileElseConways) {
  EXPECT_EQ(start("", {}).rule.text(), "B3/S23");
  EXPECT_EQ(start("x = 1, y = 1\no!", {}).rule.text(), "B3/S23");
  EXPECT_EQ(start(withRule("HighLife"), {}).rule.text(), "B36/S23");
  EXPECT_EQ(start(withRule("HighLife"), {"rule=2/2/3"}).rule.text(), "B2/S2/C3");
}

TEST_F(StartOf, ARuleOfTheSettingsReplacesOneThatIsUnknown) {
  for (const char* rule : {"WireWorld", "R5,C0,M1,S34..58,B34..45,NM", "B3/S23:T100,100",
                           "B3/S23:K9*,8", "B9", "B2/S34H"}) {
    EXPECT_EQ(start(withRule(rule), {"rule=B3/S23"}).rule.text(), "B3/S23") << rule;
    EXPECT_EQ(start(withRule(rule), {"rule=B3/S23"}).shape, (mass::Shape<2>{512, 512})) << rule;
  }
  expectError(error(withRule("WireWorld"), {}),
              {".rle:1:22: rule \"WireWorld\"", "the setting rule replaces the file's"});
}

TEST_F(StartOf, ABoundedGridGivesTheWorldThatTheSettingsDoNot) {
  const Start torus = start(withRule("B3/S23:T72,48"), {});
  EXPECT_EQ(torus.shape, (mass::Shape<2>{48, 72}));
  EXPECT_EQ(torus.border, mass::Border::periodic);
  const Start plane = start("", {"rule=B3/S23:P72,48", "rows=48"});
  EXPECT_EQ(plane.shape, (mass::Shape<2>{48, 72}));
  EXPECT_EQ(plane.border, mass::Border::fixed);
  EXPECT_EQ(start(withRule("B3/S23:T72,48"), {"rows=48", "columns=72", "border=periodic"}).shape,
            torus.shape);
}

TEST_F(StartOf, ABoundedGridThatIsNotThatOfTheSettingsIsRefusedWithBoth) {
  expectError(error(withRule("B3/S23:T72,48"), {"rows=100"}),
              {".rle:1:22: ", "a torus", "the settings have rows=100, columns=72",
               "set rows=48, columns=72 and border=periodic", "or set rule=B3/S23"});
  expectError(error(withRule("B3/S23:P72,48"), {"border=periodic"}),
              {"a plane", "set rows=48, columns=72 and border=dead"});
  expectError(error("", {"rule=B2-a/S12:T72,48", "columns=5"}),
              {"--set rule=B2-a/S12:T72,48", "set rule=B2-a/S12 to run it"});
}

TEST_F(StartOf, CellsOfMoreStatesThanTheRuleAreRefused) {
  const std::string stars = "x = 3, y = 2, rule = 345/2/4\n.AC$B!";
  EXPECT_EQ(start(stars, {}).rule.states, 4);
  EXPECT_EQ(start(stars, {"rule=345/2/5"}).rule.states, 5);
  expectError(error(stars, {"rule=B3/S23"}),
              {".rle:2:3: a cell of state 3, but the rule B3/S23 has only the states 0 to 1",
               "at least 4 states"});
  expectError(error("x = 1, y = 1\nB!", {}), {".rle:2:1: a cell of state 2"});
}

TEST_F(StartOf, MarksOfHistoryRulesAreRemovedWithANote) {
  const auto cells = [](const Start& start) { return centred(*start.pattern, 1, 5); };
  const std::vector<std::uint8_t> living{1, 0, 1, 0, 1};
  const std::string marks = "\nABCDE!";
  const std::string header = "x = 5, y = 1, rule = ";
  const Start marked = start("#N a\n" + header + "B36/S23History" + marks, {});
  EXPECT_EQ(marked.rule.text(), "B36/S23");
  EXPECT_EQ(marked.note,
            "a: of a History rule, cells of the states 1, 3 and 5 are alive, others dead; their "
            "marks are left out");
  EXPECT_EQ(cells(marked), living);
  EXPECT_EQ(cells(start(header + "LifeHistory" + marks, {"rule=B3/S23"})), living);
  EXPECT_EQ(cells(start(header + "R5,C0History" + marks, {"rule=345/2/4"})), living);
  EXPECT_EQ(cells(start(header + "LifeHistory:T9,9" + marks, {})), living);
  EXPECT_EQ(cells(start("x = 5, y = 1" + marks, {"rule=LifeHistory"})), living);
  EXPECT_EQ(start(withRule("LifeHistory"), {}).note, "");
  EXPECT_EQ(start("", {"rule=LifeHistory"}).note, "");
  expectError(error(header + "B3/S23" + marks, {}),
              {"a cell of state 5, but the rule B3/S23 has only the states 0 to 1; set rule to one "
               "of at least 6 states, or to B3/S23History if the states are marks of Golly"});
  expectError(error(header + "LifeHistory\n3AF!", {}), {":2:3: a cell of state 6"});
}

TEST(Shades, FadeFromTheLivingToTheDead) {
  EXPECT_EQ(shadesOf(3), (std::vector<float>{0, 1, 0.7F}));
  const std::vector<float> shades = shadesOf(256);
  ASSERT_EQ(shades.size(), 256U);
  EXPECT_FLOAT_EQ(shades[2], 0.7F);
  for (std::size_t state = 3; state < 256; ++state) EXPECT_LT(shades[state], shades[state - 1]);
  EXPECT_GT(shades[255], 0);
}

}  // namespace
}  // namespace life

#include <apps/life/pattern.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace life {
namespace {

/// Returns the cells as text, a line per row: '.' is dead, 'O' alive, a digit a further state.
std::string picture(const Pattern& pattern) {
  std::string text;
  const auto states = centred(pattern, pattern.rows, pattern.columns);
  for (std::size_t i = 0; i < states.size(); ++i) {
    text += states[i] == 0 ? '.' : states[i] == 1 ? 'O' : static_cast<char>('0' + states[i]);
    if ((i + 1) % static_cast<std::size_t>(pattern.columns) == 0) text += '\n';
  }
  return text;
}

Pattern rle(const std::string& text) {
  return Pattern::parseRle(text, "some/file.rle");
}
Pattern cells(const std::string& text) {
  return Pattern::parseCells(text, "some/file.cells");
}

Pattern life105(const std::string& text) {
  return Pattern::parseLife105(text, "some/file.lif");
}
Pattern life106(const std::string& text) {
  return Pattern::parseLife106(text, "some/file.lif");
}
/// Returns the text of the rule that a pattern names.
std::string ruleOf(const Pattern& pattern) {
  return pattern.rule ? pattern.rule->text : "none";
}

template <class Action>
std::string errorOf(Action action) {
  try {
    action();
  } catch (const mass::InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string rleError(const std::string& text) {
  return errorOf([&] { rle(text); });
}
std::string cellsError(const std::string& text) {
  return errorOf([&] { cells(text); });
}

#define EXPECT_STARTS(text, beginning) \
  EXPECT_EQ(std::string(text).substr(0, std::string(beginning).size()), beginning) << (text)
#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Rle, ReadsAFileAsLifeWikiGivesIt) {
  const Pattern gun =
      rle("#N Gosper glider gun\r\n#O Bill Gosper\r\n#C found in 1970\r\n#c small\r\n"
          "x = 36, y = 9, rule = B3/S23\r\n"
          "24bo11b$22bobo11b$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o14b$2o8b\r\n"
          "o3bob2o4bobo11b$10bo5bo7bo11b$11bo3bo20b$12b2o!\r\n");
  EXPECT_EQ(gun.name, "Gosper glider gun");
  EXPECT_EQ(ruleOf(gun), "B3/S23");
  EXPECT_EQ(picture(gun),
            "........................O...........\n"
            "......................O.O...........\n"
            "............OO......OO............OO\n"
            "...........O...O....OO............OO\n"
            "OO........O.....O...OO..............\n"
            "OO........O...O.OO....O.O...........\n"
            "..........O.....O.......O...........\n"
            "...........O...O....................\n"
            "............OO......................\n");
}

TEST(Rle, HeaderMayLackTheRuleAndSpaces) {
  const Pattern glider = rle("x=3,y=3\nbo$2bo$3o!");
  EXPECT_EQ(glider.name, "file");
  EXPECT_FALSE(glider.rule);
  EXPECT_EQ(picture(glider), ".O.\n..O\nOOO\n");
}

TEST(Rle, WithoutAHeaderTheRectangleIsThatOfTheRuns) {
  const Pattern glider = rle("#N a glider\n#r HighLife\n\nbob$2bo$3o!");
  EXPECT_EQ(glider.name, "a glider");
  EXPECT_EQ(ruleOf(glider), "HighLife");
  EXPECT_EQ(picture(glider), ".O.\n..O\nOOO\n");
  EXPECT_EQ(picture(rle("o$$3b\n2o$3$!")), "O....\n.....\n...OO\n");
  EXPECT_EQ(picture(rle(".A$2.B$3A!")), ".O.\n..2\nOOO\n");
  EXPECT_EQ(rle("X2xA!").runs, (std::vector<life::Run>{{0, 0, 1, 24}, {0, 1, 2, 217}}));
  EXPECT_STARTS(rleError("bob$2bo$3o"), "some/file.rle:1:11: the pattern does not end with '!'");
  EXPECT_STARTS(rleError("#N a\n2$!"), "some/file.rle:2:1: there are neither cells nor a header");
  EXPECT_STARTS(rleError("bob$<2bo!"), "some/file.rle:1:5: unexpected '<'");
  EXPECT_STARTS(rleError("2147483648o$o!"), "some/file.rle:1:13: 2 rows of 2147483648 columns are");
  EXPECT_STARTS(rleError("o2147483648$o!"), "some/file.rle:1:13: 2147483649 rows of 1 columns are");
}

TEST(Rle, MarksOfHistoryRulesAreRemoved) {
  Pattern marked = rle("x = 6, y = 2, rule = LifeHistory\n.ABCDE$2CB!");
  EXPECT_TRUE(marked.removeMarks());
  EXPECT_EQ(picture(marked), ".O.O.O\nOO....\n");
  EXPECT_EQ(marked.states, 2);
  Pattern plain = rle("x = 3, y = 1, rule = LifeHistory\nA.A!");
  EXPECT_FALSE(plain.removeMarks());
  EXPECT_EQ(picture(plain), "O.O\n");
  EXPECT_EQ(errorOf([] { rle("x = 3, y = 1, rule = LifeHistory\nAFF!").removeMarks(); }),
            "some/file.rle:2:2: a cell of state 6; of a History rule the states 0 to 5 are read, "
            "since cells of state 6, a boundary, are not supported; remove them");
  EXPECT_EQ(errorOf([] { rle("x = 3, y = 1, rule = LifeHistory\nFGA!").removeMarks(); }),
            "some/file.rle:2:2: a cell of state 7; of a History rule the states 0 to 5 are read");
}

TEST(Rle, CountsOfRowsAndOmittedCellsAreDead) {
  EXPECT_EQ(picture(rle("x = 4, y = 5\n2$o2$bo!")), "....\n....\nO...\n....\n.O..\n");
  EXPECT_EQ(picture(rle("x = 2, y = 2\n!")), "..\n..\n");
  EXPECT_EQ(picture(rle("x = 2, y = 2\n2o$2o$!")), "OO\nOO\n");
  EXPECT_EQ(picture(rle("x = 3, y = 1\n.A!")), ".O.\n");
}

TEST(Rle, RunsCrossLineBreaksAndTextAfterTheEndIsIgnored) {
  EXPECT_EQ(picture(rle("x = 12, y = 1\n1\n2\no\n!o$%&/ this is a remark")), "OOOOOOOOOOOO\n");
  EXPECT_EQ(picture(rle("\nx = 2, y = 2\n\n o $\n# between\n\tb o !")), "O.\n.O\n");
  EXPECT_EQ(rle("x = 300, y = 1\n" +
                [] {
                  std::string body;
                  for (int i = 0; i < 150; ++i) body += "bo";
                  return body;
                }() +
                "!")
                .columns,
            300);
}

TEST(Rle, RuleOfTheHeaderWinsOverTheCommentedOne) {
  EXPECT_EQ(ruleOf(rle("#r 23/36\nx = 1, y = 1\no!")), "23/36");
  EXPECT_EQ(ruleOf(rle("#r 23/36\nx = 1, y = 1, rule = b3/s23 \no!")), "b3/s23");
  EXPECT_EQ(ruleOf(rle("#r 23/36\nx = 1, y = 1, rule = \no!")), "23/36");
  EXPECT_EQ(ruleOf(rle("#r\nx = 1, y = 1\no!")), "none");
}

TEST(Rle, HeadersMayHaveAnyBlanksAndCase) {
  for (const char* header :
       {"x=3,y=3,rule=B3/S23:T72,48", "x = 3 , y = 3 , rule = B3/S23:T72,48",
        "  x\t=\t3,\ty=3,rule =B3/S23:T72,48\t ", "X = 3, Y = 3, Rule = B3/S23:T72,48\r",
        "\xef\xbb\xbfx = 3, y = 3, RULE= B3/S23:T72,48"}) {
    const Pattern pattern = rle(std::string(header) + "\nbob$2bo$3o!");
    EXPECT_EQ(picture(pattern), ".O.\n..O\nOOO\n") << header;
    EXPECT_EQ(ruleOf(pattern), "B3/S23:T72,48") << header;
  }
  EXPECT_EQ(ruleOf(rle("x = 1, y = 1, rule = Day & Night\no!")), "Day & Night");
  EXPECT_EQ(rle("x = 1, y = 1, rule = \"B36/S23\"\no!").rule.value().parse().table,
            parseRule("B36/S23").table);
}

TEST(Rle, CommentsOfAnyKindMayStandAnywhere) {
  const Pattern pattern =
      rle("#CXRLE Pos=0,-1377 Gen=3480106827776\r\n#C comment\r\n#c comment\r\n#O someone\r\n"
          "#P -3 4\r\n#R 1 2\r\n#\r\n#D x\r\n#N\r\n#N a name\r\nx = 2, y = 2\r\n#C more\r\no$\r\n"
          "#C and more\r\nbo!\r\n#C the end\r\n");
  EXPECT_EQ(pattern.name, "a name");
  EXPECT_EQ(ruleOf(pattern), "none");
  EXPECT_EQ(picture(pattern), "O.\n.O\n");
}

TEST(Rle, ReadsCellsOfUpTo256States) {
  const Pattern pattern = rle("x = 6, y = 2, rule = 345/2/4\n.A2BC.$bo!");
  EXPECT_EQ(picture(pattern), ".O223.\n.O....\n");
  EXPECT_EQ(pattern.states, 4);
  EXPECT_EQ(pattern.statesWhere, "some/file.rle:2:5");
  const auto stateOf = [](const std::string& letters) {
    return rle("x = 1, y = 1\n" + letters + "!").runs.at(0).state;
  };
  EXPECT_EQ(stateOf("X"), 24);
  EXPECT_EQ(stateOf("pA"), 25);
  EXPECT_EQ(stateOf("pX"), 48);
  EXPECT_EQ(stateOf("qA"), 49);
  EXPECT_EQ(stateOf("yO"), 255);
  EXPECT_EQ(rle("x = 9, y = 1\n3pA2qB!").runs,
            (std::vector<life::Run>{{0, 0, 3, 25}, {0, 3, 2, 50}}));
  EXPECT_EQ(rle("x = 1, y = 1\no!").states, 2);
}

TEST(Rle, HeaderErrors) {
  EXPECT_STARTS(rleError("#N a\n"), "some/file.rle:1:1: the header is missing");
  EXPECT_STARTS(rleError("y = 3, x = 3\n3o!"),
                "some/file.rle:1:1: 'y' stands where the header has 'x'");
  EXPECT_STARTS(rleError("x 3, y 3\n3o!"),
                "some/file.rle:1:3: '3' stands where the header has '='");
  EXPECT_STARTS(rleError("x = 3\n3o!"), "some/file.rle:1:6: the header ends where ','");
  EXPECT_STARTS(rleError("x = 3, 3\n3o!"),
                "some/file.rle:1:8: '3' stands where the header has 'y'");
  EXPECT_STARTS(rleError("x = 0, y = 3\n!"), "some/file.rle:1:5: x must be a number of at least 1");
  EXPECT_STARTS(rleError("x = 3, y = -3\n!"),
                "some/file.rle:1:12: y must be a number of at least 1");
  EXPECT_STARTS(rleError("x = 3, y = 3, life\n!"), "some/file.rle:1:15: expected \"rule");
}

TEST(Rle, ARuleIsReadWhenItIsUsed) {
  const auto ruleError = [](const std::string& text) {
    const Pattern pattern = rle(text);
    return errorOf([&] { pattern.rule.value().parse(); });
  };
  EXPECT_STARTS(ruleError("x = 3, y = 3, rule = B3/S29\n!"),
                "some/file.rle:1:22: rule \"B3/S29\", position 6");
  EXPECT_STARTS(ruleError("#C\n#r B3\nx = 3, y = 3\n!"), "some/file.rle:2:4: rule \"B3\"");
  EXPECT_CONTAINS(ruleError("x = 3, y = 3, rule = WireWorld\n!"),
                  "the setting rule replaces the file's");
  EXPECT_EQ(ruleError("x = 3, y = 3, rule = B3/S23/\n!"),
            "some/file.rle:1:22: rule \"B3/S23/\", position 8: unexpected text after the rule; did "
            "you mean B3/S23?; the setting rule replaces the file's");
}

TEST(Rle, SizesHaveALimit) {
  EXPECT_STARTS(rleError("x = 65536, y = 32769\n!"),
                "some/file.rle:1:11: 32769 rows of 65536 columns are too many");
  EXPECT_STARTS(rleError("x = 99999999999999999999, y = 1\n!"),
                "some/file.rle:1:5: the number is larger");
  EXPECT_STARTS(rleError("x = 3, y = 3\no99999999999999999999b!"),
                "some/file.rle:2:2: the number is larger");
  EXPECT_EQ(rle("x = 2147483648, y = 1\n2147483648o!").runs,
            (std::vector<life::Run>{{0, 0, std::int64_t{1} << 31}}));
}

TEST(Rle, RunsMustStayInsideTheHeadersBox) {
  EXPECT_STARTS(rleError("x = 3, y = 3\nbo$2b2o!"),
                "some/file.rle:2:7: this run of 2 reaches row 2, column 4, outside the header's 3 "
                "rows and 3 columns");
  EXPECT_STARTS(rleError("x = 3, y = 3\n3$o!"), "some/file.rle:2:3: this run of 1 reaches row 4");
  EXPECT_STARTS(rleError("x = 3, y = 3\n4b!"), "some/file.rle:2:2: this run of 4");
  EXPECT_STARTS(rleError("x = 3, y = 3\n3o\no!"), "some/file.rle:3:1: this run of 1");
}

TEST(Rle, BodyErrors) {
  EXPECT_STARTS(rleError("x = 3, y = 3\nbo$?"), "some/file.rle:2:4: unexpected '?'");
  EXPECT_STARTS(rleError("x = 3, y = 3\nbo$\x07"), "some/file.rle:2:4: unexpected byte 0x07");
  EXPECT_STARTS(rleError("x = 3, y = 3\nbo$\xff"), "some/file.rle:2:4: unexpected byte 0xff");
  for (const char* letters : {"p", "py", "p1", "pY", "yP", "p A"}) {
    EXPECT_STARTS(rleError("x = 3, y = 3\n." + std::string(letters) + "!"),
                  "some/file.rle:2:2: unexpected '" + std::string(letters, 1) + "'; states above");
  }
  EXPECT_STARTS(rleError("x = 3, y = 3\n.Y!"), "some/file.rle:2:2: unexpected 'Y'");
  EXPECT_STARTS(rleError("x = 3, y = 3\n.z!"), "some/file.rle:2:2: unexpected 'z'");
  EXPECT_STARTS(rleError("x = 3, y = 3\n0o!"), "some/file.rle:2:2: a run of 0");
  EXPECT_STARTS(rleError("x = 3, y = 3\no3!"), "some/file.rle:2:3: the number 3 before '!'");
}

TEST(Rle, CutFilesAreErrors) {
  const std::string whole = "#N a\nx = 3, y = 3, rule = B3/S23\nbob$2bo$3o!";
  EXPECT_NO_THROW(rle(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_STARTS(rleError(whole.substr(0, length)), "some/file.rle:") << length;
  }
  EXPECT_STARTS(rleError("x = 3, y = 3\nbob$\n"),
                "some/file.rle:2:5: the pattern does not end with '!'");
}

TEST(Cells, ReadsUnevenRowsBlankLinesAndComments) {
  const Pattern pattern =
      cells("!Name: Some thing \r\n!Author: A\r\n.O\r\n\r\n*.OO\r\n!between\n.\n");
  EXPECT_EQ(pattern.name, "Some thing");
  EXPECT_FALSE(pattern.rule);
  EXPECT_EQ(picture(pattern), ".O..\n....\nO.OO\n....\n");
}

TEST(Cells, LastLineNeedsNoEndAndNameMayBeMissing) {
  const Pattern pattern = cells("OOO");
  EXPECT_EQ(pattern.name, "file");
  EXPECT_EQ(picture(pattern), "OOO\n");
}

TEST(Cells, Errors) {
  EXPECT_STARTS(cellsError("!Name: a\n.O\n.Ox\n"), "some/file.cells:3:3: unexpected 'x'");
  EXPECT_STARTS(cellsError("O O\n"), "some/file.cells:1:2: unexpected ' '");
  EXPECT_STARTS(cellsError("!Name: a\n\n"), "some/file.cells:2:1: there are no cells");
  EXPECT_STARTS(cellsError(""), "some/file.cells:1:1: the file is empty");
  EXPECT_STARTS(cellsError("\n \n"), "some/file.cells:1:1: the file is empty");
}

TEST(Cells, ABoxOfLongAndManyRowsHasALimit) {
  EXPECT_CONTAINS(cellsError(std::string(70000, 'O') + std::string(70000, '\n')), "are too many");
}

TEST(Life105, ReadsBlocksAtTheirPlaces) {
  const Pattern pattern = life105(
      "#Life 1.05\r\n#D A glider and a blinker\r\n#N\r\n\r\n#P -1 -1\r\n.*\r\n..*\r\n***\r\n\r\n"
      "#P 4 0\r\n***\r\n");
  EXPECT_EQ(pattern.name, "file");
  EXPECT_EQ(ruleOf(pattern), "B3/S23");
  EXPECT_EQ(picture(pattern), ".O......\n..O..OOO\nOOO.....\n");
}

TEST(Life105, RulesAreSurvivalFirst) {
  EXPECT_EQ(ruleOf(life105("#Life 1.05\n#R 125/36\n#P 0 0\n*")), "125/36");
  EXPECT_EQ(ruleOf(life105("#Life 1.05\n#P 0 0\n*")), "none");
  EXPECT_EQ(life105("#Life 1.05\n#R 125/36\n#P 0 0\n*").rule.value().parse().table,
            parseRule("B36/S125").table);
  EXPECT_EQ(life105("#Life 1.05\n#R  x\n#P 0 0\n*").rule.value().where, "some/file.lif:2:5");
}

TEST(Life105, BlocksMayOverlapAndLackAPosition) {
  EXPECT_EQ(picture(life105("*.*\n")), "O.O\n");
  EXPECT_EQ(picture(life105("#P 0 0\n**\n**\n#P 1 1\n**\n.O\n")), "OO.\nOOO\n..O\n");
  EXPECT_EQ(picture(life105("#P 5 5\n*\n#P 3 5\n*")), "O.O\n");
  EXPECT_EQ(picture(life105("#P 0 0\n*\n\n*\n\n\n")), "O\n.\nO\n");
}

TEST(Life105, Errors) {
  const auto error = [](const std::string& text) { return errorOf([&] { life105(text); }); };
  EXPECT_STARTS(error("#Life 1.05\n#P 0\n*"), "some/file.lif:2:5: expected two integers");
  EXPECT_STARTS(error("#Life 1.05\n#P a b\n*"), "some/file.lif:2:4: expected two integers");
  EXPECT_STARTS(error("#Life 1.05\n#P 0 0 0\n*"), "some/file.lif:2:7: unexpected ' '");
  EXPECT_STARTS(error("#Life 1.05\n#P 0 0\n.*x"), "some/file.lif:3:3: unexpected 'x'");
  EXPECT_STARTS(error("#Life 1.05\n#P 0 0\n *"), "some/file.lif:3:1: unexpected ' '");
  EXPECT_STARTS(error("#Life 1.05\n#P 0 0\n"), "some/file.lif:2:1: there are no cells");
  EXPECT_STARTS(error("#Life 1.05\n#I other.lif\n"), "some/file.lif:2:1: files that include");
  EXPECT_CONTAINS(error("#P 0 0\n*\n#P 99999 99999\n*"), "are too many");
}

TEST(Life106, ReadsPositionsInAnyOrder) {
  const std::string glider = ".O.\n..O\nOOO\n";
  EXPECT_EQ(picture(life106("#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n")), glider);
  EXPECT_EQ(picture(life106("#Life 1.06\r\n0 2\r\n1 0\r\n\r\n1 2\r\n#C x\r\n2 1\r\n2\t2")), glider);
  EXPECT_EQ(picture(life106("1000000 -1000000\n1000000 -1000000\n")), "O\n");
  EXPECT_EQ(picture(life106("#LIFE 1.06\r0 -1\r1 0\r-1 1\r0 1\r1 1\r")), glider);
  EXPECT_FALSE(life106("#Life 1.06\n0 0").rule);
}

TEST(Life106, Errors) {
  const auto error = [](const std::string& text) { return errorOf([&] { life106(text); }); };
  EXPECT_STARTS(error("#Life 1.06\n"), "some/file.lif:1:1: there are no cells; lines 'x y'");
  EXPECT_STARTS(error("#Life 1.06\n0\n"), "some/file.lif:2:2: expected two integers");
  EXPECT_STARTS(error("#Life 1.06\n0 x\n"), "some/file.lif:2:3: expected two integers");
  EXPECT_STARTS(error("#Life 1.06\n0 0.5\n"), "some/file.lif:2:4: unexpected '.'");
  EXPECT_STARTS(error("#Life 1.06\n0 0 0\n"), "some/file.lif:2:4: unexpected ' '");
  EXPECT_STARTS(error("#Life 1.06\n0 99999999999\n"), "some/file.lif:2:3: the number is larger");
  EXPECT_STARTS(error("#Life 1.06\n0 99999999999999999999\n"),
                "some/file.lif:2:3: the number is larger");
  EXPECT_CONTAINS(error("#Life 1.06\n0 0\n99999 99999\n"), "100000 rows of 100000 columns");
}

class PatternLoad : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("pattern_test_{}_{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  std::string errorFor(const std::string& name, const std::string& text) {
    const auto path = write(name, text);
    return errorOf([&] { Pattern::load(path); });
  }

  std::filesystem::path folder_;
};

TEST_F(PatternLoad, GoesByEndingThenByContent) {
  const std::string asRle = "x = 3, y = 1\n3o!", asCells = "OOO\n";
  for (const char* name : {"a.rle", "a.RLE", "a.txt", "a"}) {
    EXPECT_EQ(picture(Pattern::load(write(name, asRle))), asCells) << name;
  }
  for (const char* name : {"b.cells", "b.Cells", "b.txt", "b"}) {
    EXPECT_EQ(picture(Pattern::load(write(name, asCells))), asCells) << name;
  }
  EXPECT_EQ(picture(Pattern::load(write("c.txt", "\xef\xbb\xbf#C a comment\r\n" + asRle))),
            asCells);
  EXPECT_EQ(Pattern::load(write("named.txt", asCells)).name, "named");
  for (const char* runs : {"3o!", "bo$b3o!", ".A$.2A!", "b\no!", "$3o!", "qA!"})
    EXPECT_NO_THROW(Pattern::load(write("d.txt", runs))) << runs;
  EXPECT_EQ(picture(Pattern::load(write("d.txt", ".O.\nOOO\n"))), ".O.\nOOO\n");
  EXPECT_EQ(picture(Pattern::load(write("d.txt", "!bob$\nOOO\n"))), asCells);
  EXPECT_CONTAINS(errorFor("d.txt", "0 -1\n1 0\n"), "begins neither like an RLE file");
  EXPECT_CONTAINS(errorFor("d.txt", "0 1\n1 0\n"), "begins neither like an RLE file");
  EXPECT_STARTS(errorFor("c.cells", asRle),
                (folder_ / "c.cells").string() + ":1:1: unexpected 'x'");
}

TEST_F(PatternLoad, TheFirstLineTellsTheVersionsOfLife) {
  for (const char* name : {"a.lif", "a.life", "a.txt", "a.rle", "a.cells", "a"}) {
    EXPECT_EQ(picture(Pattern::load(write(name, "#Life 1.06\n0 0\n1 0\n2 0\n"))), "OOO\n") << name;
    for (const char* version : {"1.05", "1.02", "1.05\r"}) {
      EXPECT_EQ(picture(Pattern::load(write(name, fmt::format("#Life {}\n#P 0 0\n***", version)))),
                "OOO\n")
          << name << version;
    }
  }
  EXPECT_EQ(picture(Pattern::load(write("b.lif", "#N\n#P -1 0\n***\n"))), "OOO\n");
  EXPECT_EQ(picture(Pattern::load(write("b.lif", "#P 1 2\n#C\nx = 3, y = 1\n3o!"))), "OOO\n");
  EXPECT_CONTAINS(errorFor("c.lif", "#Life 2.0\n0 0\n"), "c.lif: a file of Life 2.0; versions");
}

TEST_F(PatternLoad, NamesOtherFormats) {
  EXPECT_CONTAINS(errorFor("a.mc", "[M2] (golly 4.2)\n#R B3/S23\n$$$.*$\n"),
                  "a.mc: a macrocell file, which is not read; open it in Golly and save it as RLE");
  EXPECT_CONTAINS(errorFor("a.rle", "[M2] (golly 4.2)\n"), "a macrocell file");
  EXPECT_CONTAINS(errorFor("a.mcl", "#MCell 4.20\n#GAME Life\n"), "a file of MCell");
  EXPECT_CONTAINS(errorFor("a.rule", "@RULE Codd\n@TABLE\n"), "a rule of Golly");
  EXPECT_CONTAINS(errorFor("a.mc.gz", std::string("\x1f\x8b\x08\0\0", 5)), "decompress it");
  EXPECT_CONTAINS(errorFor("a.zip", std::string("PK\x03\x04\0", 5)), "a zip archive");
}

TEST_F(PatternLoad, SaysWhatIsWrongWithAFile) {
  EXPECT_CONTAINS(errorOf([&] { Pattern::load(folder_ / "none.rle"); }),
                  "none.rle: the pattern file does not exist");
  EXPECT_CONTAINS(errorOf([&] { Pattern::load(folder_); }), "not a file");
  EXPECT_CONTAINS(errorFor("empty.rle", ""), "empty.rle:1:1: the file is empty");
  EXPECT_CONTAINS(errorFor("empty.txt", " \n"), "the file is empty");
  EXPECT_CONTAINS(errorFor("binary.rle", std::string("x = 3\0", 6)), "a binary file");
  EXPECT_CONTAINS(errorFor("other.txt", "<html>"), "begins neither like an RLE file");
}

TEST(Centred, HasTheSmallerHalfBefore) {
  const Pattern bar = cells("O*O");
  EXPECT_EQ(centred(bar, 1, 3), (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_EQ(centred(bar, 2, 6), (std::vector<std::uint8_t>{0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(centred(rle("x = 3, y = 2\nA$.2B!"), 2, 3),
            (std::vector<std::uint8_t>{1, 0, 0, 0, 2, 2}));
}

TEST(Centred, ErrorsNameBothSizes) {
  const Pattern bar = cells("OOO");
  EXPECT_STARTS(errorOf([&] { centred(bar, 5, 2); }),
                "the pattern file of 1 rows and 3 columns does not fit into the world of 5 rows "
                "and 2 columns");
  EXPECT_CONTAINS(errorOf([&] { centred(bar, 0, 3); }), "world of 0 rows and 3 columns");
}

}  // namespace
}  // namespace life

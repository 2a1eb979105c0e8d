#include <apps/life/pattern.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace life {
namespace {

/// Returns the cells as text, a line per row.
std::string picture(const Pattern& pattern) {
  EXPECT_EQ(pattern.cells.size(), static_cast<std::size_t>(pattern.rows * pattern.columns));
  std::string text;
  for (std::size_t i = 0; i < pattern.cells.size(); ++i) {
    text += pattern.cells[i] ? 'O' : '.';
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
  EXPECT_EQ(gun.rule, Rule{});
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
  EXPECT_EQ(rle("#r 23/36\nx = 1, y = 1\no!").rule, Rule::parse("B36/S23"));
  EXPECT_EQ(rle("#r 23/36\nx = 1, y = 1, rule = b3/s23 \no!").rule, Rule{});
}

TEST(Rle, HeaderErrors) {
  EXPECT_STARTS(rleError("#N a\nbob$2o!"),
                "some/file.rle:2:1: 'b' stands where the header has 'x'");
  EXPECT_STARTS(rleError("#N a\n"), "some/file.rle:1:1: the header is missing");
  EXPECT_STARTS(rleError("x = 3\n3o!"), "some/file.rle:1:6: the header ends where ','");
  EXPECT_STARTS(rleError("x = 3, 3\n3o!"),
                "some/file.rle:1:8: '3' stands where the header has 'y'");
  EXPECT_STARTS(rleError("x = 0, y = 3\n!"), "some/file.rle:1:5: x must be a number of at least 1");
  EXPECT_STARTS(rleError("x = 3, y = -3\n!"),
                "some/file.rle:1:12: y must be a number of at least 1");
  EXPECT_STARTS(rleError("x = 3, y = 3, life\n!"), "some/file.rle:1:15: expected \"rule");
  EXPECT_STARTS(rleError("x = 3, y = 3, rule = B3/S29\n!"),
                "some/file.rle:1:22: rule \"B3/S29\", position 6");
  EXPECT_CONTAINS(rleError("x = 9, y = 9, rule = B3/S23:T100,100\n!"), "not supported");
  EXPECT_STARTS(rleError("#C\n#r B3\nx = 3, y = 3\n!"), "some/file.rle:2:4: rule \"B3\"");
}

TEST(Rle, SizesHaveALimit) {
  EXPECT_STARTS(rleError("x = 65536, y = 32769\n!"),
                "some/file.rle:1:11: 32769 rows of 65536 columns are too many");
  EXPECT_STARTS(rleError("x = 99999999999999999999, y = 1\n!"),
                "some/file.rle:1:5: the number is larger");
  EXPECT_STARTS(rleError("x = 3, y = 3\no99999999999999999999b!"),
                "some/file.rle:2:2: the number is larger");
  EXPECT_EQ(rle("x = 1048576, y = 64\n64$!").cells.size(), std::size_t{1} << 26);
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
  EXPECT_STARTS(rleError("x = 3, y = 3\n.B!"),
                "some/file.rle:2:2: 'B' is a cell of a third or later state");
  EXPECT_STARTS(rleError("x = 3, y = 3\n.pA!"), "some/file.rle:2:2: 'p' is a cell of a third");
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
  EXPECT_EQ(Pattern::load(write("named.txt", asCells)).name, "named");
  EXPECT_STARTS(errorFor("c.cells", asRle),
                (folder_ / "c.cells").string() + ":1:1: unexpected 'x'");
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

TEST(Place, CentresWithTheSmallerHalfBefore) {
  const Pattern bar = cells("OOO");
  EXPECT_EQ(place(bar, 1, 3), (std::vector<CellPosition>{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(place(bar, 4, 6), (std::vector<CellPosition>{{1, 1}, {1, 2}, {1, 3}}));
}

TEST(Place, PutsTheCornerWhereAsked) {
  EXPECT_EQ(place(cells("O.\n.O"), 5, 6, {3, 4}), (std::vector<CellPosition>{{3, 4}, {4, 5}}));
}

TEST(Place, ErrorsNameBothSizes) {
  const Pattern bar = cells("OOO");
  EXPECT_STARTS(errorOf([&] { place(bar, 5, 2); }),
                "the pattern file of 1 rows and 3 columns does not fit into the world of 5 rows "
                "and 2 columns");
  EXPECT_CONTAINS(errorOf([&] { place(bar, 0, 3); }), "world of 0 rows and 3 columns");
  for (const CellPosition corner : {CellPosition{0, 3}, CellPosition{5, 0}, CellPosition{-1, 0},
                                    CellPosition{0, -1}, CellPosition{INT64_MAX, INT64_MAX}}) {
    EXPECT_CONTAINS(errorOf([&] { place(bar, 5, 5, corner); }),
                    "does not fit into the world of 5 rows and 5");
  }
  EXPECT_EQ(place(bar, 5, 5, {4, 2}).back(), (CellPosition{4, 4}));
}

}  // namespace
}  // namespace life

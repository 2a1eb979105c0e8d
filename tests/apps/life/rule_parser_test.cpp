#include <apps/life/rule_names.hpp>
#include <apps/life/rule_parser.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace life {
namespace {

/// Returns the rule in its canonical form, or the error.
std::string meaning(const std::string& text) {
  try {
    const NamedRule rule = parseRule(text);
    return rule.table.text() + (rule.grid ? fmt::format(":{}{},{}", rule.grid->isTorus ? 'T' : 'P',
                                                        rule.grid->columns, rule.grid->rows)
                                          : "");
  } catch (const mass::InputError& error) {
    return error.what();
  }
}

void expectError(const std::string& text, const std::string& part) {
  EXPECT_NE(meaning(text).find(part), std::string::npos) << text << ": " << meaning(text);
}

TEST(RuleParser, ReadsEverySpellingOfLife) {
  for (const char* text : {"B3/S23",        "b3/s23",
                           "B3/S32",        "B3_S23",
                           "b3s23",         "B3S23",
                           "S23/B3",        "s23/b3",
                           "s23b3",         "S23_B3",
                           "23/3",          "32/3",
                           "23_3",          " B3/S23 ",
                           "B3 / S23",      "b3 s23",
                           "23 / 3",        "\tB3/S23\r",
                           "B3/S23/2",      "B3/S23/C2",
                           "B3/S23/G2",     "23/3/2",
                           "g2b3s23",       "Life",
                           "life",          "LIFE",
                           "Conway's Life", "Conway's Game of Life",
                           "game of life",  "B3cekainyqjr/S2cekain3cekainyqjr"}) {
    EXPECT_EQ(meaning(text), "B3/S23") << text;
    EXPECT_EQ(parseRule(text).table, RuleTable()) << text;
  }
}

TEST(RuleParser, ReadsRulesByCounts) {
  EXPECT_EQ(meaning("23/36"), "B36/S23");
  EXPECT_EQ(meaning("/2"), "B2/S");
  EXPECT_EQ(meaning("B2/S"), "B2/S");
  EXPECT_EQ(meaning("b2s"), "B2/S");
  EXPECT_EQ(meaning("S/B2"), "B2/S");
  EXPECT_EQ(meaning("012345678/"), "B/S012345678");
  EXPECT_EQ(meaning("B/S"), "B/S");
  EXPECT_EQ(meaning("B0123478/S01234678"), "B0123478/S01234678");
  for (std::uint32_t birth = 0; birth < 512; ++birth) {
    const Rule rule{birth, 511 - birth};
    EXPECT_EQ(parseRule(rule.text()).table.totalistic(), rule);
    EXPECT_EQ(RuleTable(rule).text(), rule.text());
  }
}

TEST(RuleParser, ReadsGenerations) {
  for (const char* text :
       {"B2/S345/C4", "B2/S345/G4", "B2/S345/4", "345/2/4", "345_2_4", "b2s345g4", "g4b2s345",
        "C4/B2/S345", "b2/s345/c4", "S345/B2/C4", "S345/B2/4", "B2_S345_4", "G4/S345/B2",
        "345/2/C4", "Star Wars", "starwars", "StarWars"}) {
    EXPECT_EQ(meaning(text), "B2/S345/C4") << text;
  }
  EXPECT_EQ(meaning("/2/3"), "B2/S/C3");
  EXPECT_EQ(meaning("B2/S/C3"), "B2/S/C3");
  EXPECT_EQ(meaning("b2sg3"), "B2/S/C3");
  EXPECT_EQ(meaning("B2/S/3"), "B2/S/C3");
  EXPECT_EQ(meaning("0345/2/256"), "B2/S0345/C256");
  EXPECT_EQ(meaning("12/2-a/3"), "B2-a/S12/C3");
  EXPECT_EQ(parseRule("345/2/4").table.totalistic(), std::nullopt);
}

TEST(RuleParser, ReadsHenselsNotation) {
  EXPECT_EQ(meaning("B2-a/S12"), "B2-a/S12");
  EXPECT_EQ(meaning("b2-as12"), "B2-a/S12");
  EXPECT_EQ(meaning("B3_S2-I34Q"), "B3/S2-i34q");
  EXPECT_EQ(meaning("S2-i34q/B3"), "B3/S2-i34q");
  EXPECT_EQ(meaning("2-i34q/3"), "B3/S2-i34q");
  EXPECT_EQ(meaning("B2cekin/S12"), "B2-a/S12");
  EXPECT_EQ(meaning("B2ci3ai4c8/S02ae3eijkq4iz5ar6i7e"), "B2ci3ai4c8/S02ae3eijkq4iz5ar6i7e");
  EXPECT_EQ(meaning("tlife"), "B3/S2-i34q");
  EXPECT_EQ(meaning("Just Friends"), "B2-a/S12");
  EXPECT_EQ(parseRule("B2-a/S12").table.totalistic(), std::nullopt);
}

TEST(RuleParser, ReadsOrthogonalNeighbourhoods) {
  // The arrangements that LifeWiki lists for one and two orthogonal neighbours.
  EXPECT_EQ(meaning("B1/SV"), "B1e2ak3inqy4ny5e/S");
  EXPECT_EQ(meaning("/1V"), meaning("B1/SV"));
  EXPECT_EQ(meaning("b1sv"), meaning("B1/SV"));
  EXPECT_EQ(meaning("B4/S/C3V"), "B4e5c6cn7c8/S/C3");
  EXPECT_EQ(meaning("B01234/S01234V"), "B012345678/S012345678");
  expectError("B5/SV", "position 2: a cell has at most 4 neighbours");
  expectError("B2a/SV", "position 3: 2 neighbours have no letters here");
}

TEST(RuleParser, ReadsBoundedGrids) {
  for (const char* text : {"B3/S23:T72,48", "b3/s23:t72,48", "23/3:T72,48", "Life:T72,48",
                           "B3/S23 : T 72 , 48 ", "s23/b3:T72,48"}) {
    EXPECT_EQ(meaning(text), "B3/S23:T72,48") << text;
  }
  EXPECT_EQ(meaning("B3/S23:P30,20"), "B3/S23:P30,20");
  EXPECT_EQ(meaning("B3/S23:T30"), "B3/S23:T30,30");
  EXPECT_EQ(meaning("345/2/4:T10,20"), "B2/S345/C4:T10,20");
  EXPECT_EQ(meaning("B2-a/S12:P9,8"), "B2-a/S12:P9,8");
  expectError("B3/S23:T0,20", "position 9: 0 is an infinite side");
  expectError("B3/S23:P30,0", "position 12: 0 is an infinite side");
  expectError("B3/S23:T30+5,20", "position 11: unexpected text; shifted and twisted grids");
  expectError("B3/S23:K30*,20", "position 8: a Klein bottle is not supported");
  expectError("B3/S23:C30,20", "a cross-surface is not supported");
  expectError("B3/S23:S30", "a sphere is not supported");
  expectError("B3/S23:", "position 8: expected a grid such as T72,48");
  expectError("B3/S23:T", "position 9: expected a number of cells");
  expectError("B3/S23:T5,", "position 11: expected a number of cells");
  expectError("B3/S23:T99999999999,1", "the number is larger than 2147483648");
  expectError(":T5,5", "a rule is missing");
}

TEST(RuleParser, KnowsNames) {
  EXPECT_EQ(meaning("HighLife"), "B36/S23");
  EXPECT_EQ(meaning("Day & Night"), "B3678/S34678");
  EXPECT_EQ(meaning("daynight"), "B3678/S34678");
  EXPECT_EQ(meaning("Day and Night"), "B3678/S34678");
  EXPECT_EQ(meaning("SEEDS"), "B2/S");
  EXPECT_EQ(meaning("Brian's Brain"), "B2/S/C3");
  EXPECT_EQ(meaning("BriansBrain"), "B2/S/C3");
  EXPECT_EQ(meaning("2x2"), "B36/S125");
  EXPECT_EQ(meaning("34 Life"), "B34/S34");
  EXPECT_EQ(meaning("life-without-death"), "B3/S012345678");
  EXPECT_EQ(meaning("Vote 4/5"), "B4678/S35678");
  EXPECT_EQ(meaning("9:43 at Knight"), "B34578/S237/C4");
}

TEST(RuleParser, EveryNameIsReadAndNoRuleInItself) {
  std::set<std::string> names;
  for (const RuleName& known : ruleNames()) {
    const std::string name(known.name);
    EXPECT_EQ(meaning(name), meaning(std::string(known.rule))) << name;
    EXPECT_TRUE(ruleNamed(known.rule).empty()) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_GT(names.size(), 100U);
}

/// Rules that exchange living and dead cells of others, as LifeWiki describes them.
TEST(RuleParser, ReversedRulesAreThoseOfTheTable) {
  const auto reversed = [](const std::string& text) {
    const Rule rule = parseRule(text).table.totalistic().value();
    Rule other{0, 0};
    for (int n = 0; n <= 8; ++n) {
      if ((rule.survival >> (8 - n) & 1U) == 0) other.birth |= 1U << n;
      if ((rule.birth >> (8 - n) & 1U) == 0) other.survival |= 1U << n;
    }
    return other.text();
  };
  EXPECT_EQ(reversed("Life"), meaning("AntiLife"));
  EXPECT_EQ(reversed("B3678/S23"), meaning("InverseLife"));
  EXPECT_EQ(reversed("Day & Night"), meaning("Day & Night"));
}

TEST(RuleParser, QuotesAreSkipped) {
  for (const char* text : {"\"B3/S23\"", "'b3s23'", " \" 23/3 \" ", "\"Life\"", "'LifeHistory'"})
    EXPECT_EQ(meaning(text), "B3/S23") << text;
  EXPECT_EQ(meaning("\"B3/S23:T72,48\""), "B3/S23:T72,48");
  expectError("\"B3/S29\"", "position 7: a cell has at most 8 neighbours");
  expectError("\"\"", "a rule is missing");
  expectError("\"", "expected 'S'");
}

TEST(RuleParser, ReadsHistoryRules) {
  for (const char* text : {"LifeHistory", "lifehistory", "B3/S23History", "b3s23HISTORY",
                           "23/3History", "Life History", "Conway's Life History"}) {
    EXPECT_EQ(meaning(text), "B3/S23") << text;
    EXPECT_TRUE(parseRule(text).isHistory) << text;
    EXPECT_TRUE(isHistoryRule(text)) << text;
  }
  EXPECT_EQ(meaning("B2-a/S12History:T30,20"), "B2-a/S12:T30,20");
  EXPECT_EQ(meaning("HighLifeHistory"), "B36/S23");
  EXPECT_FALSE(parseRule("B3/S23").isHistory);
  EXPECT_TRUE(isHistoryRule("WireWorldHistory:T3,3"));
  EXPECT_TRUE(isHistoryRule("\"LifeHistory\""));
  for (const char* text : {"B3/S23", "History", "Prehistoric", "", ":T3,3"})
    EXPECT_FALSE(isHistoryRule(text)) << text;
  expectError("WireWorldHistory", "rule \"WireWorldHistory\": no rule of this name is known");
  expectError("345/2/4History", "History follows a rule of two states only");
  expectError("History", "no rule of this name is known");
  for (const char* text : {"LifeSuper", "B3/S23Super", "B36/S23Investigator:T3,3"})
    expectError(text,
                "rules are not supported; convert the pattern to a rule of two states in Golly");
}

TEST(RuleParser, NearMissesNameTheRuleThatMayBeMeant) {
  const std::vector<std::pair<std::string, std::string>> cases{{"B3/S23/", "B3/S23"},
                                                               {"B3/S23//", "B3/S23"},
                                                               {"/B3/S23", "B3/S23"},
                                                               {"B3//S23", "B3/S23"},
                                                               {"b3/s23/", "b3/s23"},
                                                               {"23/3/", "23/3"},
                                                               {"23/3/4/", "23/3/4"},
                                                               {"B2/S345/C4/", "B2/S345/C4"},
                                                               {"B2-a/S12/", "B2-a/S12"},
                                                               {"B3/S2-i34q.", "B3/S2-i34q"},
                                                               {"B3,S23", "B3/S23"},
                                                               {"B3;S23", "B3/S23"},
                                                               {"B3-S23", "B3/S23"},
                                                               {"B3\\S23", "B3/S23"},
                                                               {"B3|S23", "B3/S23"},
                                                               {"B3/S2,3", "B3/S23"},
                                                               {"23,3", "23/3"},
                                                               {"23-3", "23/3"},
                                                               {"23 3", "23/3"},
                                                               {"B3/23", "B3/S23"},
                                                               {"3/S23", "B3/S23"},
                                                               {"B33/S23", "B3/S23"},
                                                               {"B=3/S=23", "B3/S23"},
                                                               {"B:3/S:23", "B3/S23"},
                                                               {"B 3/S 23", "B3/S23"},
                                                               {"(B3/S23)", "B3/S23"},
                                                               {"\"B3/S23", "B3/S23"},
                                                               {"rule = B3/S23", "B3/S23"},
                                                               {"Rule: 23/3", "23/3"},
                                                               {"B3/S23:T72x48", "B3/S23:T72,48"},
                                                               {"B3/S23/:T72,48", "B3/S23:T72,48"},
                                                               {"B3/S23:P72*48", "B3/S23:P72,48"},
                                                               {"LifeHistory/", "LifeHistory"},
                                                               {"HighLif", "HighLife"},
                                                               {"Seedss", "Seeds"},
                                                               {"Brian Brain", "Brian's Brain"}};
  for (const auto& [text, meant] : cases)
    EXPECT_TRUE(meaning(text).ends_with("; did you mean " + meant + "?"))
        << text << ": " << meaning(text);
  for (const char* text : {"B3/S29", "B3/S23/C", "23/3/257", "23", "B3", "B3/S23x", "B3/S23:K3,3",
                           "B3/S23 4", "Nobili32", "W110", "B2/S34H", ""}) {
    EXPECT_EQ(meaning(text).find("did you mean"), std::string::npos)
        << text << ": " << meaning(text);
  }
}

TEST(RuleParser, ErrorsNameThePositionAndAnExample) {
  expectError("B3/S29", "rule \"B3/S29\", position 6: a cell has at most 8 neighbours; write");
  expectError("B33/S23", "position 3: a digit is repeated");
  expectError("B3/S23x", "position 7: unexpected text");
  expectError("B3/S23 4", "position 8: unexpected text");
  expectError("B3/23", "position 4: expected 'S'");
  expectError("B3", "position 3: expected 'S'");
  expectError("S3", "position 3: expected 'B'");
  expectError("B3/B3", "position 4: expected 'S'");
  expectError("B3/S23/", "position 8: unexpected text");
  expectError("B3/S23/C", "position 9: expected a number of states, 2 to 256");
  expectError("B3/S23/C1", "position 9: expected a number of states");
  expectError("23/3/257", "position 6: the number is larger than 256");
  expectError("23/3/3/3", "position 7: unexpected text");
  expectError("23", "position 3: expected '/'");
  expectError("", "a rule is missing");
  expectError(" ", "a rule is missing");
  expectError("B2-/S12", "position 4: expected letters after '-'");
  expectError("B2aa/S12", "position 4: a letter is repeated");
  expectError("B1k/S12", "position 3: the letters of 1 neighbours are ce");
  expectError("B3t/S", "position 3: the letters of 3 neighbours are cekainyqjr");
  expectError("B8c/S", "position 3: 8 neighbours have no letters here");
  expectError("B2a-k/S", "position 4: expected 'S'");
  expectError("B3/S23/nope", "write a rule as B3/S23");
}

TEST(RuleParser, OtherKindsOfRulesAreNamed) {
  expectError("R5,C0,M1,S34..58,B34..45,NM", "a Larger than Life rule");
  expectError("W110", "one-dimensional");
  expectError("M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "a Margolus rule");
  expectError("MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA", "a map of 512");
  expectError("B2/S34H", "hexagonal");
  expectError("34/2h", "hexagonal");
  for (const char* name : {"WireWorld", "JvN29", "Nobili32", "Codd", "Brian", "Langtons-Loops",
                           "Seeds2", "Conways", "StateInvestigator"}) {
    expectError(name, "no rule of this name is known");
  }
}

TEST(RuleParser, MessagesStayCleanAndShort) {
  const std::string message = meaning("B3/S23\x01" + std::string(100000, 'x'));
  EXPECT_LT(message.size(), 500U);
  EXPECT_NE(message.find("B3/S23?xxx"), std::string::npos);
}

}  // namespace
}  // namespace life

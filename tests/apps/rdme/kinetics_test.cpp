// Reactions: how they are written, and their propensities against numbers computed by hand.
#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/kinetics.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rdme {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using testing::errorWith;
using testing::modelWith;
using Numbers = std::vector<int>;

const std::vector<std::string> abc{"A", "B", "C"};

Equation parsed(const std::string& text) {
  return parseEquation({mass::ConfigNode::Kind::text, "x.yaml:1: 'reaction'", "reaction", text},
                       abc);
}

std::string parseError(const std::string& text) {
  return messageOf<mass::SettingsError>([&] { parsed(text); });
}

TEST(Equation, hasTwoSides) {
  EXPECT_EQ(parsed("A -> B").reactants, Numbers{0});
  EXPECT_EQ(parsed("A -> B").products, Numbers{1});
  EXPECT_EQ(parsed("A+B->2 C").reactants, (Numbers{0, 1}));
  EXPECT_EQ(parsed("A+B->2 C").products, (Numbers{2, 2}));
  EXPECT_EQ(parsed("2A -> A + 2B + C").reactants, (Numbers{0, 0}));
  EXPECT_EQ(parsed("2A -> A + 2B + C").products, (Numbers{0, 1, 1, 2}));
  EXPECT_EQ(parsed("A -> 7 B").products.size(), 7U);
  EXPECT_FALSE(parsed("A -> B").isReversible);
  EXPECT_TRUE(parsed("A <-> B").isReversible);
}

TEST(Equation, mayHaveNothingOnASide) {
  for (const auto* text : {"-> A", "nothing -> A", "0 -> A", "∅ -> A"})
    EXPECT_TRUE(parsed(text).reactants.empty()) << text;
  for (const auto* text : {"A ->", "A -> nothing", "A -> 0", "A -> ∅"})
    EXPECT_TRUE(parsed(text).products.empty()) << text;
}

TEST(Equation, mistakesAreNamed) {
  EXPECT_EQ(parseError("A + B + C -> A"),
            "x.yaml:1: 'reaction' = A + B + C -> A: 3 reactants, but a reaction has two at most: "
            "write it as two reactions, with what two of them make in between");
  EXPECT_TRUE(contains(parseError("2 A + B -> C"), "3 reactants"));
  EXPECT_TRUE(contains(parseError("A <-> 3 B"), "3 reactants"));
  EXPECT_TRUE(contains(parseError("A -> 8 B"), "8 products"));
  EXPECT_TRUE(contains(parseError("A + B"), "a reaction has an arrow"));
  EXPECT_TRUE(contains(parseError("A -> B -> C"), "one arrow"));
  EXPECT_TRUE(contains(parseError("A + -> C"), "a species is missing"));
  EXPECT_TRUE(contains(parseError("2 -> C"), "a species is missing"));
  EXPECT_TRUE(contains(parseError("-1 A -> C"), "takes part 1 to 99 times"));
  EXPECT_TRUE(contains(parseError("A -> 99999999999999999999 C"), "takes part 1 to 99 times"));
  EXPECT_TRUE(contains(parseError("->"), "there is nothing on both sides"));
  EXPECT_TRUE(contains(parseError("A -> X"), "there is no species 'X'; the names are: A, B, C"));
}

// A site of 16 nm: 4.096e-24 m³.

TEST(Propensity, ofFirstOrderIsRateTimesStep) {
  EXPECT_DOUBLE_EQ(propensity::firstOrder(0.7, 50e-6), 3.5e-5);
}

TEST(Propensity, ofZerothOrderIsParticlesOfASite) {
  // 1 uM/s = 6.02214076e20 /m³/s; times 4.096e-24 m³ and 50e-6 s: 1.23333443e-7.
  const Model model = testing::withA("  reactions:\n    - {reaction: -> A, rate: 1 uM/s}\n");
  EXPECT_NEAR(model.channels[0].propensity, 1.23333443e-7, 1e-14);
  EXPECT_TRUE(model.channels[0].reactants.empty());
}

TEST(Propensity, ofSecondOrderIsOfAPair) {
  // MinE + MinDm of the paper: 5.56e7 / (6.02214076e26 * 4.096e-24) * 50e-6 = 1.12702603.
  // MinDATP + MinDm: 9.0e6 / 2466.6689 * 50e-6 = 0.18243227.
  const double volume = 16e-9 * 16e-9 * 16e-9;
  EXPECT_NEAR(propensity::secondOrder(5.56e7 / 6.02214076e26, volume, 50e-6), 1.12702603, 1e-7);
  EXPECT_NEAR(propensity::secondOrder(9.0e6 / 6.02214076e26, volume, 50e-6), 0.18243227, 1e-7);
}

TEST(Propensity, ofTwoAlikeIsTwiceThatOfAPair) {
  // d[events]/dt = k [A]²: n particles react n(n-1)/2 * c = k/(N_A V) n(n-1), so c = 2k/(N_A V).
  // 1e6 /M/s at 16 nm and 50 us: 2 * 1e6 / 2466.6689 * 50e-6 = 0.0405405046.
  const Model model = modelWith(
      "  species: {A: 1 um2/s, B: 1 um2/s, C: 1 um2/s}\n  reactions:\n"
      "    - {reaction: 2 A -> C, rate: 1e6 /M/s}\n    - {reaction: A + B -> C, rate: 1e6 /M/s}\n"
      "    - {reaction: A + A -> B, rate: 1e6 /M/s}\n");
  EXPECT_NEAR(model.channels[0].propensity, 0.0405405046, 1e-9);
  EXPECT_NEAR(model.channels[1].propensity, 0.0202702523, 1e-9);
  EXPECT_DOUBLE_EQ(model.channels[2].propensity, model.channels[0].propensity);
  EXPECT_EQ(model.channels[0].reactants, (Numbers{0, 0}));
}

TEST(Propensity, ofASurfaceIsOfItsTrueArea) {
  // 0.0125 um/s on 12.566371 um² as 63424 sites of 16 nm: 1.25e-8 * 12.566371e-12 /
  // (63424 * 4.096e-24) * 50e-6 = 3.0232666e-5.
  EXPECT_NEAR(propensity::surface(1.25e-8, 12.566371e-12, 63424, 4.096e-24, 50e-6), 3.0232666e-5,
              1e-11);
}

constexpr const char* cell =
    "  site types: [c, m]\n  species: {A: 1 um2/s, B: {m: 0.01 um2/s}}\n"
    "  geometry: [sphere: {diameter: 96 nm, type: c, shell: m}]\n";

Model withReaction(const std::string& reaction) {
  return modelWith(cell + ("  reactions:\n    - {" + reaction + "}\n"));
}

std::string errorOf(const std::string& reaction) {
  return errorWith(cell + ("  reactions:\n    - {" + reaction + "}\n"));
}

TEST(Reactions, happenWhereTheyAreSaidTo) {
  EXPECT_EQ(withReaction("reaction: A ->, rate: 1 /s, in: c").channels.size(), 1U);
  EXPECT_EQ(withReaction("reaction: A ->, rate: 1 /s, in: [c, m]").channels.size(), 2U);
  // Without `in`: wherever all reactants may be, or products where there are none.
  EXPECT_EQ(withReaction("reaction: A ->, rate: 1 /s").channels.size(), 2U);
  const Model bound = withReaction("reaction: A + B -> B, rate: 1 /M/s");
  ASSERT_EQ(bound.channels.size(), 1U);
  EXPECT_EQ(bound.channels[0].siteType, 2);
  EXPECT_EQ(withReaction("reaction: -> B, rate: 1 uM/s").channels.size(), 1U);
}

TEST(Reactions, keepWhatTheUserWrote) {
  const Model model = withReaction("reaction: A <-> B, rate: [0.5 um/s, 2 /s], in: m");
  ASSERT_EQ(model.channels.size(), 2U);
  EXPECT_EQ(model.channels[0].text, "A -> B");
  EXPECT_EQ(model.channels[1].text, "B -> A");
  EXPECT_EQ(model.channels[1].rate, "2 /s");
  EXPECT_EQ(model.channels[1].reactants, Numbers{1});
  EXPECT_DOUBLE_EQ(model.channels[1].propensity, 1e-4);
  // pi (96 nm)² = 2.8952918e-14 m²
  EXPECT_NEAR(model.channels[0].propensity,
              0.5e-6 * 2.8952918e-14 / (static_cast<double>(model.sitesOf[2]) * 4.096e-24) * 50e-6,
              1e-9);
}

TEST(Reactions, mistakesAreNamed) {
  const auto expect = [](const std::string& reaction, const std::string& message) {
    EXPECT_TRUE(contains(errorOf(reaction), message)) << errorOf(reaction);
  };
  expect("reaction: A -> AA, rate: 1 /s",
         "test.yaml:7: 'model.reactions[1].reaction' = A -> AA: there is no species 'AA'");
  expect("reaction: A ->, rate: -1 /s",
         "test.yaml:7: 'model.reactions[1].rate' = -1 /s: the rate of a first-order reaction must "
         "not be negative");
  expect("reaction: A ->, rate: 1", "the unit is missing; the rate of a first-order reaction");
  expect("reaction: A ->, rate: 1 /M/s", "is given in /s, /ms, /min or /h");
  expect("reaction: A + B -> B, rate: 1 /s",
         "the rate of a second-order reaction is given in /M/s");
  expect("reaction: -> A, rate: 1 /s", "without reactants is given in M/s");
  expect("reaction: A ->", "the key 'rate' is missing");
  expect("reaction: A ->, rates: 1 /s", "did you mean 'rate'?");
  expect("reaction: A -> B, rate: 1 /s, in: c",
         "'model.reactions[1].in' = c: B may not be in 'c'; let the reaction happen elsewhere");
  expect("reaction: A -> B, rate: 1 /s", "B may not be in 'c'");
  expect("reaction: B ->, rate: 1 /s, in: membrane", "there is no site type 'membrane'");
  expect("reaction: A ->, rate: 1 /s, in: outside", "nothing is ever outside");
  expect("reaction: A ->, rate: 1 /s, in: [c, c]", "it is named twice");
  expect("reaction: A ->, rate: 1 /s, in: []", "name at least one site type");
  expect("reaction: A -> B, rate: 1 um/s, in: c", "B may not be in 'c'");
  expect("reaction: A ->, rate: 1 um/s, in: c", "surface attachment needs the area of 'c'");
  expect("reaction: A <-> B, rate: 1 /s, in: m", "two rates, there and back");
  expect("reaction: A -> B, rate: [1 /s, 2 /s], in: m", "two rates are of a reaction with '<->'");
}

}  // namespace
}  // namespace rdme

// Parsing of reactions, and their propensities against numbers computed by hand.
#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/model/kinetics.hpp>

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

Equation parsed(const std::string& text, const std::vector<std::string>& species = abc) {
  return parseEquation({mass::ConfigNode::Kind::text, "x.yaml:1: 'reaction'", "reaction", text},
                       species);
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
  for (const char* const text : {"A <=> B", "A <--> B"}) EXPECT_TRUE(parsed(text).isReversible);
  for (const char* const text : {"A --> B", "A => B"}) EXPECT_FALSE(parsed(text).isReversible);
}

TEST(Equation, mayHaveNothingOnASide) {
  for (const auto* text : {"-> A", "nothing -> A", "0 -> A", "∅ -> A"})
    EXPECT_TRUE(parsed(text).reactants.empty()) << text;
  for (const auto* text : {"A ->", "A -> nothing", "A -> 0", "A -> ∅"})
    EXPECT_TRUE(parsed(text).products.empty()) << text;
}

TEST(Equation, namesMayHavePlusAndMinus) {
  const std::vector<std::string> ions{"Ca2+", "CaM", "Cl-", "Na+", "Na", "5HT", "14-3-3", "Gα"};
  const auto expect = [&](const std::string& text, const Numbers& reactants,
                          const Numbers& products) {
    const Equation equation = parsed(text, ions);
    EXPECT_EQ(equation.reactants, reactants) << text;
    EXPECT_EQ(equation.products, products) << text;
  };
  for (const auto* text : {"Ca2+ + CaM -> Cl-", "Ca2++CaM->Cl-", "Ca2+ +CaM -> Cl-",
                           "Ca2+ + CaM -> Cl\u2212", "\"Ca2+\" + CaM -> 'Cl-'", "'Ca2+'+CaM->Cl-",
                           "1 Ca2+ + 1 CaM -> 1 Cl-", "Ca2+\u00A0+\u2009CaM \u2192 Cl-"})
    expect(text, {0, 1}, {2});
  expect("Na+ + Cl- -> Na + Cl-", {3, 2}, {4, 2});
  expect("Na+Cl- -> Na+", {4, 2}, {3});
  expect("2 Ca2+ -> 2Ca2++Na+", {0, 0}, {0, 0, 3});
  expect("2 'Ca2+' -> 'Na+'", {0, 0}, {3});
  expect("Cl-->Na+", {2}, {3});
  expect("Cl-<->Na+", {2}, {3});
  expect("Gα \u21CC Na", {7}, {4});
  EXPECT_TRUE(parsed("Gα \u21CC Na", ions).isReversible);
  expect("5HT + 14-3-3 -> 2 5HT + 2 14-3-3", {5, 6}, {5, 5, 6, 6});
  EXPECT_TRUE(contains(messageOf<mass::SettingsError>([&] { parsed("K+ -> Na", ions); }),
                       "there is no species 'K+'"));
  EXPECT_TRUE(contains(messageOf<mass::SettingsError>([&] { parsed("Ca2+ + + CaM -> Na", ions); }),
                       "a species is missing"));
  EXPECT_TRUE(contains(messageOf<mass::SettingsError>([&] { parsed("Ca2+ CaM -> Na", ions); }),
                       "there is no species 'Ca2+ CaM'"));
}

TEST(Equation, aPlusWithoutBlanksBelongsToANameIfThereIsOne) {
  const std::vector<std::string> species{"A", "B", "A+", "A+B"};
  EXPECT_EQ(parsed("A+B -> A", species).reactants, Numbers{3});
  EXPECT_EQ(parsed("A + B -> A", species).reactants, (Numbers{0, 1}));
  EXPECT_EQ(parsed("A+ -> A", species).reactants, Numbers{2});
  EXPECT_EQ(parsed("A++B -> A", species).reactants, (Numbers{2, 1}));
}

TEST(Equation, mistakesAreNamed) {
  EXPECT_EQ(parseError("A + B + C -> A"),
            "x.yaml:1: 'reaction' = A + B + C -> A: 3 reactants exceed the limit of two: "
            "write two reactions, with an intermediate species");
  EXPECT_TRUE(contains(parseError("2 A + B -> C"), "3 reactants"));
  EXPECT_TRUE(contains(parseError("A <-> 3 B"), "3 reactants"));
  EXPECT_TRUE(contains(parseError("A -> 8 B"), "8 products"));
  EXPECT_TRUE(contains(parseError("A + B"), "expected an arrow"));
  EXPECT_TRUE(contains(parseError("A -> B -> C"), "expected one arrow"));
  EXPECT_TRUE(contains(parseError("A + -> C"), "a species is missing"));
  EXPECT_TRUE(contains(parseError("2 -> C"), "a species is missing"));
  EXPECT_TRUE(contains(parseError("-1 A -> C"), "expected a number of 1 to 99"));
  EXPECT_TRUE(contains(parseError("A -> 99999999999999999999 C"), "expected a number of 1 to 99"));
  EXPECT_TRUE(contains(parseError("->"), "expected a species on at least one side"));
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

TEST(Propensity, perAreaIsOfTheAreaOfASite) {
  // A sphere of 0.7 um: pi 0.49e-12 = 1.53938040e-12 m². Site: 50 nm; step: 10 us.
  const Model model = Model::parse(
      "model:\n  lattice: {sites: [16, 16, 16], spacing: 50 nm, timestep: 10 us}\n"
      "  site types: [inside, membrane]\n"
      "  geometry: [sphere: {diameter: 0.7 um, type: inside, shell: membrane}]\n"
      "  species: {R: {membrane: 0.1 um2/s}, L: {membrane: 0.1 um2/s}, RR: {membrane: 0 um2/s}}\n"
      "  reactions:\n    - {reaction: 2 R -> RR, rate: 0.01 um2/s, in: membrane}\n"
      "    - {reaction: R + L -> RR, rate: 0.03 um2/s}\n"
      "    - {reaction: -> R, rate: 5 /um2/s}\n"
      "    - {reaction: R + L -> RR, rate: 6.02214076e10 m2/mol/s}\n"
      "  initial: [{species: R, count: 200}]\n",
      "test.yaml");
  const double site = 1.53938040e-12 / static_cast<double>(model.siteCounts[2]);
  EXPECT_NEAR(model.channels[0].propensity / (2 * 0.01e-12 * 10e-6 / site), 1, 1e-8);
  EXPECT_NEAR(model.channels[1].propensity / (0.03e-12 * 10e-6 / site), 1, 1e-8);
  EXPECT_NEAR(model.channels[2].propensity / (5e12 * 10e-6 * site), 1, 1e-8);
  // 6.02214076e10 m²/mol/s is 1e-13 m²/s, or 0.1 um2/s.
  EXPECT_NEAR(model.channels[3].propensity / (0.1e-12 * 10e-6 / site), 1, 1e-8);
  // Events of 200 R in a well-mixed membrane: k n(n-1) / area, over all sites.
  const double pairs = 200.0 * 199 / 2 / static_cast<double>(model.siteCounts[2]);
  EXPECT_NEAR(pairs * model.channels[0].propensity / (0.01e-12 * 200 * 199 / 1.53938040e-12 * 1e-5),
              1, 1e-8);
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
  // Without `in`: all types where all reactants may be, or all products if there are no reactants.
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
  EXPECT_NEAR(
      model.channels[0].propensity,
      0.5e-6 * 2.8952918e-14 / (static_cast<double>(model.siteCounts[2]) * 4.096e-24) * 50e-6,
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
  expect("reaction: A ->, rate: 1", "the unit is missing; give the rate of a first-order reaction");
  expect("reaction: A ->, rate: 1 /M/s", "first-order reaction in /s, /ms, /min or /h");
  expect("reaction: A + B -> B, rate: 1 /s", "give the rate of a second-order reaction in /M/s");
  expect("reaction: -> A, rate: 1 /s", "without reactants in M/s");
  expect("reaction: A ->", "the key 'rate' is missing");
  expect("reaction: A ->, rates: 1 /s", "did you mean 'rate'?");
  expect("reaction: A -> B, rate: 1 /s, in: c",
         "'model.reactions[1].in' = c: B may not be in 'c': give other site types by 'in'");
  expect("reaction: A -> B, rate: 1 /s", "B may not be in 'c'");
  expect("reaction: B ->, rate: 1 /s, in: membrane", "there is no site type 'membrane'");
  expect("reaction: A ->, rate: 1 /s, in: outside", "no particle enters the type 'outside'");
  expect("reaction: A ->, rate: 1 /s, in: [c, c]", "this type is listed twice");
  expect("reaction: A ->, rate: 1 /s, in: []", "expected at least one site type");
  expect("reaction: A -> B, rate: 1 um/s, in: c", "B may not be in 'c'");
  expect("reaction: A ->, rate: 1 um/s, in: c", "surface attachment requires the area of 'c'");
  expect("reaction: 2 A ->, rate: 1 um2/s, in: c",
         "second-order reaction on a surface requires the area of 'c'");
  expect("reaction: -> A, rate: 1 /um2/s, in: c", "on a surface requires the area of 'c'");
  expect("reaction: A ->, rate: 1 um2/s, in: m", "first-order reaction in /s, /ms, /min or /h");
  expect("reaction: A <-> B, rate: 1 /s, in: m", "two rates, forward and backward");
  expect("reaction: A -> B, rate: [1 /s, 2 /s], in: m", "two rates require a reaction with '<->'");
}

}  // namespace
}  // namespace rdme

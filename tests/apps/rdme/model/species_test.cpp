// Diffusion coefficients and their conversion to probabilities.
#include <tests/apps/rdme/small_models.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rdme {
namespace {

using mass::testing::contains;
using testing::errorWith;
using testing::modelWith;

constexpr const char* twoTypes = "  site types: [c, m]\n";

Model withSpecies(const std::string& species) {
  return modelWith(twoTypes + ("  species: {" + species + "}\n"));
}

std::string errorOf(const std::string& species) {
  return errorWith(twoTypes + ("  species: {" + species + "}\n"));
}

TEST(Species, hopsWithDTauByLambdaSquared) {
  // q = 1e-12 m²/s * 50e-6 s / (16e-9 m)² = 5e-17 / 2.56e-16 = 0.1953125.
  const Model model = withSpecies("A: 1 um2/s");
  for (int from = 1; from <= 2; ++from)
    for (int to = 1; to <= 2; ++to)
      EXPECT_NEAR(model.hopProbability(from, to, 0), 0.1953125, 1e-15);
  for (int type = 0; type <= 2; ++type) {
    EXPECT_EQ(model.hopProbability(0, type, 0), 0);
    EXPECT_EQ(model.hopProbability(type, 0, 0), 0);
  }
  EXPECT_DOUBLE_EQ(model.diffusion[model.transitionIndex(1, 2, 0)], 1e-12);
}

TEST(Species, crossWithTheSmallerCoefficientByDefault) {
  const Model model = withSpecies(
      "A: {c: 1 um2/s, m: 0.1 um2/s}, B: {m: 0.01 um2/s}, "
      "C: {c: 1 um2/s, m: 1 um2/s, between: {c -> m: 0.5 um2/s}}, "
      "D: {c: 1 um2/s, m: 1 um2/s, between: {c<->m: 0 um2/s}}, E: {c: 0 um2/s}");
  EXPECT_NEAR(model.hopProbability(1, 1, 0), 0.1953125, 1e-15);
  EXPECT_NEAR(model.hopProbability(1, 2, 0), 0.01953125, 1e-15);
  EXPECT_NEAR(model.hopProbability(2, 1, 0), 0.01953125, 1e-15);
  EXPECT_NEAR(model.hopProbability(2, 2, 1), 0.001953125, 1e-15);
  EXPECT_EQ(model.hopProbability(2, 1, 1), 0);  // B may not be in c
  EXPECT_EQ(model.hopProbability(1, 2, 1), 0);
  EXPECT_NEAR(model.hopProbability(1, 2, 2), 0.09765625, 1e-15);
  EXPECT_NEAR(model.hopProbability(2, 1, 2), 0.1953125, 1e-15);
  EXPECT_EQ(model.hopProbability(1, 2, 3), 0);
  EXPECT_EQ(model.hopProbability(2, 1, 3), 0);
  EXPECT_NEAR(model.hopProbability(2, 2, 3), 0.1953125, 1e-15);
  EXPECT_TRUE(model.isAllowed(4, 1));  // E stays where it is
  EXPECT_FALSE(model.isAllowed(4, 2));
  EXPECT_FALSE(model.isAllowed(0, 0));
}

TEST(Species, cannotBeNamedNothing) {
  EXPECT_TRUE(contains(errorOf("A: 1 um2/s, nothing: 1 um2/s"),
                       "this word stands for no particles in reactions: rename the species"));
}

TEST(Species, haveNamesAsInPapers) {
  const Model model = withSpecies(
      "Ca2+: 1 um2/s, Gα: 1 um2/s, 5HT: 1 um2/s, 14-3-3: 1 um2/s, IP3R*: 1 um2/s, Na+: 1 um2/s, "
      "Cl-: 1 um2/s, β-arrestin: 1 um2/s, Ca²⁺: 1 um2/s, PI(3)P: 1 um2/s, Ras~P: 1 um2/s, "
      "2B: 1 um2/s, MinD:ATP: 1 um2/s, \"p53'\": 1 um2/s, G\u2013beta: 1 um2/s, Å: 1 um2/s");
  EXPECT_EQ(model.species, (std::vector<std::string>{"Ca2+", "Gα", "5HT", "14-3-3", "IP3R*", "Na+",
                                                     "Cl-", "β-arrestin", "Ca²⁺", "PI(3)P", "Ras~P",
                                                     "2B", "MinD:ATP", "p53'", "G-beta", "Å"}));
}

TEST(Species, stepsAboveOneHalfAreRejected) {
  // (16e-9)² / (2 * 3e-12) = 42.6667 us.
  EXPECT_EQ(errorOf("A: 1 um2/s, B: {c: 3 um2/s}"),
            "test.yaml:4: 'model.species.B.c' = 3 um2/s: q = D timestep / spacing^2 = 0.5859 is "
            "above 1/2, the largest probability of a step to one side: the largest timestep of "
            "this model is 42.6667 us");
  // 2.56e-16 / (2 * 50e-6) = 2.56e-12: 1/2, up to rounding.
  EXPECT_LE(withSpecies("A: 2.56 um2/s").hopProbability(1, 1, 0), 0.5);
  EXPECT_NEAR(withSpecies("A: 2.56 um2/s").hopProbability(1, 1, 0), 0.5, 1e-12);
}

TEST(Species, mistakesAreNamed) {
  const auto expect = [](const std::string& species, const std::string& message) {
    EXPECT_TRUE(contains(errorOf(species), message)) << errorOf(species);
  };
  expect("", "expected at least one species");
  expect("A: 1", "'model.species.A' = 1: the unit is missing; give a diffusion coefficient in");
  expect("A: 1 um/s", "this unit is that of another quantity");
  expect("A: -1 um2/s", "must not be negative");
  expect("A: {}", "expected its diffusion coefficient in each site type");
  expect("A: {cytosol: 1 um2/s}", "there is no site type 'cytosol'; the names are: outside, c, m");
  expect("A: {outside: 1 um2/s}", "no particle enters the type 'outside'");
  expect("A: {c: 1 um2/s, between: {c -> m: 1 um2/s}}", "A may not be in 'm'");
  expect("A: {c: 1 um2/s, between: {c m: 1 um2/s}}", "expected two site types");
  expect("A: {c: 1 um2/s, between: {c -> c: 1 um2/s}}", "expected two different site types");
  expect("22: 1 um2/s", "'22' cannot name a species");
  expect("1.5: 1 um2/s", "'1.5' cannot name a species");
  expect("5e3: 1 um2/s", "'5e3' cannot name a species");
  expect("-A: 1 um2/s", "'-A' cannot name a species");
  expect("+A: 1 um2/s", "'+A' cannot name a species");
  expect("A\u00A0B: 1 um2/s", "'A B' cannot name a species");
  expect("\"A->\": 1 um2/s", "'A->' cannot name a species");
  expect("A\u2192: 1 um2/s", "'A->' cannot name a species");
  expect("A/B: 1 um2/s", "'A/B' cannot name a species");
  expect("A: 1 um2/s, 2A: 1 um2/s", "in a reaction, '2A' would also be 2 of 'A'");
  expect("\u00B5: 1 um2/s, \u03BC: 1 um2/s", "this species is listed twice");
  expect("A B: 1 um2/s", "'A B' cannot name a species");
}

TEST(Species, haveColumnsOfTheirOwnInTheTable) {
  EXPECT_TRUE(
      contains(errorOf("time: 1 um2/s"),
               "'model.species.time' = 1 um2/s: the table has another column of this name"));
  EXPECT_TRUE(
      contains(errorOf("A: 1 um2/s, A.m: 1 um2/s"), "has another column of this name, for A"));
  EXPECT_TRUE(
      contains(errorOf("A.z7: 1 um2/s, A: 1 um2/s"), "has another column of this name, for A"));
  EXPECT_EQ(withSpecies("A: 1 um2/s, A.zz: 1 um2/s").species.size(), 2U);
}

TEST(Species, areAtMost255) {
  std::string species;
  for (int i = 0; i < 255; ++i) species += fmt::format("S{}: 1 um2/s, ", i);
  EXPECT_EQ(withSpecies(species).species.size(), 255U);
  EXPECT_TRUE(contains(errorOf(species + "X: 1 um2/s"), "256 species exceed the limit of 255"));
}

}  // namespace
}  // namespace rdme

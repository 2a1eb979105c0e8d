// Checks of a whole model before it runs.
#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/model/particle_bounds.hpp>
#include <apps/rdme/model/plausibility.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace rdme {
namespace {

using mass::testing::contains;
using testing::errorWith;
using testing::modelWith;

constexpr const char* ab = "  species: {A: 1 um2/s, B: 1 um2/s}\n";

// At 16 nm and 50 us a pair has the propensity 1 with k = 2466.6689 / 50e-6 /M/s = 4.9333e7 /M/s.

TEST(PairPropensity, aboveOneIsRejectedUnlessAccepted) {
  const std::string yaml = ab + std::string(
                                    "  reactions:\n    - {reaction: A + B -> B, rate: 5.56e7 "
                                    "/M/s}\n");
  EXPECT_EQ(
      errorWith(yaml),
      "test.yaml:5: 'model.reactions[1].rate' = 5.56e7 /M/s: A + B in 'inside': propensity "
      "1.127 a pair and step, above 1: a pair in a site reacts before it can separate, so the "
      "rate constant is not reproduced; the largest timestep is 44.36 us, and one of 4.436 us "
      "is accurate; to run it nonetheless, add 'accept: [pair-propensity]' to the model");
  const Model accepted = modelWith(yaml + "  accept: [pair-propensity]\n");
  ASSERT_EQ(accepted.warnings.size(), 1U);
  EXPECT_TRUE(contains(accepted.warnings[0], "ACCEPTED BY THE SETTINGS: A + B in 'inside'"));
  EXPECT_TRUE(contains(accepted.report(), "WARNING: ACCEPTED BY THE SETTINGS"));
  EXPECT_TRUE(contains(errorWith(yaml + "  accept: [everything]\n"), "expected pair-propensity"));
}

TEST(PairPropensity, aboveATenthIsAWarning) {
  const auto warnings = [](const std::string& rate) {
    return modelWith(ab + ("  reactions:\n    - {reaction: A + B -> B, rate: " + rate + "}\n"))
        .warnings;
  };
  EXPECT_TRUE(warnings("4.9e6 /M/s").empty());
  ASSERT_EQ(warnings("5e6 /M/s").size(), 1U);
  EXPECT_TRUE(contains(warnings("5e6 /M/s")[0], "propensity 0.1014 a pair and step"));
}

TEST(PairPropensity, ofChannelsOfOnePairAddUp) {
  const std::string two = "    - {reaction: A + B -> A, rate: 3e7 /M/s}\n";
  const std::string turned = "    - {reaction: B + A -> B, rate: 3e7 /M/s}\n";
  EXPECT_NO_THROW(modelWith(ab + ("  reactions:\n" + two)));
  EXPECT_TRUE(
      contains(errorWith(ab + ("  reactions:\n" + two + turned)),
               "'model.reactions[2].rate' = 3e7 /M/s: A + B in 'inside': propensity 1.216"));
}

TEST(PairPropensity, ofASpeciesWithItselfIsTwice) {
  const auto reaction = [](const std::string& rate) {
    return ab + ("  reactions:\n    - {reaction: 2 A -> B, rate: " + rate + "}\n");
  };
  EXPECT_NO_THROW(modelWith(reaction("2.4e7 /M/s")));
  EXPECT_TRUE(contains(errorWith(reaction("2.5e7 /M/s")), "A + A in 'inside': propensity 1.014"));
}

TEST(ParticlePropensity, aboveATenthIsAWarning) {
  // 40000 /s * 50e-6 s = 2
  const Model model = modelWith(ab + std::string("  reactions:\n    - {reaction: A -> B, rate: "
                                                 "40000 /s}\n"));
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_TRUE(contains(model.warnings[0], "each A in 'inside': propensity 2 a particle and step"));
}

TEST(Propensities, aboveTheLimitOfEventsAreRejected) {
  const auto error = [](const std::string& reaction) {
    return testing::errorWithA("  reactions: [{reaction: " + reaction + "}]\n");
  };
  EXPECT_EQ(error("A -> 2 A, rate: 1e12 /s"),
            "test.yaml:4: 'model.reactions[1].rate' = 1e12 /s: A in 'inside': propensity 5e+07 a "
            "particle and step, above 1000: make the timestep 0.001 us or shorter, or the rate "
            "lower");
  EXPECT_TRUE(contains(error("-> A, rate: 1e24 M/s"), "reactions without reactants in 'inside'"));
  EXPECT_TRUE(contains(testing::errorWithA("  reactions: [{reaction: 2 A -> A, rate: 1e12 /M/s}]\n"
                                           "  accept: [pair-propensity]\n"),
                       "a pair and step, above 1000"));
}

TEST(Capacity, tailIsThatOfPoisson) {
  // P(X > 2) for a mean of 0.5: 1 - e^-0.5 (1 + 0.5 + 0.125) = 0.0143877, and an upper bound.
  EXPECT_GE(poissonTail(0.5, 2), 0.0143877);
  EXPECT_LT(poissonTail(0.5, 2), 0.0143877 * 1.01);
  EXPECT_EQ(poissonTail(0, 2), 0);
  EXPECT_EQ(poissonTail(10, 2), 1);
}

TEST(Capacity, isChosenForTheDensity) {
  EXPECT_EQ(testing::withA("").capacity, 4);
  EXPECT_FALSE(testing::withA("").capacityGiven);
  // 512 particles in 512 sites: 512 P(X > 6) = 0.0426, 512 P(X > 5) = 0.304.
  EXPECT_EQ(testing::withA("  initial: [{species: A, count: 512}]\n").capacity, 6);
  const Model dense = testing::withA("  initial: [{species: A, count: 51200}]\n");
  EXPECT_GT(dense.capacity, 130);
  EXPECT_LT(dense.capacity, 150);
}

TEST(Capacity, countsProductsOfReactions) {
  // A becomes B, which is confined to the 64 sites of m.
  const Model model = modelWith(
      "  site types: [c, m]\n  species: {A: 1 um2/s, B: {m: 1 um2/s}}\n"
      "  geometry:\n    - everywhere: c\n"
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [64 nm, 64 nm, 64 nm], type: m}\n"
      "  reactions: [{reaction: A -> B, rate: 1 /s, in: m}]\n"
      "  initial: [{species: A, count: 128, in: c}]\n");
  EXPECT_DOUBLE_EQ(expectedDensities(model)[2], 128.0 / 64);
  EXPECT_DOUBLE_EQ(expectedDensities(model)[1], 128.0 / 448);  // initial sites of A
}

TEST(Capacity, countsProductsOfChainsOfReactions) {
  // A becomes B, which becomes C, independent of the order of the reactions.
  const Model model = modelWith(
      "  site types: [c, m]\n  species: {A: 1 um2/s, B: 1 um2/s, C: {m: 1 um2/s}}\n"
      "  geometry:\n    - everywhere: c\n"
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [64 nm, 64 nm, 64 nm], type: m}\n"
      "  reactions:\n    - {reaction: B -> C, rate: 1 /s, in: m}\n"
      "    - {reaction: A -> B, rate: 1 /s, in: m}\n"
      "  initial: [{species: A, count: 128, in: c}]\n");
  EXPECT_DOUBLE_EQ(expectedDensities(model)[2], 128.0 / 64);
}

TEST(Capacity, givenIsUsedWithAWarning) {
  const auto model = [](const std::string& count) {
    return testing::withA("  initial: [{species: A, count: " + count + "}]\n  capacity: 4\n");
  };
  EXPECT_EQ(model("10").capacity, 4);
  EXPECT_TRUE(model("10").capacityGiven);
  EXPECT_TRUE(model("10").warnings.empty());
  ASSERT_EQ(model("512").warnings.size(), 1U);
  EXPECT_TRUE(
      contains(model("512").warnings[0], "sites a step have more particles than the capacity, 4"));
  EXPECT_TRUE(contains(model("512").warnings[0],
                       "each site stores 32, and those beyond the first 8 take more time; more "
                       "particles end the run"));
}

TEST(Capacity, givenTooSmallForSomeSitesIsAWarning) {
  // 20 in the mean: 512 P(X > 32) = 2.42, and the bound is a little above.
  const std::string start = "  initial: [{species: A, count: 10240}]\n  capacity: ";
  const Model model = testing::withA(start + "20\n");
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_TRUE(
      contains(model.warnings[0],
               "about 2.54 sites a step exceed that, which ends the run: set the capacity to "
               "256"))
      << model.warnings[0];
  EXPECT_TRUE(testing::withA(start + "256\n").warnings.empty());
}

TEST(Capacity, tooSmallForInitialParticlesIsRejected) {
  EXPECT_EQ(testing::errorWithA("  capacity: 2\n  initial:\n    - {species: A, count: 1000}\n"
                                "    - {species: A, count: 25}\n"),
            "test.yaml:6: 'model.initial[1]': 1025 particles do not fit into the 512 sites of "
            "inside, which hold 2 each: increase the capacity, or reduce the particles");
  EXPECT_NO_THROW(testing::withA("  capacity: 2\n  initial: [{species: A, count: 1024}]\n"));
  std::string many = "  capacity: 256\n  initial:\n";
  for (int i = 0; i < 1100; ++i) many += "    - {species: A, count: 9007199254740991}\n";
  EXPECT_TRUE(contains(testing::errorWithA(many), "particles do not fit into the 512 sites"));
}

TEST(Capacity, isAtMost256) {
  EXPECT_EQ(testing::withA("  capacity: 256\n").capacity, 256);
  for (const std::string capacity : {"0", "257"}) {
    EXPECT_EQ(testing::errorWithA("  capacity: " + capacity + "\n"),
              "test.yaml:4: 'model.capacity' = " + capacity + ": a site holds 1 to 256 particles");
  }
}

TEST(Capacity, isExceededByTooManyInitialParticles) {
  // A mean of 200 fits 512 sites of 256 particles, a mean of 215 does not.
  EXPECT_NO_THROW(testing::withA("  initial: [{species: A, count: 102400}]\n"));
  EXPECT_EQ(
      testing::errorWithA("  initial: [{species: A, count: 110080}]\n"),
      "test.yaml:4: 'model.initial[1].count' = 110080: sites of 'inside' have up to 215 "
      "particles in the mean, and some of them more than the 256 that a site can hold: reduce "
      "these particles, or add sites");
}

TEST(Capacity, thatIsExceededNamesTheLargestContribution) {
  const std::string before =
      "  site types: [c, m, none]\n  species: {A: {c: 1 um2/s, m: 1 um2/s}, B: {m: 1 um2/s}}\n"
      "  geometry:\n    - everywhere: c\n"
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [64 nm, 64 nm, 64 nm], type: m}\n"
      "  initial:\n    - {species: A, count: 20480}\n    - {species: B, ";
  EXPECT_NO_THROW(modelWith(before + "count: 640}\n"));
  // 40 of A in every site, and 1000 of B in the 64 of m.
  EXPECT_TRUE(contains(errorWith(before + "count: 64000}\n"),
                       "test.yaml:10: 'model.initial[2].count' = 64000: sites of 'm' have up to "
                       "1040 particles"));
  // 2467 in a site of 16 nm.
  EXPECT_TRUE(contains(errorWith(before + "concentration: 1 M}\n"),
                       "test.yaml:10: 'model.initial[2].concentration' = 1 M: sites of 'm' have"));
}

TEST(Capacity, ofGrowingReactionsIsAWarning) {
  const Model grows = testing::withA("  reactions: [{reaction: -> A, rate: 1 uM/s}]\n");
  ASSERT_EQ(grows.warnings.size(), 1U);
  EXPECT_TRUE(contains(grows.warnings[0], "each site stores 32; in a full site such"));
  EXPECT_TRUE(contains(grows.warnings[0], "to store more, set 'capacity: 256'"));
  EXPECT_EQ(testing::withA("  reactions: [{reaction: A -> 2 A, rate: 1 /s}]\n").warnings.size(),
            1U);
  for (const std::string reaction : {"A ->, rate: 1 /s", "A -> 2 A, rate: 0 /s"}) {
    const std::string yaml = "  reactions: [{reaction: " + reaction + "}]\n";
    EXPECT_TRUE(testing::withA(yaml).warnings.empty()) << reaction;
  }
}

TEST(Capacity, isAtLeastTheNumberOfProducts) {
  const std::string seven =
      "  species: {A: 1 um2/s, B: 1 um2/s}\n"
      "  reactions: [{reaction: A -> 7 B, rate: 1 /s}]\n";
  EXPECT_EQ(modelWith(seven).capacity, 7);
  EXPECT_EQ(modelWith(seven + "  capacity: 7\n").capacity, 7);
  std::string never = seven;
  never.replace(never.find("1 /s"), 4, "0 /s");
  EXPECT_EQ(modelWith(never + "  capacity: 6\n").capacity, 6);
  EXPECT_EQ(errorWith(seven + "  capacity: 6\n"),
            "test.yaml:5: 'model.capacity' = 6: A -> 7 B has 7 products in one site: give at "
            "least this capacity");
}

TEST(Capacity, countsTheGrowthByReactions) {
  // 512 in 512 sites become 3584 of B, 7 in the mean: 512 P(X > 18) = 0.0665, 512 P(X > 17)
  // = 0.185.
  const std::string some =
      "  species: {A: 1 um2/s, B: 1 um2/s}\n"
      "  reactions: [{reaction: A -> 7 B, rate: 1 /s}]\n  initial: [{species: A, count: 512}]\n";
  EXPECT_EQ(modelWith(some).capacity, 18);
  EXPECT_TRUE(modelWith(some).warnings.empty());
  const Model given = modelWith(some + "  capacity: 8\n");
  ASSERT_EQ(given.warnings.size(), 1U);
  EXPECT_EQ(given.warnings[0].rfind("test.yaml:6: 'model.capacity': about ", 0), 0U)
      << given.warnings[0];
  EXPECT_TRUE(contains(given.warnings[0],
                       "sites a step have more particles than the capacity, 8, if particles "
                       "concentrate and multiply as far as reactions allow"))
      << given.warnings[0];
}

TEST(Capacity, thatReactionsExceedIsAWarning) {
  // A mean of 60 initially, and of 420 B after reactions, which the second reaction may consume.
  const Model model = modelWith(
      "  species: {A: 1 um2/s, B: 1 um2/s}\n"
      "  reactions:\n    - {reaction: A -> 7 B, rate: 1 /s}\n    - {reaction: B ->, rate: 9 /s}\n"
      "  initial: [{species: A, count: 30720}]\n");
  EXPECT_EQ(model.capacity, 256);
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_TRUE(contains(model.warnings[0], "about 512 sites a step have more particles"));
}

TEST(ParticleBounds, boundTheParticlesThatOneBecomes) {
  const auto bounds = [](const std::string& reactions) {
    const Model model = modelWith(
        "  species: {A: 1 um2/s, B: 1 um2/s, C: 1 um2/s, D: 1 um2/s}\n  reactions:\n" + reactions);
    return particleBounds(model).value_or(std::vector<double>{});
  };
  const auto reaction = [](const std::string& text, const std::string& rate = "1 /s") {
    return "    - {reaction: " + text + ", rate: " + rate + "}\n";
  };
  using Bounds = std::vector<double>;
  const std::string slow = "1 /M/s";
  EXPECT_EQ(bounds(reaction("A -> B")), (Bounds{1, 1, 1, 1}));
  EXPECT_EQ(bounds(reaction("A -> 7 B")), (Bounds{7, 1, 1, 1}));
  EXPECT_EQ(bounds(reaction("A -> 7 B", "0 /s")), (Bounds{1, 1, 1, 1}));
  EXPECT_EQ(bounds(reaction("A -> 2 B") + reaction("B -> 3 C + D")), (Bounds{8, 4, 1, 1}));
  EXPECT_EQ(bounds(reaction("A + B <-> C", "[1 /M/s, 1 /s]")), (Bounds{1, 1, 2, 1}));
  EXPECT_EQ(bounds(reaction("A + B -> 3 C", slow)), (Bounds{1.5, 1.5, 1, 1}));
  EXPECT_EQ(bounds(reaction("2 A -> 3 C", slow)), (Bounds{1.5, 1, 1, 1}));
  EXPECT_EQ(bounds(reaction("A + B -> 3 C + B", slow)), (Bounds{3, 1, 1, 1})) << "B stays";
}

TEST(ParticleBounds, doNotExistForUnlimitedGrowth) {
  const auto isEndless = [](const std::string& reactions) {
    return !particleBounds(
        modelWith("  species: {A: 1 um2/s, B: 1 um2/s}\n  reactions:\n" + reactions));
  };
  EXPECT_TRUE(isEndless("    - {reaction: -> A, rate: 1 uM/s}\n"));
  EXPECT_TRUE(isEndless("    - {reaction: A -> 2 A, rate: 1 /s}\n"));
  EXPECT_TRUE(
      isEndless("    - {reaction: A -> 2 B, rate: 1 /s}\n"
                "    - {reaction: B -> A, rate: 1 /s}\n"));
  EXPECT_FALSE(
      isEndless("    - {reaction: A + B -> 2 B, rate: 1 /M/s}\n"
                "    - {reaction: B -> A, rate: 1 /s}\n"));
}

TEST(Reactions, inTypesWithoutSitesAreAWarning) {
  const Model model = modelWith(
      "  site types: [c, m]\n  species: {A: 1 um2/s}\n  geometry: [everywhere: c]\n"
      "  reactions: [{reaction: A ->, rate: 1 /s, in: m}]\n");
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_EQ(model.warnings[0], "A -> never happens in 'm': no site has this type");
  // The reaction happens in c.
  const Model both = modelWith(
      "  site types: [c, m]\n  species: {A: 1 um2/s}\n  geometry: [everywhere: c]\n"
      "  reactions: [{reaction: A ->, rate: 1 /s}]\n");
  EXPECT_EQ(both.warnings, model.warnings);
  const Model bare = modelWith(
      "  site types: [c, m]\n  species: {A: 1 um2/s}\n  geometry: [everywhere: c]\n"
      "  areas: {m: 1 um2}\n  reactions: [{reaction: A ->, rate: 1 um/s, in: m}]\n");
  EXPECT_EQ(bare.channels[0].propensity, 0);
}

TEST(Membrane, ofSeveralComponentsIsAWarning) {
  const auto model = [](const std::string& neighbors, const std::string& where) {
    return Model::parse(
        "model:\n  lattice: {sites: [16, 16, 16], spacing: 16 nm, timestep: 50 us}\n"
        "  site types: [c, m]\n  species: {A: 1 um2/s, B: {" +
            where +
            "}}\n"
            "  geometry: [sphere: {diameter: 208 nm, type: c, shell: m, neighbors: " +
            neighbors + "}]\n",
        "test.yaml");
  };
  EXPECT_TRUE(model("26", "m: 1 um2/s").warnings.empty());
  const Model broken = model("6", "m: 1 um2/s");
  ASSERT_EQ(broken.warnings.size(), 1U);
  EXPECT_TRUE(contains(broken.warnings[0], "'m' has "));
  EXPECT_TRUE(
      contains(broken.warnings[0],
               "components connected by faces (1 by faces, edges and corners), and B can only"));
  // No warning if B does not move there, or can leave it.
  EXPECT_TRUE(model("6", "m: 0 um2/s").warnings.empty());
  EXPECT_TRUE(model("6", "m: 1 um2/s, c: 1 um2/s").warnings.empty());
}

TEST(Membrane, ofSeveralTypesIsCheckedAsOne) {
  // A shell of two types; B steps between them, or stays in each.
  const auto warnings = [](const std::string& neighbors, const std::string& between) {
    return Model::parse(
               "model:\n  lattice: {sites: [16, 16, 16], spacing: 16 nm, timestep: 50 us}\n"
               "  site types: [c, m, n, none]\n  species: {B: {m: 1 um2/s, n: 1 um2/s" +
                   between +
                   "}}\n"
                   "  geometry:\n    - sphere: {diameter: 208 nm, type: c, shell: m, neighbors: " +
                   neighbors +
                   "}\n    - obstacles: {type: n, in: m, crowding: 0.5}\n  areas: {m: 1 um2}\n",
               "test.yaml")
        .warnings;
  };
  EXPECT_TRUE(warnings("26", "").empty()) << warnings("26", "")[0];
  ASSERT_EQ(warnings("6", "").size(), 1U);
  EXPECT_TRUE(contains(warnings("6", "")[0], "'m', 'n' together have "));
  const auto apart = warnings("26", ", between: {m <-> n: 0 um2/s}");
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_TRUE(contains(apart[0] + apart[1], "'m' has "));
  EXPECT_TRUE(contains(apart[0] + apart[1], "'n' has "));
}

}  // namespace
}  // namespace rdme

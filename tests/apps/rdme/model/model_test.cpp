// Whole models, and those of the folder settings/.
#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/model/model.hpp>
#include <apps/rdme/setup.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace rdme {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::readBytes;

Model shipped(const std::string& name) {
  return Model::load(std::filesystem::path(MASS_SOURCE_DIR "/settings") / name);
}

TEST(Model, reversesTheOrderOfAxes) {
  const Model model = Model::parse(
      "model:\n  lattice: {sites: [3, 5, 7], spacing: 16 nm, timestep: 50 us, borders: [periodic, "
      "reflecting, reflecting]}\n  species: {A: 1 um2/s}\n",
      "test.yaml");
  EXPECT_EQ(model.sites, (std::array<std::int64_t, 3>{7, 5, 3}));
  EXPECT_EQ(model.periodic, (std::array<bool, 3>{false, false, true}));
  EXPECT_TRUE(contains(model.report(), "borders periodic, reflecting, reflecting\n"));
  EXPECT_EQ(model.siteCount(), 105);
  EXPECT_DOUBLE_EQ(model.spacing, 16e-9);
  EXPECT_DOUBLE_EQ(model.timeStep, 50e-6);
  EXPECT_NEAR(model.siteVolume(), 4.096e-24, 1e-36);
}

TEST(Model, convertsConcentrationsToCounts) {
  // 512 sites of 4.096e-24 m³ at 1 mM = 6.02214076e23 /m³: 1262.9 particles.
  const Model model = testing::withA("  initial: [{species: A, concentration: 1 mM}]\n");
  ASSERT_EQ(model.initial.size(), 1U);
  EXPECT_EQ(model.initial[0].count, 1263);
  EXPECT_EQ(model.initial[0].siteTypes, std::vector<int>{1});
}

TEST(Model, concentrationsThatRoundingChangesAreWarnings) {
  // 512 sites of 100 nm: 0.512 um³, in which 1 nM is 0.308334 particles.
  const auto model = [](const std::string& concentration) {
    return Model::parse(
        "model:\n  lattice: {sites: [8, 8, 8], spacing: 100 nm, timestep: 1 us}\n"
        "  species: {A: 1 um2/s}\n  initial: [{species: A, concentration: " +
            concentration + "}]\n",
        "m.yaml");
  };
  const std::string where = "m.yaml:4: 'model.initial[1].concentration' = ";
  const std::string advice = ": give a 'count', or enlarge the volume";
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(model("1 nM").initial[0].count, 0);
  EXPECT_EQ(model("1 nM").warnings,
            Warnings{where +
                     "1 nM: 0.308 particles in 0.512 um3 are rounded to none, so the "
                     "concentration makes no particle" +
                     advice});
  EXPECT_EQ(model("5 nM").initial[0].count, 2);
  EXPECT_EQ(
      model("5 nM").warnings,
      Warnings{where + "5 nM: 1.54 particles in 0.512 um3 are rounded to 2, 29.7 % more" + advice});
  EXPECT_EQ(
      model("8 nM").warnings,
      Warnings{where + "8 nM: 2.47 particles in 0.512 um3 are rounded to 2, 18.9 % less" + advice});
  EXPECT_TRUE(model("0 M").warnings.empty());
  EXPECT_TRUE(model("1 uM").warnings.empty());
  // 0.512 um³ of 18.56 and 18.54 /um³: 9.50272 and 9.49248 particles, 5.23 % more, 5.19 % less;
  // of 20.7 /um³: 10.5984, 3.79 % more.
  EXPECT_EQ(model("18.56 /um3").warnings.size(), 1U);
  EXPECT_EQ(model("18.54 /um3").warnings.size(), 1U);
  EXPECT_TRUE(model("20.7 /um3").warnings.empty());
}

TEST(Model, readsUnitsAndNamesAsPapersHaveThem) {
  // 1e6 / 6.02214076e26 m³/s, in 1e-21 m³ and 1 us: 1.66053907e-6.
  for (const auto* rate : {"1e6 L/mol/s", "1e6 1/(M s)", "1×10⁶ M⁻¹ s⁻¹", "1 1/uM/s"}) {
    const Model model = Model::parse(
        std::string("model:\n  lattice: {sites: [8, 8, 8], spacing: 100 nm, timestep: 1 us}\n") +
            "  species: {Ca2+: 1 um2/s, CaM: 1 um2/s, CaCaM: 1 um2/s}\n  reactions:\n"
            "    - {reaction: Ca2+ + CaM -> CaCaM, rate: " +
            rate +
            "}\n    - {reaction: CaCaM -> Ca2+ + CaM, rate: 1 1/s}\n"
            "  initial: [{species: Ca2+, concentration: 1 μM}, {species: CaM, count: 200}]\n",
        "m.yaml");
    EXPECT_NEAR(model.channels[0].propensity, 1.66053907e-6, 1e-14) << rate;
    EXPECT_EQ(model.channels[0].reactants, (std::vector<int>{0, 1}));
    EXPECT_DOUBLE_EQ(model.channels[1].propensity, 1e-6);
    EXPECT_EQ(model.initial[0].count, 308);
  }
}

TEST(Model, spreadsParticlesEvenly) {
  const Model model = testing::withA("  initial: [{species: A, count: 1024, spread: evenly}]\n");
  EXPECT_TRUE(model.initial.at(0).isEven);
  EXPECT_TRUE(contains(model.report(), "1024 in inside, the same number in each site"));
  EXPECT_TRUE(
      contains(testing::errorWithA("  initial: [{species: A, count: 1000, spread: evenly}]\n"),
               "1000 particles cannot be spread evenly over 512 sites"));
  EXPECT_TRUE(contains(testing::errorWithA("  initial: [{species: A, count: 5, spread: even}]\n"),
                       "evenly or randomly"));
}

TEST(Model, usesGillespiesMethodByDefault) {
  EXPECT_FALSE(testing::withA("").atMostOneEvent);
  EXPECT_FALSE(testing::withA("  method: gillespie\n").atMostOneEvent);
  EXPECT_TRUE(testing::withA("  method: at-most-one-event\n").atMostOneEvent);
  EXPECT_TRUE(
      contains(testing::errorWithA("  method: tau-leaping\n"), "expected gillespie (any number"));
}

TEST(Model, mistakesAreNamed) {
  const auto expect = [](const std::string& lines, const std::string& message) {
    EXPECT_TRUE(contains(testing::errorWithA(lines), message)) << testing::errorWithA(lines);
  };
  expect("  reaction: []\n", "'model.reaction': there is no such key; did you mean 'reactions'?");
  expect("  site types: [a, a]\n", "this type is listed twice");
  expect("  site types: [outside]\n", "every model has this type");
  expect("  site types: []\n", "expected at least one site type");
  expect("  initial: [{species: B, count: 1}]\n", "there is no species 'B'");
  expect("  initial: [{species: A, count: -1}]\n", "at least 0 particles");
  expect("  initial: [{species: A}]\n", "give either 'count' or 'concentration'");
  expect("  initial: [{species: A, count: 1, concentration: 1 uM}]\n", "give either");
  expect("  initial: [{species: A, concentration: 1}]\n",
         "give a concentration in M, mM, uM, nM or /um3");
  expect("  initial: [{species: A, count: 1, in: membrane}]\n", "there is no site type 'membrane'");
  EXPECT_TRUE(
      contains(testing::errorWith("  site types: [c, m]\n  species: {A: {c: 1 um2/s}}\n  geometry: "
                                  "[everywhere: c]\n  initial: [{species: A, count: 1, in: m}]\n"),
               "'model.initial[1].in' = m: A may not be in 'm'"));
  EXPECT_TRUE(
      contains(testing::errorWith("  site types: [c, m]\n  species: {A: 1 um2/s}\n  geometry: "
                                  "[everywhere: c]\n  initial: [{species: A, count: 1, in: m}]\n"),
               "no site has a type that these particles are placed in"));
  EXPECT_TRUE(
      contains(testing::errorWith(
                   "  site types: [c, m]\n  species: {A: 1 um2/s}\n  geometry: [everywhere: c]\n"
                   "  initial: [{species: A, concentration: 1 uM, in: m}]\n"),
               "no site has a type that these particles are placed in"));
}

TEST(Model, latticeMistakesAreNamed) {
  const auto error = [](const std::string& lattice) {
    return messageOf<mass::SettingsError>([&] {
      Model::parse("model:\n  lattice: {" + lattice + "}\n  species: {A: 1 um2/s}\n", "test.yaml");
    });
  };
  const std::string rest = ", spacing: 16 nm, timestep: 50 us";
  EXPECT_TRUE(contains(error("sites: [8, 8]" + rest), "expected three numbers"));
  EXPECT_TRUE(contains(error("sites: [8, 8, 0]" + rest), "at least one site along each axis"));
  EXPECT_TRUE(contains(error("sites: [8, 8, 1e-3]" + rest), "expected an integer, got 1e-3"));
  EXPECT_TRUE(contains(error("sites: [16384, 16384, 16384]" + rest), "at most 2^40 sites"));
  EXPECT_TRUE(contains(error("sites: [8, 8, 8], spacing: 16, timestep: 50 us"),
                       "test.yaml:2: 'model.lattice.spacing' = 16: the unit is missing"));
  for (const auto* spacing : {"1e-4 nm", "2 m"}) {
    EXPECT_TRUE(
        contains(error(fmt::format("sites: [8, 8, 8], spacing: {}, timestep: 50 us", spacing)),
                 "the edge of a site, 1e-12 m to 1 m"));
  }
  EXPECT_TRUE(contains(error("sites: [8, 8, 8], spacing: 16 nm"), "'timestep' is missing"));
  EXPECT_TRUE(contains(error("sites: [8, 8, 8], spacing: 16 nm, timestep: 0 us"), "above 0"));
  for (const std::string step : {"1e-300", "1e290"}) {
    EXPECT_TRUE(contains(error("sites: [8, 8, 8], spacing: 16 nm, timestep: " + step + " s"),
                         "the length of a step, 1e-18 s to 1e9 s"));
  }
  EXPECT_TRUE(contains(error("sites: [8, 8, 8], borders: open" + rest), "periodic or reflecting"));
  EXPECT_TRUE(contains(error("sites: [8, 8, 8], borders: [periodic]" + rest), "or three"));
  EXPECT_TRUE(contains(messageOf<mass::SettingsError>([] { Model::parse("seed: 1", "x.yaml"); }),
                       "x.yaml: 'model': the key 'lattice' is missing"));
}

TEST(Min, isThatOfThePaper) {
  const Model min = shipped("min.yaml");
  EXPECT_EQ(min.name, "min");
  EXPECT_EQ(min.sites, (std::array<std::int64_t, 3>{256, 64, 64}));
  EXPECT_EQ(min.species,
            (std::vector<std::string>{"MinDATP", "MinDADP", "MinE", "MinDm", "MinDE"}));
  EXPECT_EQ(min.siteTypes, (std::vector<std::string>{"outside", "cytoplasm", "membrane"}));
  EXPECT_EQ(min.siteCounts[2], 63424);
  EXPECT_EQ(min.siteCounts[1], 640440);
  // The cell: 2.879793 um³ of 4.096e-6 um³ each are 703074 sites.
  EXPECT_NEAR(static_cast<double>(min.siteCounts[1] + min.siteCounts[2]) / 703074, 1, 0.002);
  EXPECT_NEAR(min.areas[2] * 1e12, 12.566371, 1e-6);
  // q = 2.5e-12 * 50e-6 / 2.56e-16 = 0.48828125 for dissolved species, 0.001953125 for bound ones.
  for (int species = 0; species < 3; ++species)
    for (int from = 1; from <= 2; ++from)
      for (int to = 1; to <= 2; ++to)
        EXPECT_NEAR(min.hopProbability(from, to, species), 0.48828125, 1e-12);
  for (int species = 3; species < 5; ++species) {
    EXPECT_NEAR(min.hopProbability(2, 2, species), 0.001953125, 1e-12);
    EXPECT_EQ(min.hopProbability(2, 1, species), 0);
    EXPECT_FALSE(min.isAllowed(species, 1));
  }
  ASSERT_EQ(min.channels.size(), 6U);  // MinD exchanges ADP for ATP in both site types
  const double expected[] = {3.0232666e-5, 0.18243227, 1.12702603, 3.5e-5, 2.5e-5, 2.5e-5};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(min.channels[i].propensity / expected[i], 1, 1e-6) << min.channels[i].text;
    EXPECT_EQ(min.channels[i].siteType, i == 4 ? 1 : 2);
  }
  ASSERT_EQ(min.initial.size(), 3U);
  EXPECT_EQ(min.initial[0].count + min.initial[1].count + min.initial[2].count, 4430);
  EXPECT_EQ(min.warnings.size(), 2U);
  EXPECT_TRUE(contains(min.report(), "ACCEPTED BY THE SETTINGS: MinE + MinDm in 'membrane'"));
}

TEST(Min, isRejectedWithoutAccept) {
  std::string yaml = readBytes(MASS_SOURCE_DIR "/settings/min.yaml");
  const auto at = yaml.find("  accept:");
  ASSERT_NE(at, std::string::npos);
  yaml.erase(at, yaml.find('\n', at) - at);
  EXPECT_TRUE(contains(messageOf<mass::SettingsError>([&] { Model::parse(yaml, "min.yaml"); }),
                       "MinE + MinDm in 'membrane': propensity 1.127 a pair and step, above 1"));
}

TEST(Min, hasAMembraneOf844ComponentsByFaces) {
  // Published number for a shell by 6 neighbours; a shell by 26 neighbours is connected.
  std::string yaml = readBytes(MASS_SOURCE_DIR "/settings/min.yaml");
  const std::string shell = "shell: membrane";
  yaml.insert(yaml.find(shell) + shell.size(), ", neighbors: 6");
  const Model min = Model::parse(yaml, "min.yaml");
  EXPECT_TRUE(contains(min.report(), "'membrane' has 844 components connected by faces (1 by"));
  EXPECT_FALSE(contains(shipped("min.yaml").report(), "components"));
}

TEST(Min, isValidAtAFinerTimeStep) {
  const Model fine = shipped("min-fine.yaml");
  EXPECT_NEAR(fine.channels[2].propensity, 1.12702603 / 5, 1e-7);
  EXPECT_NEAR(fine.hopProbability(1, 1, 0), 0.09765625, 1e-12);
  EXPECT_EQ(fine.types, shipped("min.yaml").types);
}

TEST(Min, at32NanometresHasTheSameCell) {
  const Model coarse = shipped("rdme.yaml");
  EXPECT_EQ(coarse.sites, (std::array<std::int64_t, 3>{128, 32, 32}));
  EXPECT_EQ(coarse.siteCounts[2], 15840);
  // 2.879793 um³ of 3.2768e-5 um³ each: 87884 sites.
  EXPECT_NEAR(static_cast<double>(coarse.siteCounts[1] + coarse.siteCounts[2]) / 87884, 1, 0.01);
  EXPECT_NEAR(coarse.areas[2] * 1e12, 12.566371, 1e-6);
  EXPECT_NEAR(coarse.channels[2].propensity, 1.12702603 / 8, 1e-7);
}

TEST(Benchmark, isThatOfThePaper) {
  const Model abcd = shipped("rdme-abcd.yaml");
  EXPECT_EQ(abcd.siteCount(), 64 * 64 * 128);
  EXPECT_TRUE(abcd.types.empty());
  EXPECT_EQ(abcd.periodic, (std::array<bool, 3>{true, true, true}));
  ASSERT_EQ(abcd.channels.size(), 4U);
  EXPECT_NEAR(abcd.channels[0].propensity, 5e-5, 1e-18);
  // 1e-11 /M/s at 16 nm and 50 us: 1e-11 / 2466.6689 * 50e-6.
  EXPECT_NEAR(abcd.channels[2].propensity, 2.0270252e-19, 1e-25);
  EXPECT_EQ(abcd.initial[0].count + abcd.initial[1].count, 40000);
  EXPECT_NEAR(abcd.hopProbability(1, 1, 0), 0.1953125, 1e-12);
}

TEST(Benchmark, barrierIsInTheMiddle) {
  const Model barrier = shipped("barrier.yaml");
  const std::int64_t plane = 128 * 128;
  EXPECT_EQ(barrier.siteCounts,
            (std::vector<std::int64_t>{0, 64 * plane, 176 * plane, 16 * plane}));
  const auto typeOf = [&](std::int64_t z) {
    return int{barrier.types[static_cast<std::size_t>(z * plane)]};
  };
  EXPECT_EQ(typeOf(63), 1);
  EXPECT_EQ(typeOf(64), 2);
  EXPECT_EQ(typeOf(119), 2);
  EXPECT_EQ(typeOf(120), 3);
  EXPECT_EQ(typeOf(135), 3);
  EXPECT_EQ(typeOf(136), 2);
  EXPECT_NEAR(barrier.hopProbability(2, 3, 0), 0.01953125, 1e-12);
  EXPECT_NEAR(barrier.hopProbability(1, 2, 0), 0.1953125, 1e-12);
  EXPECT_EQ(barrier.capacity, 7);
}

TEST(Report, showsQuantitiesAndTheirConversions) {
  const std::string report = shipped("min.yaml").report();
  for (const auto* line :
       {"64 x 64 x 256 sites along x, y, z of 16 nm", "50 us; any number of reactions",
        "640440 sites, 2.62324 um3", "surface 12.5664 um2", "membrane 0.01 -> 0.001953",
        "0.0125 um/s -> 3.02327e-05 a particle", "5.56e7 /M/s -> 1.12703 a pair",
        "914 in cytoplasm"})
    EXPECT_TRUE(contains(report, line));
}

TEST(Report, showsDiffusionBetweenTypesThatIsSet) {
  const std::string report =
      testing::modelWith(
          "  site types: [c, m]\n  species:\n    A: {c: 2.56 um2/s, m: 1.28 um2/s}\n"
          "    B: {c: 2.56 um2/s, m: 1.28 um2/s, between: {c -> m: 0 um2/s}}\n")
          .report();
  EXPECT_TRUE(contains(report, "A            c 2.56 -> 0.5, m 1.28 -> 0.25\n"));
  EXPECT_TRUE(contains(report, "B            c 2.56 -> 0.5, c to m 0 -> 0, m 1.28 -> 0.25\n"));
}

TEST(Settings, printsTheModelBack) {
  for (const auto* name :
       {"min.yaml", "min-fine.yaml", "rdme.yaml", "rdme-abcd.yaml", "barrier.yaml"}) {
    const auto settings =
        mass::Settings::load(std::filesystem::path(MASS_SOURCE_DIR "/settings") / name, schema());
    const auto again = mass::Settings::parse(settings.print(), "again.yaml", schema());
    EXPECT_TRUE(again.differences(settings).empty()) << name;
    EXPECT_EQ(Model::fromSettings(again).siteCounts, Model::fromSettings(settings).siteCounts);
  }
}

}  // namespace
}  // namespace rdme

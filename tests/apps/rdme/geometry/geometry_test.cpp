// The key `geometry` of a model.
#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/model/quantity.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace rdme {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

constexpr const char* types = "  site types: [c, m, o]\n  species: {A: 1 um2/s}\n";

Model withGeometry(const std::string& geometry) {
  return testing::modelWith(types + ("  geometry:\n" + geometry));
}

std::string errorOf(const std::string& geometry) {
  return messageOf<mass::SettingsError>([&] { withGeometry(geometry); });
}

TEST(Geometry, withoutTheKeyEverySiteHasTypeOne) {
  const Model model = testing::withA("");
  EXPECT_TRUE(model.types.empty());
  EXPECT_EQ(model.siteCounts, (std::vector<std::int64_t>{0, 512}));
  EXPECT_EQ(model.siteTypes, (std::vector<std::string>{"outside", "inside"}));
}

TEST(Geometry, laterShapesOverwriteEarlierOnes) {
  // 8 x 8 x 8 sites of 16 nm: 0.128 um. The second box has 4 x 2 x 8 sites along x, y, z.
  const Model model = withGeometry(
      "    - everywhere: c\n"
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [64 nm, 32 nm, 0.128 um], type: m}\n"
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [16 nm, 16 nm, 16 nm], type: outside}\n");
  EXPECT_EQ(model.siteCounts, (std::vector<std::int64_t>{1, 512 - 64, 63, 0}));
  const auto typeAt = [&](std::size_t z, std::size_t y, std::size_t x) {
    return int{model.types[(z * 8 + y) * 8 + x]};
  };
  EXPECT_EQ(typeAt(0, 0, 0), 0);
  EXPECT_EQ(typeAt(7, 0, 3), 2);  // x is the fastest axis; the box ends at 64 nm
  EXPECT_EQ(typeAt(7, 0, 4), 1);
  EXPECT_EQ(typeAt(7, 1, 3), 2);
  EXPECT_EQ(typeAt(7, 2, 3), 1);
}

TEST(Geometry, shellsHaveTheTrueAreaOfTheirShape) {
  // pi (96 nm)² = 0.0289529 um².
  const Model ball = withGeometry("    - sphere: {diameter: 96 nm, type: c, shell: m}\n");
  EXPECT_NEAR(ball.areas[2] * 1e12, 0.0289529, 1e-7);
  EXPECT_GT(ball.siteCounts[1], 0);
  EXPECT_GT(ball.siteCounts[2], ball.siteCounts[1]);
  EXPECT_EQ(ball.areas[1], 0);
  // A cylinder that spans the lattice along x: pi 96 * 128 + pi 96²/2 nm².
  const std::string pipe = "    - cylinder: {length: 128 nm, diameter: 96 nm, axis: x, type: c, ";
  EXPECT_NEAR(withGeometry(pipe + "shell: m}\n").areas[2] * 1e18,
              std::numbers::pi * (96 * 128 + 96 * 96 / 2), 1e-6);
  const Model thick = withGeometry(pipe + "shell: m, thickness: 2}\n");
  const Model thin = withGeometry(pipe + "shell: m}\n");
  EXPECT_EQ(thick.siteCounts[0], thin.siteCounts[0]);
  EXPECT_GT(thick.siteCounts[2], thin.siteCounts[2]);
}

TEST(Geometry, pipesAlongAPeriodicAxisHaveNoEnds) {
  const auto yaml =
      std::string("model:\n  lattice: {sites: [8, 8, 8], spacing: 16 nm, timestep: ") +
      "50 us, borders: [periodic, reflecting, reflecting]}\n" + types +
      "  geometry:\n    - cylinder: {length: 128 nm, diameter: 96 nm, axis: x, type: "
      "c, shell: m}\n";
  const Model pipe = Model::parse(yaml, "pipe.yaml");
  EXPECT_NEAR(pipe.areas[2] * 1e18, std::numbers::pi * 96 * 128, 1e-6);
  EXPECT_TRUE(pipe.periodic[2] && !pipe.periodic[0] && !pipe.periodic[1]);
  for (std::size_t x = 0; x < 8; ++x)  // all cross-sections are equal
    EXPECT_EQ(int{pipe.types[(4 * 8 + 4) * 8 + x]}, 1);
}

TEST(Geometry, pipesThatEndBeforeAPeriodicBorderHaveEnds) {
  const auto area = [](const std::string& length) {
    const auto yaml = std::string("model:\n  lattice: {sites: [8, 8, 8], spacing: 16 nm, ") +
                      "timestep: 50 us, borders: periodic}\n" + types +
                      "  geometry:\n    - cylinder: {length: " + length +
                      ", diameter: 96 nm, axis: x, type: c, shell: m}\n";
    return Model::parse(yaml, "pipe.yaml").areas[2] * 1e18;
  };
  EXPECT_NEAR(area("128 nm"), std::numbers::pi * 96 * 128, 1e-6);
  EXPECT_NEAR(area("120 nm"), std::numbers::pi * (96 * 120 + 96 * 96 / 2), 1e-6);
}

/// Returns a model of 8 x 8 x 8 sites of 16 nm with a body in it.
/// @param borders value of the key `borders`
Model within(const std::string& borders, const std::string& body) {
  return Model::parse(
      "model:\n  lattice: {sites: [8, 8, 8], spacing: 16 nm, timestep: 50 us, borders: " + borders +
          "}\n" + types + "  geometry: [" + body + "]\n",
      "round.yaml");
}

/// Returns the types of a model moved round the periodic lattice by some sites along x, y, z.
std::vector<std::uint8_t> shifted(const Model& model, std::size_t x, std::size_t y, std::size_t z) {
  std::vector<std::uint8_t> moved(512);
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t j = 0; j < 8; ++j)
      for (std::size_t i = 0; i < 8; ++i)
        moved[((k + z) % 8 * 8 + (j + y) % 8) * 8 + (i + x) % 8] = model.types[(k * 8 + j) * 8 + i];
  return moved;
}

TEST(Geometry, bodiesGoRoundPeriodicBorders) {
  // Each body in the middle, and the same body moved by (dx, dy, dz) sites of 16 nm.
  const std::vector<std::string> bodies{
      "sphere: {diameter: 96 nm, type: c, shell: m, center: [@]}",
      "sphere: {diameter: 128 nm, type: c, shell: m, center: [@]}",
      "sphere: {diameter: 120 nm, type: c, shell: m, thickness: 2, center: [@]}",
      "sphere: {diameter: 112 nm, type: c, shell: m, neighbors: 6, center: [@]}",
      "capsule: {length: 128 nm, diameter: 64 nm, axis: x, type: c, shell: m, center: [@]}",
      "capsule: {length: 96 nm, diameter: 64 nm, axis: y, type: c, center: [@]}",
      "cylinder: {length: 128 nm, diameter: 80 nm, axis: z, type: c, shell: m, center: [@]}",
      "cylinder: {length: 64 nm, diameter: 96 nm, axis: x, type: c, shell: m, center: [@]}",
      "cylinder: {length: 120 nm, diameter: 128 nm, axis: y, type: c, shell: m, center: [@]}"};
  for (const std::string& body : bodies) {
    const auto at = [&](std::string text, int x, int y, int z) {
      return text.replace(
          text.find('@'), 1,
          fmt::format("{} nm, {} nm, {} nm", 64 + 16 * x, 64 + 16 * y, 64 + 16 * z));
    };
    const Model middle = within("periodic", at(body, 0, 0, 0));
    for (const auto& [x, y, z] : std::vector<std::array<int, 3>>{
             {4, 4, 4}, {-4, -4, -4}, {3, 0, 0}, {0, -3, 0}, {0, 0, 2}, {4, -1, 7}, {-12, 12, 0}}) {
      const Model moved = within("periodic", at(body, x, y, z));
      const auto steps = [](int sites) { return static_cast<std::size_t>(sites + 16) % 8; };
      EXPECT_EQ(moved.types, shifted(middle, steps(x), steps(y), steps(z))) << at(body, x, y, z);
      EXPECT_NEAR(moved.areas[2] * 1e12, middle.areas[2] * 1e12, 1e-12) << body;
    }
  }
}

TEST(Geometry, boxesGoRoundPeriodicBorders) {
  const auto box = [](const std::string& from, const std::string& to) {
    return within("periodic", "box: {from: [" + from + "], to: [" + to + "], type: c, shell: m}");
  };
  const Model middle = box("32 nm, 16 nm, 48 nm", "112 nm, 80 nm, 112 nm");
  EXPECT_EQ(middle.siteCounts, (std::vector<std::int64_t>{512 - 80, 3 * 2 * 2, 80 - 12, 0}));
  EXPECT_EQ(box("96 nm, 80 nm, 112 nm", "176 nm, 144 nm, 176 nm").types, shifted(middle, 4, 4, 4));
  EXPECT_EQ(box("-32 nm, -48 nm, -16 nm", "48 nm, 16 nm, 48 nm").types, shifted(middle, 4, 4, 4));
  // It spans x from a half site on: no ends along x.
  const Model slab = box("40 nm, 16 nm, 112 nm", "168 nm, 80 nm, 160 nm");
  EXPECT_EQ(slab.siteCounts, (std::vector<std::int64_t>{512 - 96, 8 * 2 * 1, 96 - 16, 0}));
  EXPECT_NEAR(slab.areas[2] * 1e18, 2 * 128 * (64 + 48), 1e-6);
  const Model all = box("-64 nm, 8 nm, 0 nm", "64 nm, 136 nm, 128 nm");
  EXPECT_EQ(all.siteCounts, (std::vector<std::int64_t>{0, 512, 0, 0}));
}

TEST(Geometry, aSphereAtAPeriodicCornerLosesNoSite) {
  const std::string sphere = "sphere: {diameter: 96 nm, type: c, center: [";
  EXPECT_EQ(within("periodic", sphere + "64 nm, 64 nm, 64 nm]}").siteCounts[1], 136);
  EXPECT_EQ(within("periodic", sphere + "0 nm, 0 nm, 0 nm]}").siteCounts[1], 136);
  EXPECT_EQ(within("periodic", sphere + "128 nm, 128 nm, 128 nm]}").siteCounts[1], 136);
  // Across one periodic border; the other axes reflect.
  const std::string alongX = "[periodic, reflecting, reflecting]";
  EXPECT_EQ(within(alongX, sphere + "0 nm, 64 nm, 64 nm]}").siteCounts[1], 136);
  EXPECT_TRUE(contains(
      messageOf<mass::SettingsError>([&] { within(alongX, sphere + "64 nm, 0 nm, 64 nm]}"); }),
      "it extends from -0.048 to 0.048 um along y, beyond the lattice"));
}

TEST(Geometry, bodiesOverlapThemselvesInNoPeriodicLattice) {
  const auto error = [](const std::string& body) {
    return messageOf<mass::SettingsError>([&] { within("periodic", body); });
  };
  EXPECT_EQ(error("sphere: {diameter: 129 nm, type: c}"),
            "round.yaml:5: 'model.geometry[1].sphere': it extends over 0.129 um along z, more than "
            "the periodic lattice, 0.128 um, so it would overlap itself: reduce it or enlarge the "
            "lattice");
  EXPECT_TRUE(contains(error("cylinder: {length: 200 nm, diameter: 64 nm, axis: x, type: c}"),
                       "over 0.2 um along x"));
  EXPECT_TRUE(contains(error("sphere: {diameter: 64 nm, type: c, center: [64 nm, 1 um, 64 nm]}"),
                       "its center, 1 um along y, is more than one period outside"));
  EXPECT_TRUE(contains(error("sphere: {diameter: 64 nm, type: c, center: [1e300 m, 0 m, 0 m]}"),
                       "is more than one period outside"));
  EXPECT_TRUE(contains(error("box: {from: [96 nm, 0 nm, 0 nm], to: [32 nm, 9 nm, 9 nm], type: c}"),
                       "across the periodic end, 'to' is beyond the lattice"));
}

TEST(Geometry, reportsTheSitesAndVolumeOfEachBody) {
  // Ball of 6 sites of 16 nm, 4.096e-6 um³ each: 136 sites; pi/6 (96 nm)³ = 4.632e-4 um³; the layer
  // of 16 nm has 4.632e-4 - pi/6 (64 nm)³ = 3.260e-4 um³. Its interior has 8 sites.
  const Model model = withGeometry(
      "    - sphere: {diameter: 96 nm, type: c, shell: m}\n"
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [16 nm, 32 nm, 48 nm], type: o}\n"
      "    - obstacles: {type: o, in: m, crowding: 0.25}\n"
      "    - everywhere: c\n");
  EXPECT_EQ(model.bodies,
            (std::vector<std::string>{
                "test.yaml:6: 'model.geometry[1].sphere': 136 sites, 0.0005571 um3; its own volume "
                "is 0.0004632 um3; its shell has 128 sites, 0.0005243 um3; a layer of 16 nm has "
                "0.000326 um3",
                "test.yaml:7: 'model.geometry[2].box': 6 sites, 2.458e-05 um3; its own volume is "
                "2.458e-05 um3",
                "test.yaml:8: 'model.geometry[3].obstacles': 32 sites, 0.0001311 um3; its own "
                "volume is 0.0001311 um3"}));
  EXPECT_TRUE(contains(model.report(), "  geometry\n    test.yaml:6: 'model.geometry[1].sphere'"));
}

TEST(Geometry, bodiesThatSitesRepresentBadlyAreWarnings) {
  const auto warnings = [](const std::string& items) { return withGeometry(items).warnings; };
  const auto expect = [&](const std::string& items, const std::string& warning) {
    const auto all = warnings("    - " + items + "\n");
    ASSERT_EQ(all.size(), 1U) << items;
    EXPECT_TRUE(contains(all[0], warning)) << all[0];
  };
  using Warnings = std::vector<std::string>;
  // A ball of 2 sites: pi/6 8 = 4.19 sites by volume, 8 sites by their centers.
  EXPECT_EQ(
      warnings("    - sphere: {diameter: 32 nm, type: c}\n"),
      Warnings{"test.yaml:6: 'model.geometry[1].sphere': the body has 8 sites, 3.277e-05 um3, "
               "91 % more than its own volume, 1.716e-05 um3: reduce the spacing"});
  // A box of 1.4 x 4 x 4 sites has the centers of one layer, or of two.
  expect("box: {from: [0 nm, 0 nm, 0 nm], to: [22.4 nm, 64 nm, 64 nm], type: c}",
         "16 sites, 6.554e-05 um3, 28.6 % less than its own volume, 9.175e-05 um3");
  expect("box: {from: [4.8 nm, 0 nm, 0 nm], to: [27.2 nm, 64 nm, 64 nm], type: c}",
         "32 sites, 0.0001311 um3, 42.9 % more");
  // Plates thinner than a site.
  expect("box: {from: [1 nm, 0 nm, 0 nm], to: [15.5 nm, 64 nm, 64 nm], type: c}",
         "the body is 14.5 nm thin, less than a site of 16 nm");
  EXPECT_EQ(warnings("    - cylinder: {length: 10 nm, diameter: 128 nm, axis: x, type: c, "
                     "center: [56 nm, 64 nm, 64 nm]}\n")
                .size(),
            2U);
  // Shells that take all sites.
  expect("box: {from: [0 nm, 0 nm, 0 nm], to: [32 nm, 64 nm, 64 nm], type: c, shell: m}",
         "its shell, 'm', takes all of its 32 sites, so none is 'c': reduce the thickness");
  expect("sphere: {diameter: 112 nm, type: c, shell: m, thickness: 4}", "so none is 'c'");
  // None of these is bad.
  for (const std::string good :
       {"sphere: {diameter: 96 nm, type: c, shell: m}",
        "sphere: {diameter: 128 nm, type: c, shell: m, neighbors: 6}",
        "sphere: {diameter: 112 nm, type: m, shell: c}",
        "capsule: {length: 128 nm, diameter: 96 nm, type: c, shell: m}",
        "box: {from: [0 nm, 0 nm, 0 nm], to: [16 nm, 16 nm, 16 nm], type: c}",
        "box: {from: [16 nm, 0 nm, 0 nm], to: [64 nm, 128 nm, 48 nm], type: c, shell: m}",
        "cylinder: {length: 128 nm, diameter: 128 nm, axis: y, type: c, shell: m, thickness: 2}"})
    EXPECT_TRUE(warnings("    - " + good + "\n").empty())
        << good << ": " << warnings("    - " + good + "\n")[0];
}

TEST(Geometry, obstaclesThatRoundingChangesAreAWarning) {
  const std::string box =
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [64 nm, 16 nm, 16 nm], type: c}\n";
  const auto warnings = [&](const std::string& crowding) {
    return withGeometry(box + "    - obstacles: {type: o, in: c, crowding: " + crowding + "}\n")
        .warnings;
  };
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(
      warnings("0.1"),
      Warnings{"test.yaml:7: 'model.geometry[2].obstacles': 0 sites, 0 um3; its own volume is "
               "1.638e-06 um3, because 0.4 sites are rounded to 0: reduce the spacing"});
  EXPECT_EQ(warnings("0.15").size(), 1U);
  EXPECT_TRUE(warnings("0.25").empty());
  EXPECT_TRUE(warnings("0").empty());
}

TEST(Geometry, bodiesThatLaterItemsHideAreAWarning) {
  const std::string small = "    - sphere: {diameter: 64 nm, type: m}\n";
  const std::string large = "    - sphere: {diameter: 112 nm, type: c}\n";
  EXPECT_TRUE(withGeometry(large + small).warnings.empty());
  const Model hidden = withGeometry(small + large);
  ASSERT_EQ(hidden.warnings.size(), 1U);
  EXPECT_EQ(hidden.warnings[0],
            "no site is 'm': later items overwrite the 32 sites that bodies give this type: put "
            "these bodies last");
}

TEST(Geometry, areaIsUnknownIfOtherItemsSetSitesOfAShell) {
  const std::string ball = "    - sphere: {diameter: 96 nm, type: c, shell: m}\n";
  const std::string box =
      "    - box: {from: [48 nm, 48 nm, 0 nm], to: [64 nm, 64 nm, 16 nm], type: m}\n";
  const Model model = withGeometry(ball + box);
  EXPECT_EQ(model.areas[2], 0);
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_TRUE(contains(model.warnings[0], "its area is unknown"));
  const auto attachment = types + ("  geometry:\n" + ball + box) +
                          "  reactions:\n    - {reaction: A ->, rate: 0.1 um/s, in: m}\n";
  EXPECT_TRUE(contains(testing::errorWith(attachment),
                       "a rate of surface attachment requires the area of 'm'"));
  const Model told = testing::modelWith(attachment + "  areas: {m: 2 um2}\n");
  EXPECT_DOUBLE_EQ(told.areas[2], 2e-12);
  EXPECT_TRUE(told.warnings.empty()) << told.warnings[0];
  EXPECT_TRUE(contains(testing::errorWith(attachment + "  areas: {outside: 2 um2}\n"),
                       "'model.areas.outside' = 2 um2: no particle enters the type 'outside'"));
}

TEST(Geometry, obstaclesAreTheGivenFraction) {
  const auto yaml = [](const std::string& crowding, const std::string& more) {
    return more + testing::yamlWith(types +
                                    ("  geometry:\n    - everywhere: c\n    - obstacles: {type: o, "
                                     "in: [c], crowding: " +
                                     crowding + "}\n"));
  };
  const auto model = [&](const std::string& crowding, const std::string& more = "") {
    return Model::parse(yaml(crowding, more), "test.yaml");
  };
  EXPECT_EQ(model("0.3").siteCounts, (std::vector<std::int64_t>{0, 512 - 154, 0, 154}));  // 153.6
  EXPECT_EQ(model("0").siteCounts[3], 0);
  EXPECT_EQ(model("1").siteCounts[3], 512);
  EXPECT_EQ(model("0.3").types, model("0.3").types);
  EXPECT_NE(model("0.3").types, model("0.3", "seed: 2\n").types);
  // Half of them in each half: 77 of 256, with a standard deviation of 5 (hypergeometric).
  const Model half = model("0.3");
  const auto low = std::count(half.types.begin(), half.types.begin() + 256, std::uint8_t{3});
  EXPECT_NEAR(static_cast<double>(low), 77, 20);
}

TEST(Geometry, obstaclesOfTwoItemsAreDrawnIndependently) {
  // Random numbers depend on the index of the item: the obstacles of a later item differ.
  const std::string in = "    - obstacles: {type: o, crowding: 0.5, in: ";
  const std::string box =
      "    - box: {from: [0 nm, 0 nm, 0 nm], to: [128 nm, 128 nm, 128 nm], type: c}\n";
  const Model once = withGeometry(box + in + "c}\n"), again = withGeometry(box + box + in + "c}\n");
  EXPECT_EQ(once.siteCounts, again.siteCounts);
  EXPECT_NE(once.types, again.types);
  std::string many = box;
  for (int i = 0; i < 256; ++i) many += box;
  EXPECT_NE(once.types, withGeometry(many + in + "c}\n").types);
}

TEST(Geometry, isReadFromAFileBesideTheSettings) {
  const TemporaryFolder folder;
  std::string bytes(512, '\1');
  bytes[0] = '\0';
  bytes[1] = '\2';
  writeBytes(folder / "cell.raw", bytes);
  const auto load = [&](const std::string& path) {
    writeBytes(folder / "model.yaml",
               testing::yamlWith(types + ("  geometry: [file: {path: " + path + "}]\n")));
    return Model::load(folder / "model.yaml");
  };
  const Model model = load("cell.raw");
  EXPECT_EQ(model.siteCounts, (std::vector<std::int64_t>{1, 510, 1, 0}));
  EXPECT_EQ(int{model.types[1]}, 2);
  EXPECT_EQ(model.name, "model");
  bytes[7] = '\7';
  writeBytes(folder / "cell.raw", bytes);
  const auto error = [&](const std::string& path) {
    return messageOf<mass::SettingsError>([&] { load(path); });
  };
  EXPECT_TRUE(contains(error("cell.raw"), "contains 7, but the site types are 0 (outside) to 3"));
  EXPECT_TRUE(contains(error("none.raw"), "model.yaml:5: 'model.geometry[1].file': cannot read"));
  writeBytes(folder / "cell.raw", "123");
  EXPECT_TRUE(contains(error("cell.raw"), "it has 3 bytes, not 8 x 8 x 8"));
}

TEST(Geometry, outsideTheLatticeIsRejected) {
  EXPECT_TRUE(contains(
      errorOf("    - sphere: {diameter: 32 nm, type: c, center: [1 um, 64 nm, 64 nm]}\n"),
      "it extends from 0.984 to 1.016 um along x, outside the lattice, which extends from 0 to"));
  EXPECT_TRUE(contains(
      errorOf("    - sphere: {diameter: 32 nm, type: c, center: [64 nm, 64 nm, -16 nm]}\n"),
      "from -0.032 to 0 um along z, outside the lattice"));
  // It is partly beyond the lattice along z, and outside along x.
  EXPECT_TRUE(
      contains(errorOf("    - sphere: {diameter: 32 nm, type: c, center: [1 um, 64 nm, 0 nm]}\n"),
               "from 0.984 to 1.016 um along x, outside the lattice"));
  EXPECT_EQ(
      errorOf("    - sphere: {diameter: 1 um, type: c}\n"),
      "test.yaml:6: 'model.geometry[1].sphere': it extends from -0.436 to 0.564 um along z, "
      "beyond the lattice, which extends from 0 to 0.128 um: move it, reduce it or enlarge the "
      "lattice");
  EXPECT_TRUE(contains(
      errorOf("    - box: {from: [0 nm, -1 nm, 0 nm], to: [16 nm, 16 nm, 16 nm], type: c}\n"),
      "it extends from -0.001 to 0.016 um along y"));
  EXPECT_TRUE(contains(
      errorOf("    - capsule: {length: 0.2 um, diameter: 64 nm, axis: x, type: c}\n"), "along x"));
}

TEST(Geometry, mistakesAreNamed) {
  const auto expect = [](const std::string& geometry, const std::string& message) {
    EXPECT_TRUE(contains(errorOf("    - " + geometry + "\n"), message))
        << errorOf("    - " + geometry + "\n");
  };
  expect("pyramid: {}", "there is no such key; the keys here are everywhere, box");
  expect("spere: {}", "did you mean 'sphere'?");
  expect("{everywhere: c, sphere: {}}", "expected one shape in each item");
  expect("everywhere: d", "there is no site type 'd'");
  expect("sphere: {diameter: 96 nm}", "the key 'type' is missing");
  expect("sphere: {diameter: 96, type: c}", "the unit is missing; give a length in");
  expect("sphere: {radius: 96 nm, type: c}", "the key 'diameter' is missing");
  expect("sphere: {diameter: 96 nm, radius: 48 nm, type: c}", "no such key");
  expect("sphere: {diameter: 1 nm, type: c}",
         "it contains the center of no site: it lies between centers, which are 16 nm apart");
  expect("capsule: {length: 48 nm, diameter: 96 nm, type: c}", "expected at least the diameter");
  expect("capsule: {length: 96 nm, diameter: 48 nm, axis: w, type: c}", "expected x, y or z");
  expect("box: {from: [0 nm, 0 nm], to: [1 nm, 1 nm, 1 nm], type: c}", "expected three lengths");
  expect("box: {from: [9 nm, 0 nm, 0 nm], to: [1 nm, 1 nm, 1 nm], type: c}",
         "'from' must be below 'to' along x");
  expect("sphere: {diameter: 96 nm, type: c, thickness: 2}", "thickness requires the key 'shell'");
  expect("sphere: {diameter: 96 nm, type: c, shell: m, thickness: 0}", "1 to 100 layers");
  expect("sphere: {diameter: 96 nm, type: c, shell: m, neighbors: 18}", "expected 6 (neighbours");
  expect("obstacles: {type: o, in: c, crowding: 0.1}", "no site has this type so far");
  expect("everywhere: outside", "every site is outside");
  EXPECT_TRUE(
      contains(errorOf("    - everywhere: c\n    - obstacles: {type: o, in: c, crowding: 1.1}\n"),
               "'model.geometry[2].obstacles.crowding' = 1.1: expected the fraction of sites"));
}

}  // namespace
}  // namespace rdme

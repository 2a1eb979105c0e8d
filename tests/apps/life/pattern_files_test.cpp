// Tests known properties of every file of settings/patterns, in an independent simulation.
#include <apps/life/pattern.hpp>

#include <tests/apps/life/simulator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace life {
namespace {

const std::filesystem::path folder = std::filesystem::path(MASS_SOURCE_DIR) / "settings/patterns";

std::vector<CellPosition> load(const std::string& file) {
  return positions(Pattern::load(folder / file));
}

std::vector<CellPosition> moved(std::vector<CellPosition> cells, std::int64_t rows,
                                std::int64_t columns) {
  for (CellPosition& cell : cells) cell = {cell.row + rows, cell.column + columns};
  return cells;
}

const std::map<std::string, int> periods = {{"blinker.cells", 2},
                                            {"toad.cells", 2},
                                            {"beacon.cells", 2},
                                            {"clock.rle", 2},
                                            {"pulsar.rle", 3},
                                            {"octagon_2.rle", 5},
                                            {"figure_eight.rle", 8},
                                            {"koks_galaxy.rle", 8},
                                            {"tumbler.rle", 14},
                                            {"pentadecathlon.rle", 15},
                                            {"queen_bee_shuttle.rle", 30},
                                            {"twin_bees_shuttle.rle", 46}};

TEST(PatternFiles, EachIsNamedAndSaysItsRuleIfItCan) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Pattern pattern = Pattern::load(entry.path());
    EXPECT_NE(pattern.name, entry.path().stem().string());
    if (entry.path().extension() == ".rle") {
      ASSERT_TRUE(pattern.rule) << entry.path();
      EXPECT_EQ(pattern.rule->parse().table, RuleTable());
    }
    ++files;
  }
  EXPECT_EQ(files, periods.size() + 6);
}

TEST(PatternFiles, OscillatorsComeBackAfterTheirPeriodAndNotBefore) {
  for (const auto& [file, period] : periods) {
    const std::vector<CellPosition> start = load(file);
    Plane plane(start);
    for (int g = 1; g <= period; ++g) {
      plane.step();
      EXPECT_EQ(plane.living() == start, g == period) << file << " at generation " << g;
    }
  }
}

TEST(PatternFiles, SpaceshipsMove) {
  const std::vector<CellPosition> glider = load("glider.rle"), lwss = load("lwss.rle");
  Plane plane(glider);
  plane.step(4);
  EXPECT_EQ(plane.living(), moved(glider, 1, 1));
  plane = Plane(lwss);
  plane.step(4);
  EXPECT_EQ(plane.living(), moved(lwss, 0, -2));
}

TEST(PatternFiles, GunSendsAGliderEvery30Generations) {
  const std::vector<CellPosition> gun = load("gosper_glider_gun.rle");
  Plane plane(gun);
  EXPECT_EQ(plane.population(), 36U);
  for (unsigned glider = 1; glider <= 10; ++glider) {
    plane.step(30);
    EXPECT_EQ(plane.population(), 36U + 5U * glider);
    const std::vector<CellPosition> living = plane.living();
    EXPECT_TRUE(std::includes(living.begin(), living.end(), gun.begin(), gun.end()));
  }
}

TEST(PatternFiles, RPentominoSettlesAt1103With116Cells) {
  Plane plane(load("r_pentomino.rle"));
  plane.step(1102);
  EXPECT_NE(plane.population(), 116U);
  for (int g = 1103; g < 1163; ++g) {
    plane.step();
    EXPECT_EQ(plane.population(), 116U) << g;
  }
}

TEST(PatternFiles, AcornSettlesAt5206With633Cells) {
  Plane plane(load("acorn.rle"));
  plane.step(5205);
  EXPECT_NE(plane.population(), 633U);
  for (int g = 5206; g < 5266; ++g) {
    plane.step();
    EXPECT_EQ(plane.population(), 633U) << g;
  }
}

TEST(PatternFiles, DiehardVanishesAt130) {
  Plane plane(load("diehard.rle"));
  plane.step(129);
  EXPECT_GT(plane.population(), 0U);
  plane.step();
  EXPECT_EQ(plane.population(), 0U);
}

}  // namespace
}  // namespace life

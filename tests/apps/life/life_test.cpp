// Tests known results of the Game of Life, each on several numbers of devices.
#include <apps/life/pattern.hpp>
#include <apps/life/setup.hpp>

#include <gtest/gtest.h>
#include <tests/apps/life/simulator.hpp>
#include <tests/support/temporary_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace life {
namespace {

const std::string patterns = MASS_SOURCE_DIR "/settings/patterns/";

/// Rectangle of rows [top, bottom) and columns [left, right).
struct Window {
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
};

/// World as the program creates it from settings.
template <class Cell>
class WorldOf {
 public:
  WorldOf(int devices, std::int64_t size, const std::vector<std::string>& more)
      : mass_(settings(devices, size, more)),
        start_(startOf(mass_.settings())),
        cells_(createWorld<Cell>(mass_, start_)) {}

  WorldOf& go(std::int64_t generations) {
    cells_.template callAll<&Cell::nextGeneration>(mass::steps(generations),
                                                   start_.rule.totalistic().value());
    return *this;
  }

  std::int64_t population() const {
    return static_cast<std::int64_t>(cells_.template reduce<&Cell::alive>(mass::sum));
  }
  std::vector<bool> cells() const { return cells_.template download<&Cell::alive>(); }
  std::vector<bool> cells(const Window& window) const {
    const std::vector<bool> all = cells();
    std::vector<bool> some;
    for (std::int64_t row = window.top; row < window.bottom; ++row) {
      const auto line = all.begin() + row * cells_.shape()[1];
      some.insert(some.end(), line + window.left, line + window.right);
    }
    return some;
  }
  std::uint64_t hash() const { return mass_.hash(); }

 private:
  static mass::Settings settings(int devices, std::int64_t size,
                                 const std::vector<std::string>& more) {
    mass::Settings settings(schema());
    settings.set("devices=" + std::to_string(devices));
    settings.set("threads=1");
    settings.set("rows=" + std::to_string(size));
    settings.set("columns=" + std::to_string(size));
    for (const std::string& assignment : more) settings.set(assignment);
    return settings;
  }

  mass::Mass mass_;
  Start start_;
  mass::Places<Cell> cells_;
};
using World = WorldOf<Life>;

/// Test on a number of devices, whose hashes must be those of one device.
class OnDevices : public testing::TestWithParam<int> {
 protected:
  World world(std::int64_t size, const std::vector<std::string>& more) const {
    return {GetParam(), size, more};
  }
  /// Returns the hash of a run on one device.
  static std::uint64_t hashOf(std::int64_t generations, std::int64_t size,
                              const std::vector<std::string>& more) {
    return World(1, size, more).go(generations).hash();
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, OnDevices, testing::Values(1, 2, 3, 4, 8));

TEST_P(OnDevices, TheRPentominoGrowsLikeOnAPlane) {
  const std::string file = patterns + "r_pentomino.rle";
  constexpr std::int64_t size = 90;
  World world = this->world(size, {"pattern=" + file, "border=dead"});
  Plane plane(centredPositions(Pattern::load(file), size));
  for (int generation = 0; generation < 120; generation += 20) {
    std::vector<bool> expected(static_cast<std::size_t>(size * size));
    for (const CellPosition& cell : plane.living()) {
      expected[static_cast<std::size_t>(cell.row * size + cell.column)] = true;
    }
    EXPECT_EQ(world.cells(), expected) << generation;
    plane.step(20);
    world.go(20);
  }
}

TEST(World, TheRPentominoSettlesAtGeneration1103With116Cells) {
#ifdef MASS_CHECKED
  GTEST_SKIP() << "345 million checked cells take minutes";
#endif
  // Its gliders move at most 1103 / 4 cells in this time, so none reaches an edge.
  const std::vector<std::string> settings{"pattern=" + patterns + "r_pentomino.rle", "border=dead"};
  // The ash consists of still lifes and blinkers of period 2; the gliders are outside this window.
  const Window ash{210, 210, 350, 350};
  World world(3, 560, settings);
  world.go(1101);
  const auto before = world.cells(ash);
  EXPECT_NE(world.go(1).population(), 116);
  const auto last = world.cells(ash);
  EXPECT_EQ(world.go(1).population(), 116);
  EXPECT_EQ(world.hash(), World(1, 560, settings).go(1103).hash());
  const auto settled = world.cells(ash);
  EXPECT_NE(settled, before);
  EXPECT_EQ(world.go(1).population(), 116);
  EXPECT_NE(world.cells(ash), last);
  EXPECT_EQ(world.go(1).population(), 116);
  EXPECT_EQ(world.cells(ash), settled);
}

TEST_P(OnDevices, TheGosperGunEmitsAGliderEvery30Generations) {
  const std::vector<std::string> settings{"pattern=" + patterns + "gosper_glider_gun.rle",
                                          "border=dead"};
  World world = this->world(100, settings);
  const std::int64_t gun = world.population();
  for (int gliders = 1; gliders <= 4; ++gliders) {
    EXPECT_EQ(world.go(30).population(), gun + 5 * gliders);
  }
  EXPECT_EQ(world.hash(), hashOf(120, 100, settings));
}

TEST_P(OnDevices, AGliderCrossesATorusAndComesHome) {
  const std::vector<std::string> settings{"pattern=" + patterns + "glider.rle"};
  constexpr std::int64_t size = 24;  // the glider moves by a cell every 4 generations
  World world = this->world(size, settings);
  const auto start = world.cells();
  for (std::int64_t generation = 1; generation < 4 * size; ++generation) {
    ASSERT_NE(world.go(1).cells(), start) << generation;
    ASSERT_EQ(world.population(), 5) << generation;
  }
  EXPECT_EQ(world.go(1).cells(), start);
  EXPECT_EQ(world.hash(), hashOf(4 * size, size, settings));
}

TEST_P(OnDevices, APatternMovesByItselfThroughEveryEdge) {
  const std::vector<std::string> settings{"pattern=" + patterns + "lwss.rle"};
  constexpr std::int64_t size = 18;  // the spaceship moves by two cells every 4 generations
  World world = this->world(size, settings);
  const auto start = world.cells();
  EXPECT_NE(world.go(size).cells(), start);
  EXPECT_EQ(world.go(size).cells(), start);
  EXPECT_EQ(world.hash(), hashOf(2 * size, size, settings));
}

TEST_P(OnDevices, TheReplicatorOfHighLifeMakesItsCopies) {
  // Replicator of Nathan Thompson in B36/S23: two copies along the diagonal after 12 generations.
  const std::vector<std::string> settings{"pattern=" + std::string(MASS_SOURCE_DIR) +
                                          "/tests/apps/life/replicator.rle"};
  World world = this->world(96, settings);
  const std::int64_t cells = world.population();
  EXPECT_EQ(world.go(12).population(), 2 * cells);
  EXPECT_EQ(world.go(12).population(),
            2 * cells);  // the copies in the middle cancel: 1 + 2 + 1 modulo 2
  EXPECT_EQ(world.go(12).population(), 4 * cells);
  EXPECT_EQ(world.hash(), hashOf(36, 96, settings));
  // With Conway's rule, set by the settings, it does not replicate.
  auto conway = settings;
  conway.push_back("rule=B3/S23");
  EXPECT_NE(this->world(96, conway).go(12).population(), 2 * cells);
}

TEST_P(OnDevices, SeedsCopiesEverythingByParity) {
  // Fredkin's rule B1357/S1357: eight copies at distance 2^n after 2^n generations.
  const std::vector<std::string> settings{"pattern=" + patterns + "glider.rle", "rule=B1357/S1357"};
  World world = this->world(40, settings);
  EXPECT_EQ(world.go(8).population(), 8 * 5);
  EXPECT_EQ(world.hash(), hashOf(8, 40, settings));
}

TEST_P(OnDevices, ARandomWorldDependsOnItsSeedOnly) {
  const auto settings = [](int seed) {
    return std::vector<std::string>{"density=0.3", "seed=" + std::to_string(seed)};
  };
  World world = this->world(100, settings(7));
  // Expected: 3000, with a standard deviation of sqrt(10000 x 0.3 x 0.7) = 46.
  EXPECT_NEAR(static_cast<double>(world.population()), 3000, 5 * 46);
  EXPECT_EQ(world.hash(), hashOf(0, 100, settings(7)));
  EXPECT_NE(world.hash(), hashOf(0, 100, settings(8)));
  world.go(50);
  EXPECT_EQ(world.hash(), hashOf(50, 100, settings(7)));
  EXPECT_NE(world.hash(), hashOf(50, 100, settings(8)));
}

TEST_P(OnDevices, CellsOfABitHaveTheStatesOfCellsOfAByte) {
  for (const std::string rule : {"B3/S23", "B36/S125"}) {
    const std::vector<std::string> more{"rule=" + rule, "border=dead"};
    WorldOf<BitLife> bits(GetParam(), 100, more);
    EXPECT_EQ(bits.hash(), hashOf(0, 100, more));
    bits.go(50);
    EXPECT_EQ(bits.hash(), hashOf(50, 100, more));
    EXPECT_EQ(bits.population(), world(100, more).go(50).population());
  }
}

TEST(World, ARuleOfThreeStatesHasNoBits) {
  mass::Settings settings(schema());
  settings.set("threads=1");
  settings.set("rule=B2/S/C3");
  settings.set("storage=bits");
  const mass::testing::TemporaryFolder folder;
  settings.set("output.folder=" + folder.path().string());
  mass::Mass mass(settings);
  mass::Simulation run(mass, "life");
  EXPECT_THROW(setUp(mass, run), mass::SettingsError);
}

TEST_P(OnDevices, DensityZeroIsEmptyAndOneIsFull) {
  EXPECT_EQ(world(16, {"density=0"}).population(), 0);
  EXPECT_EQ(world(16, {"density=1"}).population(), 256);
}

struct Oscillator {
  std::string file;
  int period;
};

class Zoo : public testing::TestWithParam<Oscillator> {};

INSTANTIATE_TEST_SUITE_P(
    Patterns, Zoo,
    testing::Values(Oscillator{"blinker.cells", 2}, Oscillator{"beacon.cells", 2},
                    Oscillator{"toad.cells", 2}, Oscillator{"clock.rle", 2},
                    Oscillator{"pulsar.rle", 3}, Oscillator{"octagon_2.rle", 5},
                    Oscillator{"figure_eight.rle", 8}, Oscillator{"koks_galaxy.rle", 8},
                    Oscillator{"tumbler.rle", 14}, Oscillator{"pentadecathlon.rle", 15},
                    Oscillator{"queen_bee_shuttle.rle", 30},
                    Oscillator{"twin_bees_shuttle.rle", 46}),
    [](const auto& tested) {
      const std::string& file = tested.param.file;
      return file.substr(0, file.find('.'));
    });

TEST_P(Zoo, KeepsItsPeriodOnEveryNumberOfDevices) {
  const auto& [file, period] = GetParam();
  std::uint64_t hash = 0;
  for (const int devices : {1, 2, 3, 4, 8}) {
    SCOPED_TRACE(devices);
    World world(devices, 48, {"pattern=" + patterns + file, "border=dead"});
    const auto start = world.cells();
    for (int generation = 1; generation < period; ++generation) {
      EXPECT_NE(world.go(1).cells(), start) << "after " << generation;
    }
    EXPECT_EQ(world.go(1).cells(), start);
    if (devices == 1) hash = world.hash();
    EXPECT_EQ(world.hash(), hash);
  }
}

}  // namespace
}  // namespace life

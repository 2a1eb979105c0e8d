// Tests rules, known results and pictures of Life in three dimensions, on several numbers of
// devices.
#include <apps/life3d/setup.hpp>

#include "../../support/long_test.hpp"
#include "../program_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace life3d {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using Assignments = std::vector<std::string>;
using Position = std::array<std::int64_t, 3>;

Assignments with(Assignments assignments, const Assignments& more) {
  assignments.insert(assignments.end(), more.begin(), more.end());
  return assignments;
}

Assignments sized(const Position& shape) {
  return {fmt::format("planes={}", shape[0]), fmt::format("rows={}", shape[1]),
          fmt::format("columns={}", shape[2])};
}

mass::Settings settingsOf(const Assignments& assignments, const std::string& yaml = "") {
  auto settings = mass::Settings::parse(yaml, "life3d.yaml", schema());
  settings.set("threads=1");
  for (const std::string& assignment : assignments) settings.set(assignment);
  return settings;
}

/// World as the program creates it from settings.
class World {
 public:
  explicit World(const Assignments& assignments, const std::string& yaml = "")
      : mass_(settingsOf(assignments, yaml)),
        rule_(ruleOf(mass_.settings())),
        cells_(createWorld(mass_)) {}

  World& go(std::int64_t generations) {
    cells_.callAll<&Cell::nextGeneration>(mass::steps(generations), rule_);
    return *this;
  }
  template <class F>
  World& set(F&& isAlive) {
    cells_.initialise<&Cell::alive>(
        [&](const mass::Coordinates<3>& at) { return isAlive(at[0], at[1], at[2]); });
    return *this;
  }
  std::int64_t population() const {
    return static_cast<std::int64_t>(cells_.reduce<&Cell::alive>(mass::sum));
  }
  std::vector<bool> cells() const { return cells_.download<&Cell::alive>(); }
  /// Returns the positions of the living cells in row-major order.
  std::vector<Position> living() const {
    std::vector<Position> found;
    std::int64_t index = 0;
    for (const bool alive : cells()) {
      const auto at = mass::coordinatesOf(index++, cells_.shape());
      if (alive) found.push_back({at[0], at[1], at[2]});
    }
    return found;
  }
  mass::Picture picture() const { return pictureOf(cells_, mass_.settings()); }
  std::uint64_t hash() const { return mass_.hash(); }

 private:
  mass::Mass mass_;
  Rule rule_;
  mass::Places<Cell> cells_;
};

/// Independent reference: a world in an array, with lists of counts.
struct Reference {
  Position shape;
  bool isPeriodic;
  std::vector<int> births, survivals;
  std::vector<bool> cells;

  bool isAlive(std::int64_t z, std::int64_t y, std::int64_t x) const {
    Position at{z, y, x};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool isOut = at[axis] < 0 || at[axis] >= shape[axis];
      if (isOut && !isPeriodic) return false;
      at[axis] = (at[axis] + shape[axis]) % shape[axis];
    }
    return cells[static_cast<std::size_t>((at[0] * shape[1] + at[1]) * shape[2] + at[2])];
  }

  void step() {
    std::vector<bool> next;
    for (std::int64_t z = 0; z < shape[0]; ++z) {
      for (std::int64_t y = 0; y < shape[1]; ++y) {
        for (std::int64_t x = 0; x < shape[2]; ++x) {
          int living = 0;
          for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
              for (int dx = -1; dx <= 1; ++dx) {
                const bool isSelf = dz == 0 && dy == 0 && dx == 0;
                if (!isSelf && isAlive(z + dz, y + dy, x + dx)) ++living;
              }
            }
          }
          const auto& counts = isAlive(z, y, x) ? survivals : births;
          next.push_back(std::find(counts.begin(), counts.end(), living) != counts.end());
        }
      }
    }
    cells = std::move(next);
  }
};

// --- rules ---

std::uint32_t bits(const std::vector<unsigned>& counts) {
  std::uint32_t mask = 0;
  for (const unsigned count : counts) mask |= 1U << count;
  return mask;
}

TEST(RuleText, IsReadWithListsAndRanges) {
  EXPECT_EQ(parseRule("B6/S5-7"), (Rule{bits({6}), bits({5, 6, 7})}));
  EXPECT_EQ(parseRule("b6,9-11/s0,26"), (Rule{bits({6, 9, 10, 11}), bits({0, 26})}));
  EXPECT_EQ(parseRule("B0/S0-26"), (Rule{1, (1U << 27) - 1}));
  EXPECT_EQ(parseRule("B26/S3-3"), (Rule{bits({26}), bits({3})}));
}

TEST(RuleText, OfBaysHasFourDigits) {
  EXPECT_EQ(parseRule("5766"), parseRule("B6/S5-7"));
  EXPECT_EQ(parseRule("4555"), parseRule("B5/S4,5"));
  EXPECT_EQ(parseRule("2333"), parseRule("B3/S2,3"));
  EXPECT_EQ(parseRule("0109"), parseRule("B0-9/S0,1"));
}

TEST(RuleText, IsWrittenAsItIsRead) {
  for (const std::string text :
       {"B6/S5-7", "B5/S2-7", "B0/S26", "B6/S5-7,10", "B1,2,4-6,26/S0-26", "B5/S4,5"}) {
    EXPECT_EQ(parseRule(text).text(), text);
  }
}

TEST(RuleText, ThatIsIncompleteOrImpossibleIsRefused) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "no rule: expected"},
      {"27", "no rule: expected births and survivals, as in B6/S5-7,10, or the four digits"},
      {"576", "no rule"},
      {"57661", "no rule"},
      {"6/5-7", "no rule"},
      {"B6", "no rule"},
      {"B6S5", "no rule"},
      {"S5/B6", "no rule"},
      {"B9/S", "no number of living neighbours after S"},
      {"B/S5", "no number of living neighbours after B"},
      {"B27/S5", "27 after B is above 26"},
      {"B6/S5-27", "27 after S is above 26"},
      {"B6/S567", "567 after S is above 26"},
      {"B6/S99999999999999999999", "99999999999999999999 after S is above 26"},
      {"B6/S7-5", "the range 7-5 after S is empty"},
      {"B6/S5,", "expected a number of living neighbours after S, found ''"},
      {"B6/S-5", "expected a number of living neighbours after S, found '-5'"},
      {"B6/S5--7", "found '-7'"},
      {"B6/S5 7", "found ' 7'"},
      {"B6/S5/V", "found '/V'"},
      {"Bx/S5", "found 'x'"},
      {"7566", "the digits 7 and 5 are a range"},
      {"5765", "the digits 6 and 5 are a range"},
  };
  for (const auto& [text, says] : wrong) {
    const auto message = messageOf<mass::InputError>([&text = text] { parseRule(text); });
    EXPECT_TRUE(contains(message, says)) << text << ": " << message;
    const auto whole =
        messageOf<mass::SettingsError>([&text = text] { ruleOf(settingsOf({"rule=" + text})); });
    EXPECT_EQ(whole, "--set rule=" + text + ": " + message);
  }
}

TEST(Rule, GivesTheBitOfTheNumberOfNeighbours) {
  std::uint32_t random = 12345;
  const auto next = [&] { return random = random * 1664525U + 1013904223U; };
  for (int trial = 0; trial < 200; ++trial) {
    const Rule rule{next() >> 5, next() >> 5};
    for (int living = 0; living <= 26; ++living) {
      EXPECT_EQ(rule.next(false, living), (rule.birth >> living & 1U) != 0) << living;
      EXPECT_EQ(rule.next(true, living), (rule.survival >> living & 1U) != 0) << living;
    }
  }
}

// --- known results ---

/// Two equal planes of a Conway glider.
constexpr const char* glider = R"(
planes: 12
rows: 16
columns: 16
rule: 5766
cells:
  lower: [[5, 4, 5], [6, 5, 5], [4, 6, 5], [5, 6, 5], [6, 6, 5]]
  upper: [[5, 4, 6], [6, 5, 6], [4, 6, 6], [5, 6, 6], [6, 6, 6]]
)";

TEST(Bays, PlanesOfAGliderMoveEveryFourGenerations) {
  for (const std::string devices : {"1", "2", "3", "8"}) {
    World world({"devices=" + devices}, glider);
    std::vector<Position> expected = world.living();
    ASSERT_EQ(expected.size(), 10U);
    for (int cycle = 1; cycle <= 16; ++cycle) {
      const auto moved = world.go(4).living();
      for (Position& cell : expected) cell = {cell[0], (cell[1] + 1) % 16, (cell[2] + 1) % 16};
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(moved, expected) << cycle << ", " << devices << " devices";
    }
  }
}

TEST(Torus, HasTheKnownPopulations) {
  const std::vector<std::string> few{"3"}, all{"1", "2", "3", "8"};
  for (const std::string& devices : mass::testing::fullOr(all, few)) {
    World world(with(sized({32, 32, 32}), {"rule=B5/S2-7", "devices=" + devices}));
    world.set([](auto z, auto y, auto x) { return (131 * z + 17 * y + 7 * x) % 5 == 0; });
    EXPECT_EQ(world.population(), 6554);
    EXPECT_EQ(world.go(1).population(), 17784);
    EXPECT_EQ(world.go(1).population(), 708);
    EXPECT_EQ(world.go(8).population(), 1092);
    EXPECT_EQ(world.go(40).population(), 9066);
    EXPECT_EQ(world.go(50).population(), 10612);
  }
}

TEST(Cells, FollowLoopsOverAnArrayOnEveryNumberOfDevices) {
  for (const Position shape : {Position{9, 7, 5}, Position{8, 6, 37}, Position{3, 2, 11},
                               Position{1, 5, 7}, Position{4, 1, 1}}) {
    for (const std::string border : {"periodic", "dead"}) {
      Reference reference{shape, border == "periodic", {0, 5, 6, 12}, {2, 3, 4, 5, 6, 7, 26}, {}};
      const auto settings =
          with(sized(shape), {"border=" + border, "rule=B0,5,6,12/S2-7,26", "density=0.3"});
      const auto start = World(settings).cells();
      reference.cells = start;
      for (int step = 0; step < 7; ++step) reference.step();
      std::uint64_t hash = 0;
      for (const std::int64_t devices : {1, 2, 3, 8}) {
        if (devices > shape[0]) continue;
        World world(with(settings, {fmt::format("devices={}", devices)}));
        ASSERT_EQ(world.cells(), start);
        EXPECT_EQ(world.go(7).cells(), reference.cells) << border << ' ' << devices;
        if (devices == 1) hash = world.hash();
        EXPECT_EQ(world.hash(), hash);
      }
    }
  }
}

TEST(Cells, OfTheRuleOfB2RDieWithAtMostOneOrAtLeastEightNeighbours) {
  const Rule rule = parseRule("B5/S2-7");
  for (int living = 0; living <= 26; ++living) {
    EXPECT_EQ(rule.next(true, living), !(living <= 1 || living >= 8)) << living;
    EXPECT_EQ(rule.next(false, living), living == 5) << living;
  }
}

// --- the start ---

TEST(RandomCells, HaveTheirDensityWithinTheRadius) {
  const World all(with(sized({40, 40, 40}), {"density=0.25"}));
  EXPECT_NEAR(static_cast<double>(all.population()), 16000, 5 * 110);  // sqrt(64000 / 4 * 3 / 4)
  EXPECT_EQ(World(with(sized({40, 40, 40}), {"density=0"})).population(), 0);
  EXPECT_NE(World(with(sized({40, 40, 40}), {"density=0.25", "seed=2"})).hash(), all.hash());

  const World ball(with(sized({9, 12, 21}), {"density=1", "radius=4"}));
  for (std::int64_t z = 0, i = 0; z < 9; ++z) {
    for (std::int64_t y = 0; y < 12; ++y) {
      for (std::int64_t x = 0; x < 21; ++x, ++i) {
        const auto dy = 2 * y - 11;  // in half cells
        const bool isInside = 4 * (z - 4) * (z - 4) + dy * dy + 4 * (x - 10) * (x - 10) <= 4 * 16;
        ASSERT_EQ(ball.cells()[static_cast<std::size_t>(i)], isInside) << i;
      }
    }
  }
}

TEST(ListOfCells, MayHaveSeveralParts) {
  const World world(sized({3, 4, 5}),
                    "cells: {a: [[2, 1, 0], [4, 3, 2]], b: [[2, 1, 0], [0, 0, 1]]}");
  EXPECT_EQ(world.living(), (std::vector<Position>{{0, 1, 2}, {1, 0, 0}, {2, 3, 4}}));
}

TEST(ListOfCells, WithOtherThanPositionsInTheWorldIsRefused) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"cells: {a: [[5, 0, 0]]}", "outside the world: expected 0 to 4"},
      {"cells: {a: [[0, 0, 3]]}", "outside the world: expected 0 to 2"},
      {"cells: {a: [[0, -1, 0]]}", "outside the world: expected 0 to 3"},
      {"cells: {a: [[0, 1]]}", "expected the position of a cell, [x, y, z]"},
      {"cells: {a: [2, 1, 0]}", "expected the position of a cell, [x, y, z]"},
      {"cells: {a: [[1.5, 1, 0]]}", "expected an integer"},
      {"cells: {a: [[x, 1, 0]]}", "expected an integer"},
      {"cells: {a: 3}", "expected a list"},
  };
  for (const auto& [yaml, says] : wrong) {
    const auto message = messageOf<mass::SettingsError>([&yaml = yaml] {
      World(sized({3, 4, 5}), "steps: 1\n" + yaml);
    });
    EXPECT_TRUE(contains(message, says)) << yaml << ": " << message;
    EXPECT_TRUE(contains(message, "life3d.yaml:2: 'cells.a")) << message;
  }
}

// --- outputs ---

TEST(Picture, ShowsTheFirstCellOnEachLineOfSight) {
  const std::string cells = "cells: {a: [[2, 1, 0], [2, 1, 1], [4, 3, 2]]}";
  const auto z = World(sized({3, 4, 5}), cells).picture();
  EXPECT_EQ(z.rows, 4);
  EXPECT_EQ(z.columns, 5);
  EXPECT_EQ(z.low, 0);
  EXPECT_EQ(z.high, 3);
  std::vector<float> expected(20);
  expected[7] = 3, expected[19] = 1;
  EXPECT_EQ(z.values, expected);

  const auto y = World(with(sized({3, 4, 5}), {"output.axis=y"}), cells).picture();
  EXPECT_EQ(y.rows, 3);
  EXPECT_EQ(y.columns, 5);
  expected.assign(15, 0);
  expected[2] = 3, expected[7] = 3, expected[14] = 1;
  EXPECT_EQ(y.values, expected);
}

TEST(Picture, ShowsTheCellsOfTheMiddleSlice) {
  const std::string cells = "cells: {a: [[0, 0, 0], [2, 1, 1], [4, 3, 2]]}";
  const auto z = World(with(sized({3, 4, 5}), {"output.view=slice"}), cells).picture();
  std::vector<float> expected(20);
  expected[7] = 1;
  EXPECT_EQ(z.values, expected);
  EXPECT_EQ(z.categories, (std::vector<std::string>{"dead", "alive"}));
  const auto x =
      World(with(sized({3, 4, 5}), {"output.view=slice", "output.axis=x"}), cells).picture();
  EXPECT_EQ(x.rows, 3);
  EXPECT_EQ(x.columns, 4);
  expected.assign(12, 0);
  expected[5] = 1;
  EXPECT_EQ(x.values, expected);
}

TEST(Program, WritesThePopulationOfEachGeneration) {
  const TemporaryFolder folder;
  mass::testing::runIn(folder, settingsOf({"steps=4"}, glider), "life3d", setUp);
  EXPECT_EQ(mass::testing::readBytes(folder / "life3d.csv"),
            "step,population\n0,10\n1,10\n2,10\n3,10\n4,10\n");
}

}  // namespace
}  // namespace life3d

// Tests rules of further states and by arrangement beside an independent simulation, each on
// several numbers of devices.
#include <apps/life/setup.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace life {
namespace {

constexpr std::int64_t size = 24;

/// Living neighbours of a cell, as (row, column) from -1 to 1.
using Living = std::vector<std::pair<int, int>>;

/// Independent reference: states on a torus of `size` x `size` cells, a rule as two functions.
struct Reference {
  std::vector<int> cells;
  int states = 2;
  std::function<bool(const Living&)> isBorn, survives;

  void step() {
    const std::vector<int> before = cells;
    for (std::int64_t row = 0; row < size; ++row) {
      for (std::int64_t column = 0; column < size; ++column) {
        Living living;
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dx = -1; dx <= 1; ++dx) {
            const auto at = (row + dy + size) % size * size + (column + dx + size) % size;
            if ((dy != 0 || dx != 0) && before.at(static_cast<std::size_t>(at)) == 1)
              living.emplace_back(dy, dx);
          }
        }
        int& cell = cells.at(static_cast<std::size_t>(row * size + column));
        if (cell == 0) {
          cell = isBorn(living) ? 1 : 0;
        } else if (cell != 1 || !survives(living)) {
          cell = (cell + 1) % states;
        }
      }
    }
  }
};

std::function<bool(const Living&)> counts(const std::string& digits) {
  return [digits](const Living& living) {
    return digits.find(static_cast<char>('0' + living.size())) != std::string::npos;
  };
}

bool areAdjacent(const Living& two) {
  return std::abs(two[0].first - two[1].first) + std::abs(two[0].second - two[1].second) == 1;
}

bool areOppositeEdges(const Living& two) {
  const auto [dy, dx] = two[0];
  return two[1] == std::pair{-dy, -dx} && (dy == 0 || dx == 0);
}

/// True for two edges that are not opposite, the corner between them, and the corner opposite to
/// that one.
bool isBeaconsMiddle(const Living& four) {
  int rows = 0, columns = 0, edges = 0;
  for (const auto& [dy, dx] : four) {
    rows += dy;
    columns += dx;
    edges += dy == 0 || dx == 0 ? 1 : 0;
  }
  const auto has = [&](int dy, int dx) {
    for (const auto& cell : four) {
      if (cell == std::pair{dy, dx}) return true;
    }
    return false;
  };
  // Both corners cancel, so the sum is that of the edges, which points to their common corner.
  return edges == 2 && std::abs(rows) == 1 && std::abs(columns) == 1 && has(rows, columns) &&
         has(-rows, -columns);
}

mass::Settings settingsOf(int devices, const std::string& rule) {
  mass::Settings settings(schema());
  for (const std::string& assignment :
       {"devices=" + std::to_string(devices), std::string("threads=1"), "rule=" + rule,
        "rows=" + std::to_string(size), "columns=" + std::to_string(size),
        std::string("density=0.4")})
    settings.set(assignment);
  return settings;
}

template <class Cell>
std::vector<int> statesOf(const mass::Places<Cell>& world) {
  std::vector<int> states;
  for (const Cell& cell : world.download({0, 0}, {size, size})) {
    if constexpr (std::is_same_v<Cell, Generations>) {
      states.push_back(cell.state);
    } else {
      states.push_back(cell.alive ? 1 : 0);
    }
  }
  return states;
}

template <class Cell>
void step(const mass::Mass& mass, const mass::Places<Cell>& world, const RuleTable& rule) {
  const auto bytes = rule.outcomes();
  const auto outcomes = mass.share(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  if constexpr (std::is_same_v<Cell, Generations>) {
    world.template callAll<&Cell::nextGeneration>(mass::steps(1), outcomes, rule.states);
  } else {
    world.template callAll<&Cell::nextGeneration>(mass::steps(1), outcomes);
  }
}

/// Runs a random world beside the reference.
template <class Cell>
void compare(const std::string& rule, Reference reference) {
  std::uint64_t hash = 0;
  for (const int devices : {1, 2, 3, 8}) {
    SCOPED_TRACE(rule + " on " + std::to_string(devices));
    mass::Mass mass(settingsOf(devices, rule));
    const Start start = startOf(mass.settings());
    EXPECT_EQ(start.rule.states, reference.states);
    const auto world = createWorld<Cell>(mass, start);
    reference.cells = statesOf(world);
    for (int generation = 0; generation < 40; ++generation) {
      step(mass, world, start.rule);
      reference.step();
      ASSERT_EQ(statesOf(world), reference.cells) << generation;
    }
    if (devices == 1) hash = mass.hash();
    EXPECT_EQ(mass.hash(), hash);
  }
}

TEST(NonTotalisticCells, JustFriendsIsBornOfTwoThatAreNotAdjacent) {
  compare<NonTotalistic>(
      "B2-a/S12", {{},
                   2,
                   [](const Living& living) { return living.size() == 2 && !areAdjacent(living); },
                   counts("12")});
}

TEST(NonTotalisticCells, TlifeDiffersFromLifeByTwoArrangements) {
  compare<NonTotalistic>("B3/S2-i34q", {{}, 2, counts("3"), [](const Living& living) {
                                          if (living.size() == 2) return !areOppositeEdges(living);
                                          if (living.size() == 4) return isBeaconsMiddle(living);
                                          return living.size() == 3;
                                        }});
}

TEST(NonTotalisticCells, OrthogonalNeighboursOnly) {
  const auto edges = [](const Living& living) {
    std::size_t count = 0;
    for (const auto& [dy, dx] : living) count += dy == 0 || dx == 0 ? 1U : 0U;
    return count;
  };
  compare<NonTotalistic>(
      "B13/S02V", {{},
                   2,
                   [=](const Living& living) { return edges(living) % 2 == 1; },
                   [=](const Living& living) { return edges(living) == 0 || edges(living) == 2; }});
}

TEST(NonTotalisticCells, AnyRuleByCountsIsThatOfLife) {
  mass::Mass mass(settingsOf(2, "B3/S23"));
  const Start start = startOf(mass.settings());
  const auto world = createWorld<NonTotalistic>(mass, start);
  mass::Mass other(settingsOf(2, "B3/S23"));
  const auto life = createWorld<Life>(other, start);
  ASSERT_EQ(statesOf(world), statesOf(life));
  for (int generation = 0; generation < 30; ++generation) {
    step(mass, world, start.rule);
    life.callAll<&Life::nextGeneration>(Rule{});
    ASSERT_EQ(statesOf(world), statesOf(life)) << generation;
  }
}

TEST(GenerationsCells, LiveAndDieAsTheirRuleSays) {
  compare<Generations>("/2/3", {{}, 3, counts("2"), counts("")});
  compare<Generations>("345/2/4", {{}, 4, counts("2"), counts("345")});
  compare<Generations>("3456/2/6", {{}, 6, counts("2"), counts("3456")});
  compare<Generations>("0345/2/256", {{}, 256, counts("2"), counts("0345")});
}

TEST(GenerationsCells, MayDependOnTheArrangement) {
  compare<Generations>(
      "12/2-a/4", {{},
                   4,
                   [](const Living& living) { return living.size() == 2 && !areAdjacent(living); },
                   counts("12")});
}

TEST(GenerationsCells, AButterflyOfBriansBrainMovesByACellAGeneration) {
  mass::Settings settings = settingsOf(3, "Brian's Brain");
  mass::Mass mass(settings);
  Start start = startOf(mass.settings());
  start.pattern = Pattern::parseRle("x = 2, y = 2\n2A$2B!", "butterfly");
  const auto world = createWorld<Generations>(mass, start);
  const std::vector<int> first = statesOf(world);
  for (std::int64_t generation = 1; generation <= size; ++generation) {
    step(mass, world, start.rule);
    const auto moved = statesOf(world);
    for (std::int64_t at = 0; at < size * size; ++at) {
      ASSERT_EQ(moved[static_cast<std::size_t>(at)],
                first[static_cast<std::size_t>((at + generation * size) % (size * size))])
          << generation;
    }
  }
}

}  // namespace
}  // namespace life

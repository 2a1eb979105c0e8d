#include <mass/dispatch/bits/decision_diagram.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <random>
#include <vector>

namespace {

using mass::detail::BoolTable;
using mass::detail::DecisionDiagram;

/// Evaluates a diagram for one pattern.
bool resultOf(const DecisionDiagram& diagram, int pattern) {
  std::vector<bool> values{false, true};
  std::size_t node = 0;
  for (const auto& level : diagram.levels()) {
    const bool input = (pattern >> level.input & 1) != 0;
    for (int i = 0; i < level.nodes; ++i, ++node) {
      const auto [high, low] = diagram.nodes()[node];
      values.push_back(values.at(input ? high : low));
    }
  }
  return values.at(static_cast<std::size_t>(diagram.result()));
}

void check(const BoolTable& table, std::size_t mostNodes) {
  const DecisionDiagram diagram(table);
  for (int pattern = 0; pattern < 512; ++pattern)
    ASSERT_EQ(resultOf(diagram, pattern), table.at(pattern)) << pattern;
  EXPECT_LE(diagram.nodes().size(), mostNodes);
}

TEST(DecisionDiagram, HasTheResultsOfAnyTable) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    BoolTable table;
    for (int pattern = 0; pattern < 512; ++pattern)
      table.set(pattern, static_cast<int>(random() % 50) < trial);
    check(table, DecisionDiagram::mostValues - 2);
  }
}

TEST(DecisionDiagram, IsSmallForSimpleRules) {
  BoolTable constant, shift, parity, conway;
  for (int pattern = 0; pattern < 512; ++pattern) {
    const int all = std::popcount(static_cast<unsigned>(pattern));
    constant.set(pattern, true);
    shift.set(pattern, (pattern >> 3 & 1) != 0);
    parity.set(pattern, all % 2 != 0);
    conway.set(pattern, all == 3 || (all == 4 && (pattern & 16) != 0));
  }
  check(constant, 0);
  check(BoolTable{}, 0);
  check(shift, 1);
  check(parity, 17);
  check(conway, 40);
}

}  // namespace

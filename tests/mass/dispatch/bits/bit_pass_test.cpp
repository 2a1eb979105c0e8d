// Rules of bools by passes on bits, compared with loops over arrays.

#include "bool_cells.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using World = mass::testing::BoolWorld;
using mass::Border;
using mass::testing::RankSetup;

std::atomic<std::int64_t> calls{0};

class Cell : public mass::testing::BoolRules<Cell> {
 public:
  using Attributes = mass::Attributes<&Cell::alive>;

  void counted(const mass::Neighborhood<Cell>& near) {
    ++calls;
    alive = near(0, 1).alive;
  }
};

void compare(const World& world, const RankSetup& setup) {
  mass::testing::compare<Cell>(world, setup, mass::testing::AfterShift::compares);
}

class BitPassTest : public ::testing::TestWithParam<std::tuple<int, int, std::string>> {};

INSTANTIATE_TEST_SUITE_P(Passes, BitPassTest,
                         ::testing::Combine(::testing::Values(1, 3), ::testing::Values(1),
                                            ::testing::Values("1", "2", "3", "7", "16")));
INSTANTIATE_TEST_SUITE_P(ByManyThreads, BitPassTest,
                         ::testing::Combine(::testing::Values(1, 3), ::testing::Values(5),
                                            ::testing::Values("3", "16")));

TEST_P(BitPassTest, HasTheBitsOfLoopsOverArrays) {
  const auto [devices, threads, steps] = GetParam();
  constexpr std::array<std::array<std::int64_t, 2>, 11> shapes{{{1, 1},
                                                                {1, 5},
                                                                {5, 1},
                                                                {2, 2},
                                                                {3, 63},
                                                                {7, 64},
                                                                {13, 65},
                                                                {31, 127},
                                                                {4, 512},
                                                                {3, 1031},
                                                                {101, 3}}};
  for (const auto& [rows, columns] : shapes) {
    if (rows < devices) continue;
    for (const Border ofRows : {Border::periodic, Border::fixed, Border::mirrored}) {
      for (const Border ofColumns : {Border::periodic, Border::fixed, Border::mirrored}) {
        const bool outside = (rows + columns) % 2 == 0;
        compare({rows, columns, ofRows, ofColumns, outside},
                {.devices = {devices}, .threads = threads, .more = {"steps_per_pass=" + steps}});
      }
    }
  }
}

TEST(BitPass, HasTheBitsOfLoopsOverArraysOnRanks) {
  for (RankSetup setup : mass::testing::usualRanks()) {
    for (const std::string every : {"1", "3", "8"}) {
      setup.more = {"exchange_every=" + every, "steps_per_pass=5"};
      for (const Border ofRows : {Border::periodic, Border::fixed, Border::mirrored})
        compare({67, 70, ofRows, Border::periodic, true}, setup);
    }
  }
}

/// Returns the calls of a rule for a number of steps in a world of 64 x 64 cells.
std::int64_t callsOf(int steps, const std::string& stepsPerPass) {
  const World world{64, 64, Border::periodic, Border::periodic, false};
  mass::Mass mass = mass::testing::makeMass(1, 1, {}, {"steps_per_pass=" + stepsPerPass});
  const auto places = mass::testing::createWorld<Cell>(mass, world);
  mass::testing::setCells(places, mass::testing::BoolReference(world, 1));
  calls = 0;
  places.callAll<&Cell::counted>(mass::steps(steps));
  return calls;
}

TEST(BitPass, CallsARuleOncePerPattern) {
  EXPECT_EQ(callsOf(1, "1"), 512);
  EXPECT_EQ(callsOf(100, "1"), 512);
  EXPECT_EQ(callsOf(100, "16"), 512);
  EXPECT_EQ(callsOf(100, "auto"), 512);
}

TEST(BitPass, IsNotUsedForFewUpdatesByDefault) {
  // Passes of several steps call it for some places twice.
  EXPECT_GE(callsOf(10, "auto"), 10 * 64 * 64);
}

}  // namespace

// Rules of bools by passes on bits, compared with loops over arrays.

#include "../../../support/bool_reference.hpp"
#include "../../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace {

using Reference = mass::testing::BoolReference;
using World = mass::testing::BoolWorld;
using mass::Border;
using mass::Coordinates;
using mass::testing::RankSetup;

std::atomic<std::int64_t> calls{0};

class Cell : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Cell::alive>;
  using Near = mass::Neighborhood<Cell>;

  /// Result of a table of 512 patterns, in the order of mass::detail::BoolTable.
  void lookUp(const Near& near, const mass::Shared<std::uint8_t>& results) {
    unsigned pattern = 0;
    for (int k = 0; k < 9; ++k) pattern |= (near(k / 3 - 1, k % 3 - 1).alive ? 1U : 0U) << k;
    alive = results[pattern] != 0;
  }
  void count(const Near& near, unsigned birth, unsigned survival) {
    const auto living = near.count<&Cell::alive>(mass::moore<2>);
    alive = ((alive ? survival : birth) >> living & 1U) != 0;
  }
  /// Depends on more than the states: kernels on bytes run it.
  void shiftAtEvenSteps(const Near& near) {
    alive = near.step() % 2 == 0 ? near(1, 1).alive : near(-1, -1).alive != alive;
  }
  void counted(const Near& near) {
    ++calls;
    alive = near(0, 1).alive;
  }
};

mass::Places<Cell> createWorld(mass::Mass& mass, const World& world,
                               const std::vector<unsigned char>& cells) {
  Cell outside;
  outside.alive = world.outside;
  auto options = mass::borders(Border::periodic, outside);
  options.borders = {world.ofRows, world.ofColumns};
  const auto places = mass.createPlaces<Cell>({world.rows, world.columns}, options);
  places.initialise<&Cell::alive>([&](const Coordinates<2>& at) {
    return cells[static_cast<std::size_t>(at[0] * world.columns + at[1])] != 0;
  });
  return places;
}

std::vector<std::uint8_t> randomTable(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> results;
  for (int pattern = 0; pattern < 512; ++pattern) results.push_back(random() % 2);
  return results;
}

/// Advances a world by both, in batches of several lengths, by rules of all kinds.
void compareOn(mass::Mass& mass, const World& world) {
  const auto seed = static_cast<std::uint32_t>(world.rows * 7 + world.columns);
  Reference reference(world, seed);
  const auto places = createWorld(mass, world, reference.cells());
  const auto table = randomTable(seed);
  const auto results = mass.share(table);
  const auto check = [&](const std::string& rule) {
    const auto alive = places.download<&Cell::alive>();
    for (std::size_t i = 0; i < alive.size(); ++i) {
      ASSERT_EQ(alive[i], reference.cells()[i] != 0)
          << rule << ", place " << i << " at step " << reference.step();
    }
  };
  for (const int steps : {1, 7, 37}) {
    places.callAll<&Cell::lookUp>(mass::steps(steps), results);
    for (int k = 0; k < steps; ++k) reference.lookUp(table);
    check("table");
    // Reads the padding and the halos that passes on bits leave.
    places.callAll<&Cell::shiftAtEvenSteps>(mass::steps(3));
    for (int k = 0; k < 3; ++k) reference.shiftAtEvenSteps();
    check("shift");
    places.callAll<&Cell::count>(mass::steps(steps), 0x8U, 0xcU);
    for (int k = 0; k < steps; ++k) reference.count(0x8U, 0xcU);
    check("B3/S23");
    places.callAll<&Cell::count>(mass::steps(steps), 0x16dU, 0x185U);
    for (int k = 0; k < steps; ++k) reference.count(0x16dU, 0x185U);
    check("B02356/S0278");
  }
}

void compare(const World& world, const RankSetup& setup) {
  SCOPED_TRACE(fmt::format("{} x {}, borders {} {}, outside {}, {}", world.rows, world.columns,
                           static_cast<int>(world.ofRows), static_cast<int>(world.ofColumns),
                           world.outside, fmt::join(setup.more, ", ")));
  mass::testing::onRanks(setup, [&](mass::Mass& mass) { compareOn(mass, world); });
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
  const auto places = createWorld(mass, world, Reference(world, 1).cells());
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

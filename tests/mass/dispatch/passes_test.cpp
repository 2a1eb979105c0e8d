// Several steps in one pass and between exchanges, compared with loops over arrays.

#include "../../support/asymmetric_cells.hpp"
#include "../../support/long_test.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/no_more_files.hpp"
#include "../../support/ring_mappings.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using mass::Border;
using mass::Shape;
using mass::testing::Cell;
using mass::testing::compareOn;
using mass::testing::RankSetup;

/// Rows of a world with several blocks of rows; fewer in builds with checks, which are slow.
constexpr std::int64_t manyRows = mass::checked ? 31 : 101;

std::vector<int> usualBatches() {
  return mass::checked ? std::vector{5, 1, 17} : std::vector{7, 1, 33};
}

template <int D, int Reach>
void compare(Shape<D> shape, Border border, const RankSetup& setup,
             const std::vector<int>& batches = usualBatches(),
             const std::vector<std::vector<double>>& weights = {}) {
  if (setup.deviceCount() > shape[0]) return;
  SCOPED_TRACE(fmt::format("{}-D, {} rows, reach {}, border {}, {}", D, shape[0], Reach,
                           static_cast<int>(border), fmt::join(setup.more, ", ")));
  mass::testing::onRanks(
      setup, [&](mass::Mass& mass) { compareOn<D, Reach>(mass, shape, border, batches, weights); });
}

/// Compares worlds of several sizes and reaches.
void compareWorlds(Border border, const RankSetup& setup) {
  for (const std::int64_t rows : {std::int64_t{3}, std::int64_t{7}, manyRows}) {
    compare<1, 1>({rows}, border, setup);
    compare<1, 3>({rows}, border, setup);
    compare<2, 1>({rows, 13}, border, setup);
    compare<2, 2>({rows, 5}, border, setup);
  }
  compare<2, 1>({3, 1}, border, setup);
  compare<2, 1>({3 * manyRows, 2}, border, setup);
  compare<3, 1>({11, 3, 5}, border, setup);
  compare<3, 2>({5, 2, 7}, border, setup);
  compare<2, 2>({1, 1}, border, setup);
}

/// Compares worlds in which bands have the rows of a cycle of turns, or, by weights, some have not.
void compareCycles(Border border, const RankSetup& setup) {
  compare<1, 2>({149}, border, setup);
  compare<2, 1>({73, 13}, border, setup);
  compare<2, 2>({149, 5}, border, setup);
  compare<3, 1>({73, 3, 5}, border, setup);
}

class PassesTest : public ::testing::TestWithParam<std::tuple<Border, int, int, int>> {};

INSTANTIATE_TEST_SUITE_P(
    Passes, PassesTest,
    ::testing::Combine(::testing::Values(Border::periodic, Border::fixed, Border::mirrored),
                       ::testing::Values(1, 3), ::testing::Values(1, 5), ::testing::Values(3, 16)));

TEST_P(PassesTest, HaveTheBitsOfLoopsOverArrays) {
  const auto [border, devices, threads, steps] = GetParam();
  compareWorlds(border, {.devices = {devices},
                         .threads = threads,
                         .more = {fmt::format("steps_per_pass={}", steps), "seed=11"}});
}

/// Runs `body(border)` for each border; short tests of checked builds, which are slow, for one.
template <class Body>
void forEachBorder(const Body& body) {
  const std::vector<Border> all{Border::periodic, Border::fixed, Border::mirrored};
  for (const Border border : mass::checked ? mass::testing::fullOr(all, {Border::fixed}) : all)
    body(border);
}

/// Compares a world whose rows are so long that windows are rings, 16 steps a pass, and then 5.
template <int D, int Reach>
void compareLongRows(Shape<D> shape, Border border, int devices, int threads) {
  const int before = mass::testing::ringMappings();
  const RankSetup setup{
      .devices = {devices}, .threads = threads, .more = {"steps_per_pass=16", "seed=11"}};
  mass::testing::onRanks(setup, [&](mass::Mass& mass) {
    compareOn<D, Reach>(mass, shape, border, {16, 5});
    EXPECT_GT(mass::testing::ringMappings(), before);
  });
  EXPECT_EQ(mass::testing::ringMappings(), before);
}

TEST(Passes, OverLongRowsHaveTheBitsOfLoopsOverArrays) {
  int threads = 1;  // up to 5, in rotation
  forEachBorder([&](Border border) {
    const auto next = [&] { return threads++ % 5 + 1; };
    compareLongRows<2, 1>({13, 401}, border, 1, next());
    compareLongRows<2, 2>({11, 397}, border, 3, next());
    compareLongRows<2, 3>({9, 211}, border, 1, next());
    compareLongRows<2, 4>({13, 207}, border, 2, next());
    compareLongRows<3, 1>({7, 13, 31}, border, 2, next());
    compareLongRows<3, 2>({5, 17, 13}, border, 1, next());
  });
}

TEST(Passes, OverLongRowsNeedNoRings) {
  forEachBorder([](Border border) {
    const RankSetup setup{.threads = 2, .more = {"steps_per_pass=16", "seed=11"}};
    mass::testing::onRanks(setup, [&](mass::Mass& mass) {
      {
        const mass::testing::NoMoreFiles none;
        compareOn<2, 1>(mass, {13, 401}, border, {16});
      }
      EXPECT_EQ(mass::testing::ringMappings(), 0);
    });
  });
}

TEST(Passes, ChangeBetweenNumbersOfStepsInARun) {
  // The tuner tries 2, 4, ... steps. The last pass of a batch makes fewer, in some of the rings.
  for (const char* const steps : {"auto", "7"})
    compare<2, 1>({13, 701}, Border::mirrored,
                  {.threads = 2, .more = {fmt::format("steps_per_pass={}", steps), "seed=11"}},
                  {3, mass::checked ? 11 : 40, 1});
}

/// Border, steps per exchange, steps per pass.
class CyclesTest : public ::testing::TestWithParam<std::tuple<Border, std::string, std::string>> {};

INSTANTIATE_TEST_SUITE_P(
    Cycles, CyclesTest,
    ::testing::Combine(::testing::Values(Border::periodic, Border::fixed, Border::mirrored),
                       ::testing::Values("3", "4", "auto"), ::testing::Values("1", "5")));

TEST_P(CyclesTest, HaveTheBitsOfLoopsOverArraysOnRanks) {
  const auto [border, every, perPass] = GetParam();
  const std::vector<std::string> more{"exchange_every=" + every, "steps_per_pass=" + perPass,
                                      "seed=11"};
  for (RankSetup setup : mass::testing::usualRanks()) {
    setup.more = more;
    compareCycles(border, setup);
    if (every == "1" || every == "auto") compare<2, 1>({7, 3}, border, setup);
  }
}

TEST_P(CyclesTest, HaveTheBitsOfLoopsOverArraysAfterChangesOfThePartition) {
  const auto [border, every, perPass] = GetParam();
  const RankSetup setup{
      .devices = {1, 2},
      .threads = 2,
      .more = {"exchange_every=" + every, "steps_per_pass=" + perPass, "seed=11"}};
  const std::vector<int> batches{7, 1, 12, 3};
  const std::vector<std::vector<double>> weights{{1, 3, 1}, {2, 1, 4}};
  compare<1, 2>({73}, border, setup, batches, weights);
  compare<2, 1>({73, 13}, border, setup, batches, weights);
  compare<2, 2>({73, 5}, border, setup, batches, weights);
  compare<3, 1>({73, 3, 5}, border, setup, batches, weights);
}

/// Compares worlds on a line whose rules read places at distance 4.
void compareFar(std::int64_t rows, const RankSetup& setup) {
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored})
    compare<1, 4>({rows}, border, setup, {20, 3});
}

TEST(Passes, OfEachNumberOfStepsMayReadPlacesAtDistance4) {
  for (const int steps : {1, 2, 4, 8, 16}) {
    const std::vector<std::string> more{fmt::format("steps_per_pass={}", steps), "seed=11"};
    compareFar(manyRows, {.devices = {3}, .threads = 4, .more = more});
    compareFar(manyRows, {.devices = {4}, .threads = 2, .weights = {3, 1, 2, 2}, .more = more});
  }
}

TEST(Cycles, OfEachNumberOfStepsMayReadPlacesAtDistance4) {
  // Each rank has the 192 rows that 16 turns of rules of reach 12 read.
  for (const int every : {1, 2, 4, 8, 16})
    compareFar(400,
               {.devices = {1, 1}, .more = {fmt::format("exchange_every={}", every), "seed=11"}});
}

TEST(Cycles, GetLongerDuringARun) {
  // Trials of 1, 4 and more steps per exchange, and cycles of the selected number.
  const RankSetup setup{.devices = {1, 2}, .threads = 2, .more = {"seed=11"}};
  const std::vector<Border> all{Border::periodic, Border::fixed, Border::mirrored};
  for (const Border border : mass::testing::fullOr(all, {Border::mirrored}))
    compare<2, 1>({131, 7}, border, setup, {100, 5, mass::checked ? 300 : 1700, 31});
}

TEST(Cycles, AreRefusedIfNoDeviceHasSoManyRows) {
  RankSetup setup{.devices = {1, 1}, .more = {"exchange_every=9"}};
  mass::testing::runOnThreadRanks(2, [&](mass::detail::Ranks& ranks) {
    mass::Mass mass = mass::testing::makeMass(ranks, setup);
    const auto create = [&](std::int64_t rows) {
      return mass.createPlaces<Cell<2, 2>>({rows, 5}, {.name = fmt::format("{} rows", rows)});
    };
    try {
      create(34);
      ADD_FAILURE() << "no error";
    } catch (const mass::SettingsError& error) {
      EXPECT_STREQ(error.what(),
                   "--set exchange_every=9: needs 18 places of a neighbour along an axis, and no "
                   "device has so "
                   "many: set it to at most 8");
    }
    create(35);
  });
}

/// Runs rules in turn that read 4 rows a turn, in a world of 60 rows.
void runTurns(mass::Mass& mass, const std::vector<std::int64_t>& bands) {
  using P = Cell<2, 2>;
  const auto places = mass.createPlaces<P>({60, 5});
  if (!bands.empty()) mass.repartition(places, bands);
  places.callAll<&P::change>(mass::steps(20), std::uint64_t{1});
  constexpr auto parts = mass::writing<&P::changeParts, &P::parts>;
  places.callAll<mass::inTurn<&P::change, parts>>(mass::steps(20), std::uint64_t{1}, -1);
}

TEST(Cycles, OfTurnsAreRefusedIfNoDeviceHasSoManyRows) {
  for (const int every : {8, 15}) {
    RankSetup setup{.devices = {1, 1}, .more = {fmt::format("exchange_every={}", every)}};
    mass::testing::onRanks(setup, [&](mass::Mass& mass) {
      EXPECT_EQ(mass::testing::messageOf<mass::SettingsError>([&] { runTurns(mass, {}); }),
                fmt::format("--set exchange_every={}: needs {} places of a neighbour along an "
                            "axis, and no device has so "
                            "many: set it to at most 7",
                            every, 4 * every));
    });
  }
  for (const char* const every : {"1", "7", "auto"})
    mass::testing::onRanks({.devices = {1, 1}, .more = {std::string("exchange_every=") + every}},
                           [](mass::Mass& mass) { runTurns(mass, {}); });
}

TEST(Cycles, OfTurnsAreNotRefusedAfterTheFirstPartition) {
  mass::testing::onRanks({.devices = {1, 1}, .weights = {1, 3}, .more = {"exchange_every=11"}},
                         [](mass::Mass& mass) {
                           runTurns(mass, {30, 30});
                         });
}

TEST(Cycles, AreCountedByTheSpellingsOfIntegers) {
  for (const char* const key : {"exchange_every", "steps_per_pass"}) {
    for (const char* const number : {"2", "2.0", "2e0", "+2"})
      mass::testing::onRanks({.devices = {1, 1}, .more = {fmt::format("{}={}", key, number)}},
                             [](mass::Mass& mass) { runTurns(mass, {}); });
    for (const char* const wrong : {"2.5", "0", "65", "two", "-1", ""}) {
      mass::Settings settings;
      settings.set(fmt::format("{}={}", key, wrong));
      EXPECT_TRUE(mass::testing::contains(
          mass::testing::messageOf<mass::SettingsError>([&] { mass::Mass mass(settings); }),
          "must be auto or a number of steps from 1 to"))
          << key << "=" << wrong;
    }
  }
}

}  // namespace

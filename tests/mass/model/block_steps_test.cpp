// Several steps per exchange between blocks, compared with places of one device.

#include "../../support/long_test.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/ring_mappings.hpp"
#include "../../support/wave.hpp"

#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::RankSetup;
using mass::testing::Record;
using mass::testing::Wave;

template <int Reach>
void runWaves(Mass& mass, Record& record, const std::array<Border, 3>& borders,
              const mass::Shape<3>& shape) {
  using P = Wave<Reach>;
  mass::PlacesOptions<P> options;
  options.borders = borders;
  options.outside.value = 5;
  options.outside.level = 2;
  const auto waves = mass.createPlaces<P>(shape, options);
  std::uint64_t count = 0;
  waves.template initialise<&P::value>([&](const auto&) { return ++count; });
  waves.template callAll<&P::spread>(mass::steps(7));
  record.add("seven steps", mass.hash());
  waves.template callAll<&P::mark>();
  waves.template callAll<&P::spread>(mass::steps(4));
  record.add("eleven steps", mass.hash());
}

/// Parts along the axes, on ranks with some devices.
struct Cuts {
  std::string partition;
  std::vector<int> ranks;
};
const std::vector<Cuts> manyCuts{{"2x2", {4}}, {"3x2", {6}},    {"1x5", {5}},    {"4x1", {4}},
                                 {"2x4", {8}}, {"2x2", {1, 3}}, {"2x2", {2, 2}}, {"4x1", {1, 3}}};
/// Parts along all axes.
const std::vector<Cuts> threeAxes{
    {"2x2x2", {8}}, {"1x2x3", {6}}, {"3x1x2", {2, 4}}, {"1x1x4", {4}}, {"2x2x2", {1, 3, 4}}};

std::vector<RankSetup> setups(const std::vector<Cuts>& cuts) {
  std::vector<RankSetup> all;
  for (const auto& [partition, ranks] : cuts) {
    for (const int every : {1, 2, 4}) {
      RankSetup& setup = all.emplace_back(RankSetup{.devices = ranks});
      // Passes of all steps of an exchange, or of fewer.
      setup.more = {"partition=" + partition, fmt::format("exchange_every={}", every),
                    all.size() % 3 == 0 ? "steps_per_pass=auto"
                                        : fmt::format("steps_per_pass={}", all.size() % 3)};
    }
  }
  return all;
}

/// Returns a world of which each of some parts has as many places as four steps read.
/// @param columns parts along axis 2; 0 for 3 columns
mass::Shape<3> worldOf(int rows, int lines, int columns, int reach) {
  return {4 * rows * reach, 4 * lines * reach, columns == 0 ? 3 : 4 * columns * reach};
}

/// Tests borders of axes 0 and 1, all pairs in the long test, with that of axis 2 in turn.
template <int Reach>
void testBorders(const std::vector<Cuts>& all, const std::vector<Cuts>& quick, int step,
                 const mass::Shape<3>& shape = worldOf(4, 5, 0, Reach)) {
  const std::vector<Cuts> cuts = mass::testing::fullOr(all, quick);
  for (int kinds = 0; kinds < 9; kinds += mass::testing::fullOr(1, step)) {
    const int ofRows = kinds % 3, ofLines = kinds / 3;
    const std::array<Border, 3> borders{static_cast<Border>(ofRows), static_cast<Border>(ofLines),
                                        static_cast<Border>((ofRows + ofLines) % 3)};
    SCOPED_TRACE(fmt::format("reach {}, borders {}", Reach, kinds));
    const auto model = [&](Mass& mass, Record& record) {
      runWaves<Reach>(mass, record, borders, shape);
    };
    const Record expected = mass::testing::recordOnRanks({}, model);
    for (const RankSetup& setup : setups(cuts)) {
      if (!mass::testing::haveDevices(setup.deviceCount())) continue;
      EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, model), expected))
          << fmt::format("{}; {}", fmt::join(setup.more, " "), setup.text());
    }
  }
}

TEST(BlockSteps, PerExchangeHaveTheBitsOfOneDevice) {
  testBorders<1>(manyCuts, manyCuts, 4);
}
TEST(BlockSteps, MayReadPlacesAtDistance2) {
  testBorders<2>(manyCuts, {manyCuts[0], manyCuts[2]}, 4);
}
TEST(BlockSteps, MayReadPlacesAtDistance3) {
  testBorders<3>(manyCuts, {manyCuts[5]}, 7);
}
TEST(BlockSteps, MayReadPlacesAtDistance4) {
  testBorders<4>(manyCuts, {manyCuts[1]}, 8);
}
TEST(BlockSteps, PerExchangeMayCutAllAxes) {
  testBorders<1>(threeAxes, {threeAxes[0], threeAxes[3]}, 8, worldOf(3, 2, 4, 1));
  testBorders<2>(threeAxes, {threeAxes[4]}, 9,
                 mass::testing::fullOr(worldOf(3, 2, 4, 2), worldOf(2, 2, 2, 2)));
  if (!mass::testing::isLongTest()) return;
  testBorders<3>(threeAxes, {}, 1, worldOf(3, 2, 4, 3));
  testBorders<4>(threeAxes, {}, 1, worldOf(3, 2, 4, 4));
}

TEST(BlockSteps, MayBeMadeInRings) {
  // Planes of 4,000 places: the windows of six steps do not fit into a cache.
  const std::vector<std::pair<Border, Cuts>> cases{{Border::periodic, {"1x1", {1}}},
                                                   {Border::fixed, {"1x2", {1, 1}}},
                                                   {Border::mirrored, {"1x1x2", {2}}}};
  for (const auto& [border, cuts] : cases) {
    const auto model = [border = border](Mass& mass, Record& record) {
      const Border next = border == Border::mirrored ? Border::periodic : Border::mirrored;
      runWaves<1>(mass, record, {next, border, border}, {17, 67, 73});
    };
    const Record expected = mass::testing::recordOnRanks({.more = {"steps_per_pass=1"}}, model);
    const RankSetup setup{
        .devices = cuts.ranks,
        .threads = 2,
        .more = {"partition=" + cuts.partition, "exchange_every=7", "steps_per_pass=7"}};
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    const int before = mass::testing::ringMappings();
    const auto withRings = [&](Mass& mass, Record& record) {
      model(mass, record);
      if (mass::testing::testBackend() == "cpu")  // GPUs have no windows of rows
        EXPECT_GT(mass::testing::ringMappings(), before);
    };
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, withRings), expected))
        << cuts.partition;
  }
}

TEST(BlockSteps, AreMadeByRulesInTurn) {
  const auto model = [](Mass& mass, Record& record) {
    using P = Wave<1>;
    mass::PlacesOptions<P> options;
    options.borders = {Border::mirrored, Border::periodic, Border::fixed};
    const auto waves = mass.createPlaces<P>({20, 24, 24}, options);
    waves.callAll<mass::inTurn<&P::spread, &P::mark, &P::spread>>(mass::steps(5));
    record.add("five turns", mass.hash());
  };
  const Record expected = mass::testing::recordOnRanks({}, model);
  for (const RankSetup& setup : setups({{"2x2", {4}}, {"1x3", {1, 2}}, {"1x2x2", {1, 3}}})) {
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, model), expected))
        << fmt::format("{}; {}", fmt::join(setup.more, " "), setup.text());
  }
}

TEST(BlockSteps, MayComputeAllPlacesOfNeighbours) {
  const auto model = [](Mass& mass, Record& record) {
    using P = Wave<1>;
    const auto waves = mass.createPlaces<P>({8, 8, 8}, mass::borders<P>(Border::fixed));
    waves.callAll<mass::inTurn<&P::mark, &P::spread>>(mass::steps(8));
    record.add("eight turns", mass.hash());
  };
  const Record expected = mass::testing::recordOnRanks({}, model);
  for (const auto& [partition, ranks] :
       std::vector<Cuts>{{"rows", {1, 1}}, {"2x2", {4}}, {"1x1x2", {2}}}) {
    const RankSetup setup{.devices = ranks, .more = {"partition=" + partition, "exchange_every=4"}};
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, model), expected)) << partition;
  }
}

/// Returns the exchanges of a run of some steps in blocks.
mass::ExchangeReport exchangesOf(const std::string& every) {
  Mass mass = mass::testing::makeMass(4, 0, {}, {"partition=2x2", "exchange_every=" + every});
  const auto waves = mass.createPlaces<Wave<1>>({32, 32, 8});
  waves.callAll<&Wave<1>::spread>(mass::steps(8));
  return mass.exchangeReports().at(0);
}

TEST(BlockSteps, SendDeepGhostsSeldom) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  const mass::ExchangeReport one = exchangesOf("1"), four = exchangesOf("4");
  EXPECT_EQ(one.stepsPerExchange, 1);
  EXPECT_EQ(four.stepsPerExchange, 4);
  if (mass::testing::testBackend() == "cuda") return;  // GPUs do not count bytes
  // value and level of the faces at both sides of both cuts, in 10 of the padded lines of 34
  // places; then of 4 times as many lines in every fourth step, beside the corners.
  EXPECT_GT(one.bytesPerStep, 4 * 2 * 16 * 10 * 12 * 2);
  EXPECT_LT(one.bytesPerStep, 4 * 2 * 18 * 16 * 12 * 2);
  EXPECT_GT(four.bytesPerStep, one.bytesPerStep);
  EXPECT_LT(four.bytesPerStep, 1.5 * one.bytesPerStep);
}

TEST(BlockSteps, ThatNeedMoreLinesThanABlockHasAreRefused) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  try {
    Mass mass = mass::testing::makeMass(4, 0, {}, {"partition=2x2", "exchange_every=5"});
    (void)mass.createPlaces<Wave<2>>({40, 12, 3});
    FAIL() << "accepted";
  } catch (const mass::Error& error) {
    EXPECT_STREQ(error.what(),
                 "--set exchange_every=5: needs 10 places of a neighbour along an axis, and no "
                 "device has so many: "
                 "set it to at most 3");
  }
}

}  // namespace

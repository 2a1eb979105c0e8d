// Several steps per exchange between blocks, compared with places of one device.

#include "../../support/long_test.hpp"
#include "../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::RankSetup;
using mass::testing::Record;

/// Place whose bits depend on the farthest places that its rules can read along each axis and at
/// two corners.
template <int Reach>
class Wave : public mass::Place<3> {
 public:
  static constexpr int reach = Reach;
  std::uint64_t value = 1;
  float level = 0.5F;
  std::uint32_t kept = 7;
  using Attributes = mass::Attributes<&Wave::value, &Wave::level, &Wave::kept>;

  MASS_FN void spread(const mass::Neighborhood<Wave>& near) {
    std::uint64_t next = mass::detail::mix(value) + static_cast<std::uint64_t>(near.index());
    float sum = level;
    const auto read = [&](const mass::Offset<3>& offset) {
      const Wave there = near(offset);
      next = mass::detail::mix(next ^ there.value) + there.kept;
      sum += there.level;
    };
    for (const int k : {-Reach, Reach}) {
      read({k, 0, 0});
      read({0, k, 0});
      read({0, 0, k});
      read({k, -k, k});
    }
    for (int end = 0; end < 2; ++end)
      for (int axis = 0; axis < 3; ++axis) next += near.isAtFixedEnd(axis, end) ? 1U << axis : 0U;
    value = next + near.random().below(1000);
    level = sum / 10;
  }
  MASS_FN void mark(const mass::Here<3>& here) {
    kept = kept * 31U + static_cast<std::uint32_t>(here.coordinates()[1]);
  }
};

template <int Reach>
void runWaves(Mass& mass, Record& record, const std::array<Border, 3>& borders) {
  using P = Wave<Reach>;
  mass::PlacesOptions<P> options;
  options.borders = borders;
  options.outside.value = 5;
  options.outside.level = 2;
  // Four steps per exchange read as many places of each of 4 rows of parts and 5 lines of parts.
  const auto waves = mass.createPlaces<P>({4 * 4 * Reach, 5 * 4 * Reach, 3}, options);
  std::uint64_t count = 0;
  waves.template initialise<&P::value>([&](const auto&) { return ++count; });
  waves.template callAll<&P::spread>(mass::steps(7));
  record.add("seven steps", mass.hash());
  waves.template callAll<&P::mark>();
  waves.template callAll<&P::spread>(mass::steps(4));
  record.add("eleven steps", mass.hash());
}

/// Parts along both axes, on ranks with some devices.
struct Cuts {
  std::string partition;
  std::vector<int> ranks;
};
const std::vector<Cuts> manyCuts{{"2x2", {4}}, {"3x2", {6}},    {"1x5", {5}},
                                 {"4x1", {4}}, {"2x4", {8}},    {"2x2", {1, 3}},
                                 {"2x2", {2, 2}}, {"4x1", {1, 3}}};

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

template <int Reach>
void testBorders(const std::vector<Cuts>& cuts, int step) {
  for (int kinds = 0; kinds < 27; kinds += mass::testing::fullOr(1, step)) {
    const std::array<Border, 3> borders{static_cast<Border>(kinds % 3),
                                        static_cast<Border>(kinds / 3 % 3),
                                        static_cast<Border>(kinds / 9)};
    SCOPED_TRACE(fmt::format("reach {}, borders {}", Reach, kinds));
    const auto model = [&](Mass& mass, Record& record) { runWaves<Reach>(mass, record, borders); };
    const Record expected = mass::testing::recordOnRanks({}, model);
    for (const RankSetup& setup : setups(cuts)) {
      if (!mass::testing::haveDevices(setup.deviceCount())) continue;
      EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, model), expected))
          << fmt::format("{}; {}", fmt::join(setup.more, " "), setup.text());
    }
  }
}

TEST(BlockSteps, PerExchangeHaveTheBitsOfOneDevice) {
  testBorders<1>(manyCuts, 4);
}
TEST(BlockSteps, MayReadFurtherPlaces) {
  testBorders<2>({manyCuts[0], manyCuts[2]}, 13);
  testBorders<3>({manyCuts[5]}, 20);
  testBorders<4>({manyCuts[1]}, 26);
}

TEST(BlockSteps, AreMadeByRulesInTurn) {
  const auto model = [](Mass& mass, Record& record) {
    using P = Wave<1>;
    mass::PlacesOptions<P> options;
    options.borders = {Border::mirrored, Border::periodic, Border::fixed};
    const auto waves = mass.createPlaces<P>({20, 24, 5}, options);
    waves.callAll<mass::inTurn<&P::spread, &P::mark, &P::spread>>(mass::steps(5));
    record.add("five turns", mass.hash());
  };
  const Record expected = mass::testing::recordOnRanks({}, model);
  for (const RankSetup& setup : setups({{"2x2", {4}}, {"1x3", {1, 2}}})) {
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, model), expected))
        << fmt::format("{}; {}", fmt::join(setup.more, " "), setup.text());
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
  if (mass::testing::testBackend() == "cuda") GTEST_SKIP() << "GPUs exchange in every step";
  const mass::ExchangeReport one = exchangesOf("1"), four = exchangesOf("4");
  EXPECT_EQ(one.stepsPerExchange, 1);
  EXPECT_EQ(four.stepsPerExchange, 4);
  // value and level of the faces at both sides of both cuts, in 10 of the padded lines of 34
  // places; then of 4 times as many lines in every fourth step, beside the corners.
  EXPECT_GT(one.bytesPerStep, 4 * 2 * 16 * 10 * 12 * 2);
  EXPECT_LT(one.bytesPerStep, 4 * 2 * 18 * 16 * 12 * 2);
  EXPECT_GT(four.bytesPerStep, one.bytesPerStep);
  EXPECT_LT(four.bytesPerStep, 1.5 * one.bytesPerStep);
}

TEST(BlockSteps, ThatNeedMoreLinesThanABlockHasAreRefused) {
  try {
    Mass mass = mass::testing::makeMass(4, 0, {}, {"partition=2x2", "exchange_every=5"});
    (void)mass.createPlaces<Wave<2>>({40, 12, 3});
    FAIL() << "accepted";
  } catch (const mass::Error& error) {
    EXPECT_STREQ(error.what(),
                 "--set exchange_every=5: needs 10 rows of a neighbour, and no device has so many: "
                 "set it to at most 3");
  }
}

}  // namespace

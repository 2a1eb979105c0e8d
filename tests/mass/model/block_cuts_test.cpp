// Blocks whose cuts are given, move during a run, or differ after a restart.

#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/wave.hpp"

#include <mass/dispatch/block_balance.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;
using mass::testing::RankSetup;
using mass::testing::Record;
using mass::testing::Wave;
using Numbers = std::vector<std::int64_t>;

constexpr mass::Shape<3> shape{9, 11, 5};

mass::Places<Wave<1>> createWaves(Mass& mass) {
  mass::PlacesOptions<Wave<1>> options;
  options.borders = {Border::periodic, Border::mirrored, Border::fixed};
  options.outside.value = 5;
  const auto waves = mass.createPlaces<Wave<1>>(shape, options);
  std::uint64_t count = 0;
  waves.initialise<&Wave<1>::value>([&](const auto&) { return ++count; });
  return waves;
}

void runWaves(Mass& mass, Record& record) {
  const auto waves = createWaves(mass);
  for (int batch = 0; batch < 3; ++batch) {
    waves.callAll<&Wave<1>::spread>(mass::steps(3));
    record.add("three steps", mass.hash());
  }
}

RankSetup withCuts(const std::string& cuts, const std::vector<int>& ranks) {
  RankSetup setup{.devices = ranks};
  setup.more = {"partition.cuts=" + cuts};
  return setup;
}

TEST(GivenCuts, HaveTheBitsOfOneDevice) {
  const Record expected = mass::testing::recordOnRanks({}, runWaves);
  for (const RankSetup& setup :
       {withCuts("[[0, 1, 9], [0, 7, 8, 11]]", {6}), withCuts("[[0,5,9],[0,2,11]]", {1, 3}),
        withCuts("[[0, 9], [0, 1, 2, 11]]", {2, 1}), withCuts("[[0, 2, 3, 9]]", {1, 2}),
        withCuts("[[0, 5, 9], [0, 2, 11], [0, 1, 5]]", {3, 5}),
        withCuts("[[0, 9], [0, 11], [0, 2, 3, 5]]", {3})}) {
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, runWaves), expected))
        << setup.more.front();
  }
}

TEST(GivenCuts, AreThoseOfTheParts) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  Mass mass = makeMass(4, 0, {}, {"partition.cuts=[[0,1,9],[0,7,11]]"});
  (void)createWaves(mass);
  const std::vector<mass::AnyPlaces::Part> parts = mass.places().front().parts();
  EXPECT_EQ(parts[1].first, (Numbers{0, 7, 0}));
  EXPECT_EQ(parts[1].size, (Numbers{1, 4, 5}));
  EXPECT_EQ(parts[2].first, (Numbers{1, 0, 0}));
  EXPECT_EQ(parts[2].size, (Numbers{8, 7, 5}));
  EXPECT_EQ(parts[2].neighbors, (std::vector{0, 1, 3}));
}

TEST(GivenCuts, MayBeListsInAFile) {
  const mass::Settings settings = mass::Settings::parse(
      "devices: 6\nbackend: cpu\npartition.cuts: [[0, 1, 9], [0, 7, 8, 11]]\n", "run.yaml");
  EXPECT_EQ(settings.get<std::string>("partition.cuts"), "[[0, 1, 9], [0, 7, 8, 11]]");
  const mass::Settings again = mass::Settings::parse(settings.print(), "again.yaml");
  EXPECT_TRUE(settings.differences(again).empty());
  EXPECT_EQ(mass::Settings::parse("partition: [2, 4]", "run.yaml").get<std::string>("partition"),
            "[2, 4]");
  EXPECT_TRUE(contains(messageOf<mass::SettingsError>([] {
                         (void)mass::Settings::parse("partition:\n  cuts: [[0, 9]]\n", "run.yaml");
                       }),
                       "expected text, got a section"));
}

/// Returns the message of settings that are refused.
std::string refusal(int devices, const std::vector<std::string>& settings) {
  return messageOf<mass::SettingsError>([&] {
    Mass mass = makeMass(devices, 0, {}, settings);
    (void)createWaves(mass);
  });
}

TEST(GivenCuts, ThatDoNotFitAreRefused) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  const auto of = [](const std::string& cuts) { return refusal(4, {"partition.cuts=" + cuts}); };
  for (const char* const malformed :
       {"[0, 4, 9]", "[[0, 4, 9]", "[[0, 4, 9], [0, x, 11]]", "[[1, 4, 9], [0, 5, 11]]",
        "[[0, 4, 4, 9]]", "[[0, 5, 4, 9]]", "[[0], [0, 1, 2, 3, 11]]", "[[]]", "2x2",
        "[[0, 9], [0, 11], [0, 5], [0, 1]]"})
    EXPECT_TRUE(contains(of(malformed), "must be one to three lists of numbers that ascend from 0"))
        << malformed;
  EXPECT_EQ(
      of("[[0, 4, 9], [0, 11]]"),
      "--set partition.cuts=[[0, 4, 9], [0, 11]]: 2 x 1 are 2 parts, and there are 4 devices: "
      "each needs one");
  EXPECT_EQ(of("[[0, 4, 9], [0, 5, 12]]"),
            "--set partition.cuts=[[0, 4, 9], [0, 5, 12]]: the cuts of axis 1 end at 12, and "
            "'Wave<1>' has 11 places along it");
  EXPECT_TRUE(contains(of("[[0, 1, 2, 3, 8]]"), "the cuts of axis 0 end at 8"));
  EXPECT_TRUE(contains(refusal(4, {"partition.cuts=[[0,4,9],[0,5,11]]", "partition=2x2"}),
                       "leave out 'partition' and 'weights'"));
  EXPECT_TRUE(contains(refusal(4, {"partition.cuts=[[0,4,9],[0,5,11]]", "weights=[1,1,1,2]"}),
                       "leave out 'partition' and 'weights'"));
}

TEST(BlockBalance, MovesCutsOfBothAxes) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 devices";
  Mass mass = makeMass(4, 0, {}, {"partition=2x2"});
  const auto waves = mass.createPlaces<Wave<1>>({40, 60, 3});
  const std::uint64_t hash = mass.hash();
  mass::detail::PlaceFields* fields = waves.population().fields.get();
  const auto balance = [&](const std::vector<double>& seconds, double threshold) {
    return rebalanceBlocks(std::span(&fields, 1), seconds, threshold);
  };
  EXPECT_FALSE(balance({1, 1, 1, 1.2}, 0.2).hasMoved());  // within the threshold
  // Device 0 takes three times as long.
  const mass::Rebalance result = balance({3, 1, 1, 1}, 0.1);
  EXPECT_TRUE(result.hasMoved());
  EXPECT_DOUBLE_EQ(result.imbalance, 1);
  EXPECT_EQ(result.before, (Numbers{20, 20, 20, 20}));
  EXPECT_EQ(result.linesBefore, (Numbers{30, 30, 30, 30}));
  EXPECT_LT(result.after[0], 20);
  EXPECT_EQ(result.after[0] + result.after[2], 40);
  EXPECT_LT(result.linesAfter[0], 30);
  EXPECT_EQ(result.linesAfter[0] + result.linesAfter[1], 60);
  EXPECT_LT(result.expected, 0.2);
  EXPECT_EQ(mass.hash(), hash);
  // The sums of both axes are equal, so no cut helps.
  EXPECT_FALSE(balance({2, 1, 1, 2}, 0.1).hasMoved());
}

/// Calls steps between changes of the partition.
void runWithMoves(Mass& mass, Record& record) {
  const auto waves = createWaves(mass);
  mass::detail::PlaceFields& fields = *waves.population().fields;
  std::mt19937 random(7);
  const auto cutsOf = [&](const mass::RowPartition& before) {
    std::vector<double> weights(static_cast<std::size_t>(before.devices()));
    for (double& weight : weights) weight = 1 + static_cast<double>(random() % 8);
    return mass::RowPartition(before.rows(), weights);
  };
  for (int batch = 0; batch < 3; ++batch) {
    waves.callAll<&Wave<1>::spread>(mass::steps(3));
    record.add("three steps", mass.hash());
    const mass::detail::BlockPartition& blocks = fields.blocks();
    mass::detail::BlockPartition next = blocks;
    for (std::size_t axis = 0; axis < 3; ++axis) next = next.with(axis, cutsOf(blocks.along(axis)));
    fields.repartition(next);
    record.add("values", waves.download<&Wave<1>::value>());
    (void)mass.rebalance(mass::Balance::time, 0);
  }
}

TEST(BlockBalance, KeepsTheBits) {
  const Record expected = mass::testing::recordOnRanks({}, runWithMoves);
  for (const auto& [partition, ranks] : std::vector<std::pair<std::string, std::vector<int>>>{
           {"2x2", {4}}, {"3x2", {1, 3, 2}}, {"1x4", {2, 2}}, {"2x3", {6}}, {"2x2x2", {3, 5}}}) {
    RankSetup setup{.devices = ranks};
    setup.more = {"partition=" + partition};
    if (!mass::testing::haveDevices(setup.deviceCount())) continue;
    EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, runWithMoves), expected)) << partition;
  }
}

/// Returns the first places of the parts of devices on ranks of hosts.
std::vector<Numbers> partsOnHosts(const std::string& partition, const std::vector<int>& ranks,
                                  const std::vector<std::string>& hosts, bool isLow) {
  RankSetup setup{.devices = ranks};
  setup.more = {"partition=" + partition};
  setup.network.hosts = hosts;
  std::vector<Numbers> firsts;
  mass::testing::onRanks(setup, [&](Mass& mass) {
    const mass::Shape<3> world = isLow ? mass::Shape<3>{8, 40, 3} : mass::Shape<3>{40, 8, 3};
    (void)mass.createPlaces<Wave<1>>(world);
    if (!mass.devices().ranks().isFirst()) return;
    for (const auto& part : mass.places().front().parts())
      firsts.push_back({part.first[0], part.first[1]});
  });
  return firsts;
}

TEST(BlockHosts, OwnTheTilesThatSendLeast) {
  if (mass::testing::testBackend() == "cuda") GTEST_SKIP() << "ranks on threads share the GPUs";
  using Firsts = std::vector<Numbers>;
  // Two hosts: their devices share the cut that is longer.
  EXPECT_EQ(partsOnHosts("2x2", {1, 1, 1, 1}, {"a", "a", "b", "b"}, true),
            (Firsts{{0, 0}, {4, 0}, {0, 20}, {4, 20}}));
  EXPECT_EQ(partsOnHosts("2x2", {2, 2}, {"a", "b"}, false),
            (Firsts{{0, 0}, {0, 4}, {20, 0}, {20, 4}}));
  // Row by row: hosts with different numbers of devices, or devices of a host that do not follow
  // each other.
  const Firsts rowByRow{{0, 0}, {0, 20}, {4, 0}, {4, 20}};
  EXPECT_EQ(partsOnHosts("2x2", {1, 3}, {"a", "b"}, true), rowByRow);
  EXPECT_EQ(partsOnHosts("2x2", {1, 1, 1, 1}, {"a", "b", "a", "b"}, true), rowByRow);
}

TEST(BlockHosts, HaveTheBitsOfOneDevice) {
  const Record expected = mass::testing::recordOnRanks({}, runWithMoves);
  RankSetup setup{.devices = {2, 1, 1, 2}};
  setup.more = {"partition=2x3"};
  setup.network.hosts = {"a", "b", "b", "c"};
  if (!mass::testing::haveDevices(6)) GTEST_SKIP() << "needs 6 devices";
  EXPECT_TRUE(areEqual(mass::testing::recordOnRanks(setup, runWithMoves), expected));
}

TEST(BlockRestart, MayHaveAnotherPartition) {
  const mass::testing::TemporaryFolder folder;
  const std::string file = (folder.path() / "waves.h5").string();
  const auto on = [&](const RankSetup& setup, bool restarts) {
    return mass::testing::recordOnRanks(setup, [&](Mass& mass, Record& record) {
      const auto waves = createWaves(mass);
      if (restarts) {
        (void)mass.restoreCheckpoint(file, "waves");
      } else {
        waves.callAll<&Wave<1>::spread>(mass::steps(2));
        mass.saveCheckpoint(file, "waves");
      }
      waves.callAll<&Wave<1>::spread>(mass::steps(3));
      record.add("five steps", mass.hash());
    });
  };
  if (!mass::testing::haveDevices(6)) GTEST_SKIP() << "needs 6 devices";
  const Record expected = on(withCuts("[[0,5,9],[0,2,11]]", {1, 3}), false);
  for (const RankSetup& setup :
       {RankSetup{}, RankSetup{.devices = {2, 1}}, withCuts("[[0,1,9],[0,7,8,11]]", {6}),
        withCuts("[[0,9],[0,1,2,11]]", {2, 1}), withCuts("[[0,4,9],[0,11],[0,1,2,5]]", {2, 4})})
    EXPECT_TRUE(areEqual(on(setup, true), expected)) << setup.text();
}

}  // namespace

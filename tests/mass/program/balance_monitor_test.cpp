#include "../../support/long_test.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>
#include <mass/program/balance_monitor.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using mass::Balance;
using mass::Border;
using mass::Mass;
using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using Rows = std::vector<std::int64_t>;

/// Place whose bits depend on everything that its rule can read.
template <int D, int Reach>
class Spot : public mass::Place<D> {
 public:
  static constexpr int reach = Reach;
  std::uint32_t value = 1;
  bool flag = false;
  float level = 0.5F;
  std::int64_t soil[2] = {3, 4};
  using Attributes =
      mass::Attributes<&Spot::value, &Spot::flag, &Spot::level, mass::constant<&Spot::soil>>;

  MASS_FN void spread(const mass::Neighborhood<Spot>& near) {
    std::uint32_t sum = value + static_cast<std::uint32_t>(near.random().below(1000));
    for (int axis = 0; axis < D; ++axis) {
      for (const int along : {-Reach, -1, 1, Reach}) {
        mass::Offset<D> offset{};
        offset[axis] = along;
        const Spot there = near(offset);
        sum = sum * 31 + there.value + (there.flag ? 7U : 0U) +
              static_cast<std::uint32_t>(there.soil[axis % 2]);
        level += 0.125F * there.level;
      }
    }
    for (int i = 0; i < near.size(); ++i) sum += near[i].value;
    value = sum;
    flag = sum % 3 == 0;
    level = level - static_cast<float>(static_cast<int>(level));
  }
  MASS_FN void grow(const mass::Here<D>& here) {
    value += static_cast<std::uint32_t>(here.index());
  }
  MASS_FN float steepness(const mass::Neighborhood<Spot>& near) const {
    mass::Offset<D> above{};
    above[0] = -Reach;
    return level - near(above).level;
  }
};

template <int D, int Reach>
mass::Places<Spot<D, Reach>> createSpots(Mass& mass, mass::Shape<D> shape,
                                         std::array<Border, std::size_t{D}> borders) {
  using P = Spot<D, Reach>;
  mass::PlacesOptions<P> options;
  options.borders = borders;
  options.outside.value = 5;
  auto spots = mass.createPlaces<P>(shape, options);
  spots.template initialise<&P::soil>([](const mass::Coordinates<D>& at) {
    return std::array<std::int64_t, 2>{at[0], 3 * at[D - 1]};
  });
  mass::Offset<D> below{};
  below[0] = Reach;
  spots.setNeighbors({below});
  return spots;
}

/// Returns random bands of `rows` rows.
Rows anyRows(std::mt19937_64& random, int devices, std::int64_t rows) {
  Rows bands(static_cast<std::size_t>(devices), 1);
  const std::uint64_t all = random() % 3 == 0 ? 1 : bands.size();  // sometimes one has the rest
  for (std::int64_t row = devices; row < rows; ++row) ++bands[random() % all];
  return bands;
}

/// Compares a world whose cuts move at every step with one on a single device.
/// @param random for steps and cuts @param file path of checkpoints
template <int D, int Reach>
void compareRuns(Mass& many, mass::Shape<D> shape, std::array<Border, std::size_t{D}> borders,
                 std::mt19937_64 random, const std::filesystem::path& file) {
  Mass alone = makeMass(1);
  auto expected = createSpots<D, Reach>(alone, shape, borders);
  auto spots = createSpots<D, Reach>(many, shape, borders);
  using P = Spot<D, Reach>;
  const auto both = [&](auto&& work) {
    work(expected);
    work(spots);
    ASSERT_EQ(many.hash(), alone.hash());
  };
  const auto moveCuts = [&] {
    many.repartition(spots, anyRows(random, many.devices().size(), shape[0]));
  };
  for (int turn = 0; turn < 8 && !::testing::Test::HasFatalFailure(); ++turn) {
    const int steps = static_cast<int>(1 + random() % 3);
    moveCuts();
    both([&](auto& world) { world.template callAll<&P::spread>(mass::steps(steps)); });
    moveCuts();
    ASSERT_EQ(spots.template reduce<&P::steepness>(mass::sum),
              expected.template reduce<&P::steepness>(mass::sum));
    both([&](auto& world) { world.template callAll<&P::grow>(); });
    if (turn % 3 == 1) many.saveCheckpoint(file, "spots");
    moveCuts();
    if (turn % 3 == 1) {
      spots.template callAll<&P::spread>();
      (void)many.restoreCheckpoint(file, "spots");
    }
  }
}

/// Compares the runs of a random world on one device and on ranks with two devices or more in all.
template <int D, int Reach>
void compareWorlds(std::uint64_t number, int ranks = 1) {
  std::mt19937_64 random(number);
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(random() % bound);
  };
  constexpr std::int64_t primes[] = {5, 7, 11, 13, 17, 31};
  mass::Shape<D> shape{};
  std::array<Border, std::size_t{D}> borders{};
  for (int axis = 0; axis < D; ++axis) shape[axis] = axis == 0 ? primes[below(6)] : 1 + below(7);
  for (Border& border : borders) border = static_cast<Border>(below(3));
  mass::testing::RankSetup setup;
  setup.devices.assign(static_cast<std::size_t>(ranks), 1);
  const int devices = std::max(ranks, static_cast<int>(2 + below(4)));
  while (setup.deviceCount() < devices) ++setup.devices[random() % setup.devices.size()];
  setup.threads = devices + 1;
  const TemporaryFolder folder;
  mass::testing::onRanks(setup, [&](Mass& many) {
    SCOPED_TRACE(fmt::format("{} dimensions, reach {}, trial {}", D, Reach, number));
    compareRuns<D, Reach>(many, shape, borders, random, folder.path() / "spots.h5");
  });
}

TEST(Repartition, TheStateIsThatOfOneDeviceWhereverTheCutsAre) {
  const std::uint64_t worlds = mass::testing::fullOr(16U, 6U);
  for (std::uint64_t number = 0; number < worlds; ++number) {
    compareWorlds<1, 3>(number);
    compareWorlds<2, 1>(number);
    compareWorlds<2, 2>(number);
    compareWorlds<3, 2>(number);
  }
}

TEST(Repartition, TheStateIsThatOfOneDeviceOnRanks) {
  for (const int ranks : {2, 3, 4}) {
    const auto number = static_cast<std::uint64_t>(10 * ranks);
    compareWorlds<1, 3>(number, ranks);
    compareWorlds<2, 1>(number + 1, ranks);
    compareWorlds<2, 2>(number + 2, ranks);
    compareWorlds<3, 2>(number + 3, ranks);
  }
}

TEST(Repartition, RowsThatAreNotThoseOfThePlacesAreAnError) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "needs 3 GPUs";
  Mass mass = makeMass(3);
  auto spots = createSpots<2, 1>(mass, {9, 4}, {});
  for (const Rows& rows : {Rows{3, 3, 4}, Rows{9}, Rows{0, 4, 5}, Rows{}}) {
    EXPECT_FALSE(messageOf<mass::UsageError>([&] { mass.repartition(spots, rows); }).empty());
  }
  Mass other = makeMass(3);
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] {
                         other.repartition(spots, {3, 3, 3});
                       }),
                       "another Mass"));
}

template <int D>
class Yard : public mass::Place<D> {
 public:
  int level = 0;
  using Attributes = mass::Attributes<&Yard::level>;
  MASS_FN void rise() { ++level; }
  /// Takes longer in the thread of that number, on CPUs.
  MASS_FN void riseSlowly([[maybe_unused]] std::thread::id slow) {
    ++level;
#if !defined(__CUDA_ARCH__)
    if (std::this_thread::get_id() == slow) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
#endif
  }
};

class Sheep : public mass::Agent<Yard<2>> {
 public:
  std::uint32_t wool = 1;
  using Attributes = mass::Attributes<&Sheep::wool>;
  MASS_FN void roam(mass::Intent<Sheep>& intent) {
    wool = wool * 5 + static_cast<std::uint32_t>(intent.random().below(9));
    intent.move({static_cast<int>(intent.random().below(3)) - 1, 0});
  }
};

TEST(Rebalance, SpreadsGatheredAgentsOverDevices) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "needs 3 GPUs";
  std::uint64_t hashes[2];
  for (const bool balances : {false, true}) {
    Mass mass = makeMass(3);
    auto yard = mass.createPlaces<Yard<2>>({30, 4});
    auto sheep = mass.createAgents<Sheep>(
        yard, [](const mass::Coordinates<2>& at) { return 12 <= at[0] && at[0] < 18 ? 10 : 0; });
    if (balances) {
      const auto results = mass.rebalance(Balance::agents);
      ASSERT_EQ(results.size(), 1U);
      EXPECT_EQ(results[0].places, yard.name());
      EXPECT_EQ(results[0].before, (Rows{10, 10, 10}));
      EXPECT_EQ(results[0].after, (Rows{14, 2, 14}));
      EXPECT_DOUBLE_EQ(results[0].imbalance, 2);
      EXPECT_DOUBLE_EQ(results[0].expected, 0);
      EXPECT_EQ(mass.rebalance(Balance::agents)[0].after, (Rows{14, 2, 14}));
    }
    for (int step = 0; step < 20; ++step) {
      sheep.callAll<&Sheep::roam>();
      sheep.manageAll();
      if (balances && step % 4 == 3) (void)mass.rebalance(Balance::agents, 0.05);
    }
    hashes[balances ? 1 : 0] = mass.hash();
  }
  EXPECT_EQ(hashes[1], hashes[0]);
}

/// Rows move between devices of different ranks.
TEST(Rebalance, SpreadsGatheredAgentsOverRanks) {
  mass::testing::expectSameOnRanks(
      {{.devices = {1, 1, 1}}, {.devices = {2, 1}}}, [](Mass& mass, mass::testing::Record& record) {
        auto yard = mass.createPlaces<Yard<2>>({30, 4});
        auto sheep = mass.createAgents<Sheep>(yard, [](const mass::Coordinates<2>& at) {
          return 12 <= at[0] && at[0] < 18 ? 10 : 0;
        });
        const auto results = mass.rebalance(Balance::agents);
        if (mass.devices().size() == 3) {
          ASSERT_EQ(results.size(), 1U);
          EXPECT_EQ(results[0].before, (Rows{10, 10, 10}));
          EXPECT_EQ(results[0].after, (Rows{14, 2, 14}));
        }
        for (int step = 0; step < 20; ++step) {
          sheep.callAll<&Sheep::roam>();
          yard.callAll<&Yard<2>::rise>();
          sheep.manageAll();
          if (step % 4 == 3) (void)mass.rebalance(Balance::agents, 0.05);
          if (step % 4 == 1) (void)mass.rebalance(Balance::time, 0);
        }
        record.add("hash", mass.hash());
      });
}

TEST(Rebalance, AgentsOfAllKindsCount) {
  if (!mass::testing::haveDevices(2)) GTEST_SKIP() << "needs 2 GPUs";
  Mass mass = makeMass(2);
  auto yard = mass.createPlaces<Yard<2>>({12, 2});
  (void)mass.createAgents<Sheep>(
      yard, [](const mass::Coordinates<2>& at) { return at[0] < 2 ? 10 : 0; }, "above");
  (void)mass.createAgents<Sheep>(
      yard, [](const mass::Coordinates<2>& at) { return at[0] >= 10 ? 5 : 0; }, "below");
  const auto results = mass.rebalance(Balance::agents);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_DOUBLE_EQ(results[0].imbalance, 40 / 30.0 - 1);
}

TEST(Rebalance, AgentsGoWithTheirOwnPlaces) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "needs 3 GPUs";
  std::uint64_t hashes[2];
  for (const bool balances : {false, true}) {
    Mass mass = makeMass(3);
    auto first = mass.createPlaces<Yard<2>>({30, 4});
    mass::PlacesOptions<Yard<2>> options;
    options.name = "second";
    auto second = mass.createPlaces<Yard<2>>({30, 4}, options);
    auto sheep = mass.createAgents<Sheep>(first, 200, "sheep");
    auto others = mass.createAgents<Sheep>(second, 200, "others");
    if (balances) mass.repartition(first, {1, 1, 28});
    for (int step = 0; step < 5; ++step) {
      for (const auto& some : {sheep, others}) {
        some.callAll<&Sheep::roam>();
        some.manageAll();
      }
    }
    hashes[balances ? 1 : 0] = mass.hash();
  }
  EXPECT_EQ(hashes[1], hashes[0]);
}

TEST(BalanceMonitor, WritesTheRowsOfDevicesBeforeEachCheck) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "needs 3 GPUs";
  const TemporaryFolder folder;
  Mass mass = makeMass(3, 0, {},
                       {"output.folder=" + folder.path().string(), "output.table_every=1",
                        "balance.every=1", "balance.by=agents"});
  auto yard = mass.createPlaces<Yard<2>>({30, 4});
  (void)mass.createAgents<Sheep>(
      yard, [](const mass::Coordinates<2>& at) { return 12 <= at[0] && at[0] < 18 ? 10 : 0; });
  mass::detail::BalanceMonitor balancing(mass);
  balancing.begin("");
  balancing.write(1);
  balancing.write(2);
  balancing.finish();
  EXPECT_EQ(mass::testing::readBytes(folder / fmt::format("balance-{}.csv", yard.name())),
            "step,imbalance,expected,rows.0,rows.1,rows.2\n1,2,0,10,10,10\n2,0,0,14,2,14\n");
}

TEST(Rebalance, ADeviceThatIsSlowGetsFewerRows) {
  if (mass::testing::testBackend() == "cuda") GTEST_SKIP() << "slows a thread of the host down";
  Mass mass = makeMass(2);
  auto yard = mass.createPlaces<Yard<1>>({64});
  EXPECT_TRUE(mass.rebalance(Balance::time).empty()) << "measures from here on";
  double first = 0;
  for (int look = 0; look < 6; ++look) {
    // The calling thread drives device 0.
    yard.callAll<&Yard<1>::riseSlowly>(mass::steps(2), std::this_thread::get_id());
    const auto results = mass.rebalance(Balance::time);
    ASSERT_EQ(results.size(), 1U);
    if (look == 0) first = results[0].imbalance;
  }
  EXPECT_GT(first, 0.5);
  yard.callAll<&Yard<1>::rise>();
  EXPECT_LT(mass.rebalance(Balance::time, 1e9)[0].before[0], 16);
  EXPECT_EQ(yard.download<&Yard<1>::level>(), std::vector<int>(64, 13));
}

TEST(Rebalance, WithoutAgentsOrRulesThereIsNothingToShareOut) {
  Mass mass = makeMass(2);
  auto yard = mass.createPlaces<Yard<2>>({30, 4});
  EXPECT_TRUE(mass.rebalance(Balance::agents).empty());
  EXPECT_TRUE(mass.rebalance(Balance::time).empty());
  EXPECT_TRUE(mass.rebalance(Balance::time).empty());
  yard.callAll<&Yard<2>::rise>();
  EXPECT_EQ(mass.rebalance(Balance::time).size(), 1U);
  EXPECT_TRUE(mass.rebalance(Balance::time).empty()) << "what was looked at is over";
}

}  // namespace

#include <mass/dispatch/row_costs.hpp>

#include <mass/dispatch/cpu_executor.hpp>
#include <mass/dispatch/dispatcher.hpp>
#include <mass/exchange/local_halo_transport.hpp>
#include <mass/memory/repartition.hpp>

#include "../../support/little_memory.hpp"
#include "../../support/test_agents.hpp"
#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace {

using mass::Rebalance;
using mass::detail::DeviceConfig;
using mass::detail::DeviceTimes;
using mass::detail::Launch;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;
using Rows = std::vector<std::int64_t>;

const std::int32_t zero = 0;

/// Adds 1 to every place of a 1-D world; device 1 sleeps a millisecond at each.
void count(const Launch& launch, std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    ++static_cast<std::int32_t*>(launch.out[0])[launch.layout.at(row, 0, 0)];
    if (launch.device == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class BalanceTest : public ::testing::Test {
 protected:
  void run(DeviceTimes* measured) {
    mass::detail::Kernel kernel;
    kernel.function = &count;
    kernel.written = {0};
    dispatcher.run(places, mass::detail::Turn(&kernel, 1), 3, 1, 0, measured);
  }

  DeviceConfig devices = DeviceConfig::cpu(3, 4);  // one device has two threads
  PlaceFields places{devices, domainOf({30}, {}, 1), {componentOf(zero, zero)}};
  mass::detail::Dispatcher dispatcher{std::make_unique<mass::detail::CpuExecutor>(
      std::make_unique<mass::detail::LocalHaloTransport>())};
  DeviceTimes times{devices};
};

TEST_F(BalanceTest, TimesAreOfWorkAndNotOfWaiting) {
  run(nullptr);
  EXPECT_EQ(times.of(1), 0);
  run(&times);
  EXPECT_GE(times.of(1), 0.03);
  EXPECT_LT(times.of(0), times.of(1) / 2);
  EXPECT_LT(times.of(2), times.of(1) / 2);
  const std::vector<double> costs = costsByTime(places, times);
  ASSERT_EQ(costs.size(), 30U);
  EXPECT_DOUBLE_EQ(costs[10], times.of(1) / 10);
  EXPECT_DOUBLE_EQ(costs[29], times.of(2) / 20)
      << "half of the mean, far from the more expensive device";
  EXPECT_DOUBLE_EQ(std::accumulate(costs.begin() + 20, costs.end(), 0.0), times.of(2));
  times.reset();
  EXPECT_EQ(times.of(1), 0);
}

/// Returns the costs of rows if devices with `rows` rows have taken `seconds`.
std::vector<double> costsOf(PlaceFields& places, const Rows& rows,
                            const std::vector<double>& seconds) {
  repartition(places, {}, mass::RowPartition::ofBands(rows));
  const DeviceConfig& devices = places.devices();
  DeviceTimes times(devices);
  devices.run([&](const mass::detail::Worker& worker) {
    if (worker.index() == 0) times.add(worker, seconds[static_cast<std::size_t>(worker.device())]);
  });
  return costsByTime(places, times);
}

TEST_F(BalanceTest, RowsBesideAMoreExpensiveDeviceCostMore) {
  // 12 rows of mean cost 1 between 9 of 2 and 9 of 5: 0.5 each, and 3 for each of the slopes.
  const std::vector<double> costs = costsOf(places, {9, 12, 9}, {18, 12, 45});
  const auto sum = [](const std::vector<double>& all, int first, int count) {
    return std::accumulate(all.begin() + first, all.begin() + first + count, 0.0);
  };
  EXPECT_DOUBLE_EQ(costs[8], 2);
  EXPECT_DOUBLE_EQ(costs[9], 0.5 + 1.5 * 7 / 8);  // slope from 1.5 to 0 in 4 rows
  EXPECT_DOUBLE_EQ(costs[12], 0.5 + 1.5 / 8);
  EXPECT_DOUBLE_EQ(costs[13], 0.5);
  EXPECT_DOUBLE_EQ(costs[18], 0.5);
  EXPECT_DOUBLE_EQ(costs[20], 0.5 + 4.5 * 5 / 8);  // slope from 4.5 to 0 in 4/3 rows
  EXPECT_DOUBLE_EQ(costs[21], 5);
  EXPECT_DOUBLE_EQ(sum(costs, 9, 12), 12);
  // Slope from 1.2 to 0.8.
  const std::vector<double> nearly = costsOf(places, {10, 10, 10}, {10, 12, 12});
  EXPECT_DOUBLE_EQ(nearly[0], 0.82);
  EXPECT_DOUBLE_EQ(nearly[9], 1.18);
  EXPECT_DOUBLE_EQ(sum(nearly, 0, 10), 10);
  const double next = std::nextafter(10.0, 11.0);
  EXPECT_DOUBLE_EQ(sum(costsOf(places, {10, 10, 10}, {10, next, 10}), 0, 10), 10);
  EXPECT_EQ(costsOf(places, {10, 10, 10}, {10, 10, 10}), std::vector<double>(30, 1.0));
  EXPECT_EQ(costsOf(places, {10, 10, 10}, {0, 0, 0}), std::vector<double>(30, 0.0));
  EXPECT_EQ(costsOf(places, {10, 10, 10}, {0, 9, 0})[0], 0);
}

/// Balances places without agents.
Rebalance rebalanced(PlaceFields& places, std::span<const double> costs, double threshold) {
  return rebalance(std::array{mass::detail::CutPlaces{&places}}, costs, threshold);
}

TEST(Balance, ASmallImbalanceOfCheapRowsDoesNotMoveManyIntoAnExpensiveBand) {
  // Device 1 took 1.4 instead of 1 by chance. At its mean cost, several rows would move to device
  // 0, beside whose expensive rows they are expensive too.
  const auto devices = DeviceConfig::cpu(2, 2);
  PlaceFields places(devices, domainOf({30}, {}, 1), {componentOf(zero, zero)});
  const std::vector<double> costs = costsOf(places, {3, 27}, {1.0, 1.4});
  const Rebalance result = rebalanced(places, costs, 0.1);
  EXPECT_NEAR(result.imbalance, 1.4 / 1.2 - 1, 1e-12);
  EXPECT_EQ(result.after, (Rows{4, 26}));
}

TEST(Balance, CostsByAgentsAreTheAgentsOfAllClasses) {
  const auto config = DeviceConfig::cpu(2, 2);
  const PlaceFields world(config, domainOf({6, 4}, {}, 1), {componentOf(zero, zero)});
  auto ants = mass::testing::makeTestAgents(world, 1),
       bees = mass::testing::makeTestAgents(world, 1);
  mass::testing::setAgents(ants, {{0, 1}, {3, 2}, {9, 3}, {23, 4}},
                           mass::testing::distinctAgentValues(4));
  mass::testing::setAgents(bees, {{2, 1}, {16, 2}, {19, 3}, {20, 4}, {22, 5}},
                           mass::testing::distinctAgentValues(5));
  mass::detail::AgentFields* const both[] = {&ants, &bees};
  EXPECT_EQ(costsByAgents(world, both), (std::vector<double>{3, 0, 1, 0, 2, 3}));
  EXPECT_EQ(costsByAgents(world, std::span(both).first(1)),
            (std::vector<double>{2, 0, 1, 0, 0, 1}));
}

TEST_F(BalanceTest, ASlowDeviceGetsFewerRowsAndTheStateIsTheSame) {
  const mass::RowPartition before = places.partition();
  for (int look = 0; look < 5; ++look) {
    times.reset();
    run(&times);
    const Rebalance result = rebalanced(places, costsByTime(places, times), 0.1);
    EXPECT_LE(result.expected, result.imbalance);
  }
  EXPECT_LE(places.layout(1).rows, 3);
  EXPECT_NE(places.partition(), before);
  EXPECT_EQ(mass::testing::stateOf(places), std::vector<std::int32_t>(30, 15));
}

TEST_F(BalanceTest, NothingIsMovedUpToTheThreshold) {
  std::vector<double> costs(30, 1.0);
  std::fill_n(costs.begin(), 10, 1.5);  // 15 + 10 + 10: the first has 2/7 more than the mean
  Rebalance result = rebalanced(places, costs, 0.29);
  EXPECT_NEAR(result.imbalance, 2.0 / 7, 1e-12);
  EXPECT_EQ(result.expected, result.imbalance);
  EXPECT_EQ(result.after, result.before);
  result = rebalanced(places, costs, 0.28);
  EXPECT_EQ(result.before, (Rows{10, 10, 10}));
  EXPECT_EQ(result.after, (Rows{8, 11, 11}));
  EXPECT_NEAR(result.expected, 3 * 12.0 / 35 - 1, 0.05);
  EXPECT_EQ(places.partition().bands(), result.after);
}

TEST_F(BalanceTest, NothingIsMovedWhereNothingCanBeBetter) {
  std::vector<double> costs(30, 0.0);
  costs[4] = 1;
  const Rebalance result = rebalanced(places, costs, 0.1);
  EXPECT_DOUBLE_EQ(result.imbalance, 2);
  EXPECT_EQ(result.after, (Rows{10, 10, 10}));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Balance, WithoutEnoughMemoryNothingIsMovedAndTheRunGoesOn) {
  const auto devices = DeviceConfig::cpu(2, 2);
  PlaceFields places(devices, domainOf({16, 1 << 20}, {}, 1), {componentOf(zero, zero)});
  std::vector<double> costs(16, 1.0);
  costs[0] = 15;
  const auto look = [&] { return rebalanced(places, costs, 0.1).after; };
  {
    const mass::testing::LittleMemory most(std::size_t{32} << 20);
    EXPECT_EQ(look(), (Rows{8, 8}));
  }
  EXPECT_EQ(look(), (Rows{1, 15}));
}
#endif

}  // namespace

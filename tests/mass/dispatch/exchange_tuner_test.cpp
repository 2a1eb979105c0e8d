#include <mass/dispatch/exchange_tuner.hpp>

#include <mass/backend/ranks.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace {

using mass::detail::CycleTimes;
using mass::detail::ExchangeModel;
using mass::detail::ExchangePlan;
using mass::detail::ExchangeTuner;

/// Steps by their number per exchange, of a simulated run whose cycles take the times given.
std::map<int, std::int64_t> run(ExchangeTuner& tuner, std::int64_t steps,
                                const std::function<CycleTimes(int)>& cycleTimes) {
  mass::detail::Ranks ranks;
  std::map<int, std::int64_t> made;
  while (steps > 0) {
    const ExchangePlan plan = tuner.next(steps);
    EXPECT_GE(plan.steps, 1);
    EXPECT_LE(plan.steps, steps);
    EXPECT_TRUE(!plan.isTrial || plan.steps % plan.stepsPerExchange == 0);
    std::vector<CycleTimes> cycles;
    for (std::int64_t step = 0; plan.isTrial && step < plan.steps; step += plan.stepsPerExchange)
      cycles.push_back(cycleTimes(plan.stepsPerExchange));
    tuner.record(plan, cycles, ranks);
    made[plan.stepsPerExchange] += plan.steps;
    steps -= plan.steps;
  }
  return made;
}

/// Returns the times of a rank of 100 rows by the model.
CycleTimes byModel(int steps, double rowSeconds, double latency, double stepTransport) {
  const double compute = rowSeconds * (100.0 * steps + steps * (steps - 1.0));
  return {compute + latency + steps * stepTransport, compute};
}

TEST(ExchangeTuner, FindsTheParametersOfTheModelAndItsBestNumber) {
  // The time of a step, 1e-6 (100 + R - 1) + 1e-4 / R + const., is least for R = 10.
  ExchangeTuner tuner({.rows = 100, .reach = 1, .most = 50, .rowBytes = 400});
  const auto times = [](int steps) { return byModel(steps, 1e-6, 1e-4, 2e-6); };
  const auto made = run(tuner, 10'000, times);
  EXPECT_TRUE(tuner.isDecided());
  EXPECT_EQ(tuner.fastest(), 8);
  EXPECT_EQ(made.at(1), 21);
  EXPECT_EQ(made.at(4), 4 * 21);
  EXPECT_EQ(made.at(16), 16 * 21);
  EXPECT_EQ(made.size(), 4U);
  ASSERT_TRUE(tuner.model());
  EXPECT_NEAR(tuner.model()->rowSeconds, 1e-6, 1e-12);
  EXPECT_NEAR(tuner.model()->latency, 1e-4, 1e-12);
  EXPECT_NEAR(tuner.model()->stepTransport, 2e-6, 1e-12);
  EXPECT_DOUBLE_EQ(tuner.model()->stepBytes, 800);
  EXPECT_NEAR(tuner.model()->stepSeconds(8), times(8).all / 8, 1e-12);
}

TEST(ExchangeTuner, KeepsTheFastestOfTheNeighbours) {
  // A protocol that the model does not know makes longer cycles faster.
  ExchangeTuner tuner({.rows = 100, .reach = 1, .most = 50, .rowBytes = 400});
  run(tuner, 10'000,
      [](int steps) { return byModel(steps, 1e-6, steps > 10 ? 1e-6 : 1e-4, 2e-6); });
  EXPECT_EQ(tuner.fastest(), 16);
}

TEST(ExchangeTuner, ExchangesAfterEachStepIfExchangesAreFast) {
  ExchangeTuner tuner({.rows = 100, .reach = 1, .most = 50, .rowBytes = 400});
  run(tuner, 10'000, [](int steps) { return byModel(steps, 1e-6, 1e-8, 1e-7); });
  EXPECT_EQ(tuner.fastest(), 1);
}

TEST(ExchangeTuner, SelectsNoMoreThanGhostRowsAllow) {
  for (const int most : {1, 2, 3, 6}) {
    ExchangeTuner tuner({.rows = 100, .reach = 1, .most = most, .rowBytes = 400});
    const auto made =
        run(tuner, 10'000, [](int steps) { return byModel(steps, 1e-6, 1e-2, 1e-7); });
    EXPECT_EQ(tuner.fastest(), most);
    EXPECT_LE(made.rbegin()->first, most);
  }
}

TEST(ExchangeTuner, UsesAGivenNumber) {
  ExchangeTuner tuner({.rows = 100, .reach = 1, .most = 6, .rowBytes = 400}, 5);
  EXPECT_TRUE(tuner.isDecided());
  EXPECT_EQ(tuner.fastest(), 5);
  EXPECT_EQ(run(tuner, 100, {}), (std::map<int, std::int64_t>{{5, 100}}));
  EXPECT_EQ(ExchangeTuner({.rows = 100, .reach = 1, .most = 6, .rowBytes = 400}, 9).fastest(), 6);
}

TEST(ExchangeTuner, NeedsBatchesAsLongAsACycle) {
  ExchangeTuner tuner({.rows = 100, .reach = 1, .most = 50, .rowBytes = 400});
  const auto times = [](int steps) { return byModel(steps, 1e-6, 1e-4, 2e-6); };
  for (int batch = 0; batch < 100; ++batch) run(tuner, 3, times);
  EXPECT_FALSE(tuner.isDecided());
  EXPECT_EQ(tuner.fastest(), 1);
}

}  // namespace

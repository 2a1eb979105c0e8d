#include <mass/dispatch/pass_tuner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <vector>

namespace {

using mass::detail::PassPlan;
using mass::detail::PassTuner;

/// Steps by their number in a pass, of a simulated run in which a step takes the time given.
std::map<int, std::int64_t> run(PassTuner& tuner, std::int64_t steps,
                                const std::function<double(int stepsPerPass)>& stepTime) {
  std::map<int, std::int64_t> made;
  while (steps > 0) {
    const PassPlan plan = tuner.next(steps);
    EXPECT_GE(plan.steps, 1);
    EXPECT_LE(plan.steps, steps);
    EXPECT_LE(plan.stepsPerPass, plan.steps);
    EXPECT_TRUE(!plan.isTrial || plan.steps % std::max(plan.stepsPerPass, 1) == 0);
    tuner.record(plan, plan.steps, static_cast<double>(plan.steps) * stepTime(plan.stepsPerPass));
    made[plan.stepsPerPass] += plan.steps;
    steps -= plan.steps;
  }
  return made;
}

TEST(PassTuner, SelectsTheFastest) {
  for (const double scale : {1e-7, 1e-3, 0.1}) {
    PassTuner tuner({1, 2, 4, 8, 16});
    const auto stepTime = [&](int steps) { return scale * (1.0 / steps + 0.02 * steps); };
    run(tuner, 10'000'000, stepTime);
    EXPECT_TRUE(tuner.isDecided());
    EXPECT_EQ(tuner.fastest(), 8) << scale;
    EXPECT_EQ(run(tuner, 1000, stepTime), (std::map<int, std::int64_t>{{8, 1000}}));
  }
}

TEST(PassTuner, MeasuresNoLargerNumberThanASlowOne) {
  PassTuner tuner({1, 2, 4, 8, 16});
  const auto made = run(tuner, 100'000, [](int steps) { return 1e-4 * steps; });
  EXPECT_EQ(tuner.fastest(), 1);
  EXPECT_FALSE(made.contains(8));
}

TEST(PassTuner, LeavesOutTheSmallestNumberBelowASlowOne) {
  PassTuner tuner({1, 2, 4, 8, 16});
  const auto made =
      run(tuner, 100'000, [](int steps) { return 1e-4 * (1.0 / steps + 0.02 * steps); });
  EXPECT_EQ(tuner.fastest(), 8);
  EXPECT_FALSE(made.contains(1));
}

TEST(PassTuner, MeasuresTheSmallestNumberBelowAFastOne) {
  // A turn a pass may be slower than a rule a pass, and not slower than several turns.
  PassTuner tuner({0, 1, 2, 4});
  run(tuner, 100'000, [](int turns) { return turns == 0 ? 1e-4 : turns == 1 ? 2.05e-4 : 2e-4; });
  EXPECT_EQ(tuner.fastest(), 0);
  PassTuner steps({1, 2, 4});
  run(steps, 100'000, [](int number) { return number == 1 ? 0.9e-4 : 1e-4; });
  EXPECT_EQ(steps.fastest(), 1);
}

TEST(PassTuner, TakesLittleOfARunOfFewSlowSteps) {
  PassTuner tuner({1, 2, 4, 8, 16});
  const std::map<int, double> times{{1, 25e-3}, {2, 16e-3}, {4, 13e-3}, {8, 10.5e-3}, {16, 10e-3}};
  const auto stepTime = [&](int steps) { return std::prev(times.upper_bound(steps))->second; };
  double seconds = 0;
  for (const auto& [steps, count] : run(tuner, 128, stepTime))
    seconds += static_cast<double>(count) * stepTime(steps);
  EXPECT_EQ(tuner.fastest(), 16);
  EXPECT_LT(seconds, 1.035 * 128 * 10e-3);
}

TEST(PassTuner, IgnoresTheFirstPassOfACandidate) {
  PassTuner tuner({1, 2});
  std::map<int, int> calls;
  run(tuner, 100'000, [&](int steps) { return calls[steps]++ == 0 ? 9e-3 : 1e-4 / steps; });
  EXPECT_EQ(tuner.fastest(), 2);
}

TEST(PassTuner, RunsManyBatchesOfOneStep) {
  PassTuner tuner({1, 2});
  for (int batch = 0; batch < 1000; ++batch)
    EXPECT_EQ(run(tuner, 1, [](int) { return 1e-9; }), (std::map<int, std::int64_t>{{1, 1}}));
}

TEST(PassTuner, RunsFewStepsWithoutATrial) {
  PassTuner tuner({4});
  EXPECT_EQ(tuner.next(3).stepsPerPass, 3);
  PassTuner many({2, 8});
  const PassPlan plan = many.next(1);
  EXPECT_EQ(plan.stepsPerPass, 1);
  EXPECT_FALSE(plan.isTrial);
}

}  // namespace

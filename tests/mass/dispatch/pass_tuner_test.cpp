#include <mass/dispatch/pass_tuner.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
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
    EXPECT_TRUE(!plan.isTrial || plan.steps % plan.stepsPerPass == 0);
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
  EXPECT_FALSE(made.contains(4));
}

TEST(PassTuner, IgnoresTheFirstPassOfACandidate) {
  PassTuner tuner({1, 2});
  std::map<int, int> calls;
  run(tuner, 100'000, [&](int steps) { return calls[steps]++ == 0 ? 1e-2 : 1e-4 / steps; });
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

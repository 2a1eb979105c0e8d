#include <mass/program/live/pace.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using mass::detail::live::Clock;
using mass::detail::live::Pace;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Clock::time_point start{seconds(1000)};

/// Makes chunks of a model until `end`. @param rate steps per second of the model
/// @return number of steps
std::int64_t simulate(Pace& pace, double rate, milliseconds duration) {
  std::int64_t step = 0;
  auto now = start;
  while (now < start + duration) {
    pace.reached(step, now);
    const std::int64_t stop = pace.stopAfter(step, now);
    if (stop == step) {
      now = std::max(now + milliseconds(1), std::min(pace.due(), now + milliseconds(100)));
      continue;
    }
    now += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(static_cast<double>(stop - step) / rate));
    step = stop;
  }
  return step;
}

TEST(LivePace, AdaptsChunksToTheRateOfTheModel) {
  Pace pace;
  simulate(pace, 10'000, seconds(1));
  const std::int64_t chunk = pace.stopAfter(0, start + seconds(2));
  EXPECT_EQ(chunk, 144);  // 150 in 15 ms, less those that are no multiple of 16
}

TEST(LivePace, ReportsTheRate) {
  Pace pace;
  simulate(pace, 10'000, seconds(2));
  EXPECT_NEAR(pace.rate(), 10'000, 100);
}

TEST(LivePace, LimitsTheRate) {
  for (const double limit : {0.5, 7.0, 300.0, 5000.0}) {
    Pace pace;
    pace.limit(limit);
    const std::int64_t steps = simulate(pace, 1e6, seconds(10));
    EXPECT_NEAR(static_cast<double>(steps), 10 * limit, 1 + 0.02 * limit) << limit;
  }
}

TEST(LivePace, DoesNotCatchUpAfterASlowStep) {
  Pace pace;
  pace.limit(100);
  (void)pace.stopAfter(0, start);
  pace.reached(1, start + seconds(60));
  std::int64_t step = 1;
  while (pace.stopAfter(step, start + seconds(60)) > step) ++step;
  EXPECT_LE(step, 20);
}

TEST(LivePace, PausesAtOnce) {
  Pace pace;
  EXPECT_GT(pace.stopAfter(5, start), 5);
  pace.pause();
  EXPECT_TRUE(pace.isPaused(6));
  EXPECT_EQ(pace.stopAfter(6, start), 6);
  pace.run();
  EXPECT_GT(pace.stopAfter(6, start), 6);
}

TEST(LivePace, MakesTheStepsThatWereAskedFor) {
  Pace pace;
  pace.makeSteps(10, 1);
  EXPECT_EQ(pace.stopAfter(10, start), 11);
  EXPECT_TRUE(pace.isPaused(11));
  pace.makeSteps(11, 3);
  pace.makeSteps(11, 2);
  EXPECT_FALSE(pace.isPaused(15));
  EXPECT_TRUE(pace.isPaused(16));
}

TEST(LivePace, GoesToAStepWithoutLimitAndPausesThere) {
  Pace pace;
  pace.limit(10);
  pace.goTo(500);
  EXPECT_EQ(simulate(pace, 10'000, milliseconds(400)), 500);
  EXPECT_TRUE(pace.isPaused(500));
  pace.run();
  EXPECT_LE(simulate(pace, 10'000, milliseconds(400)), 504);
}

TEST(LivePace, MakesNoMoreStepsInAFastRun) {
  Pace pace;
  simulate(pace, 10'000, seconds(1));
  pace.makeSteps(50, 3);
  EXPECT_EQ(pace.stopAfter(50, start + seconds(2)), 53);
}

TEST(LivePace, AcceptsAnyNumberOfSteps) {
  Pace pace;
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  pace.makeSteps(10, most);
  pace.makeSteps(10, most);
  EXPECT_FALSE(pace.isPaused(most - 1));
}

TEST(LivePace, IsFreeWithoutPauseAndLimit) {
  Pace pace;
  EXPECT_TRUE(pace.isFree());
  pace.limit(3);
  EXPECT_FALSE(pace.isFree());
  pace.limit(0);
  pace.makeSteps(0, 4);
  EXPECT_FALSE(pace.isFree());
}

}  // namespace

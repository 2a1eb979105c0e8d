#include <mass/dispatch/thread_tuner.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace {

using mass::detail::ThreadPlan;
using mass::detail::ThreadTuner;

/// Time of a step by the number of threads, in seconds.
using StepTime = std::function<double(int threads)>;

/// Time and parts of a simulated run.
struct Total {
  double seconds = 0;
  std::int64_t parts = 0;
};

/// Runs steps that take the times given.
Total run(ThreadTuner& tuner, std::int64_t steps, const StepTime& stepTime) {
  Total total;
  while (steps > 0) {
    const ThreadPlan plan = tuner.next(steps);
    EXPECT_GE(plan.steps, 1);
    EXPECT_LE(plan.steps, steps);
    const double seconds = stepTime(plan.threads) * static_cast<double>(plan.steps);
    tuner.record(plan.steps, seconds);
    total.seconds += seconds;
    ++total.parts;
    steps -= plan.steps;
  }
  return total;
}

/// Work that divides evenly, with a cost of 1 us for each doubling of the threads.
double idle(int threads, double work) {
  double barriers = 0;
  for (int count = threads; count > 1; count /= 2) barriers += 1e-6;
  return work / threads + barriers;
}

const std::vector<int> upTo16{1, 2, 4, 8, 16};

TEST(ThreadTuner, OfOneNumberRunsAllStepsAtOnce) {
  ThreadTuner tuner({3}, 0);
  EXPECT_EQ(tuner.next(1'000'000).threads, 3);
  EXPECT_EQ(tuner.next(1'000'000).steps, 1'000'000);
}

TEST(ThreadTuner, FindsTheBestNumberFromEitherEnd) {
  for (const std::size_t first : {std::size_t{0}, std::size_t{4}}) {
    ThreadTuner small(upTo16, first), medium(upTo16, first), large(upTo16, first);
    run(small, 200'000, [](int threads) { return idle(threads, 1e-6); });
    run(medium, 50'000, [](int threads) { return idle(threads, 8e-6); });
    run(large, 5'000, [](int threads) { return idle(threads, 1e-3); });
    EXPECT_EQ(small.threads(), 1);
    EXPECT_GE(medium.threads(), 4);
    EXPECT_EQ(large.threads(), 16);
  }
}

TEST(ThreadTuner, LosesLittleTimeToTrials) {
  for (const double work : {1e-5, 1e-4, 1e-3, 1e-2, 1.0}) {
    ThreadTuner tuner(upTo16, 4, work);
    const auto steps = static_cast<std::int64_t>(20 / idle(16, work));
    const auto stepTime = [work](int threads) { return idle(threads, work); };
    const double best = idle(16, work) * static_cast<double>(steps);
    EXPECT_LT(run(tuner, steps, stepTime).seconds, 1.01 * best) << work;
  }
}

TEST(ThreadTuner, AvoidsBarriersThatWaitForOtherPrograms) {
  // Two threads on a busy machine: 30 times slower than one.
  const auto busy = [](int threads) { return threads == 1 ? 2e-6 : 60e-6; };
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    ThreadTuner tuner({1, 2}, first);
    EXPECT_LT(run(tuner, 100'000, busy).seconds, 1.15 * 100'000 * 2e-6);
    EXPECT_EQ(tuner.threads(), 1);
  }
}

TEST(ThreadTuner, IsNotMisledByTheTimeSlicesOfOtherPrograms) {
  // Two threads run undisturbed for 3 ms; then each barrier waits 4 ms, as often as not.
  double now = 0;
  bool isDelayed = false;
  const auto busy = [&](int threads) {
    if (threads == 1) return 2e-6;
    isDelayed = !isDelayed;
    return std::fmod(now, 7e-3) < 3e-3 || !isDelayed ? 1e-6 : 4e-3;
  };
  ThreadTuner tuner({1, 2}, 0);
  double total = 0;
  for (std::int64_t steps = 1'000'000; steps > 0;) {
    const ThreadPlan plan = tuner.next(steps);
    double seconds = 0;
    std::int64_t done = 0;
    for (; done < plan.steps && seconds < plan.seconds; ++done) {
      const double step = busy(plan.threads);
      seconds += step;
      now += step;
    }
    tuner.record(done, seconds);
    total += seconds;
    steps -= done;
  }
  EXPECT_LT(total, 1.15 * 1'000'000 * 2e-6);
}

TEST(ThreadTuner, FollowsALoadThatChanges) {
  ThreadTuner tuner({1, 2}, 1);
  const auto free = [](int threads) { return idle(threads, 20e-6); };
  run(tuner, 100'000, free);
  EXPECT_EQ(tuner.threads(), 2);
  run(tuner, 100'000, [](int threads) { return threads == 1 ? 20e-6 : 100e-6; });
  EXPECT_EQ(tuner.threads(), 1);
  run(tuner, 200'000, free);
  EXPECT_EQ(tuner.threads(), 2);
}

TEST(ThreadTuner, DividesALongBatchIntoPartsOfMilliseconds) {
  ThreadTuner tuner({1, 2}, 1);
  const Total all = run(tuner, 10'000'000, [](int threads) { return idle(threads, 4e-6); });
  EXPECT_LT(static_cast<double>(all.parts), all.seconds / 2e-3);
}

TEST(ThreadTuner, LeavesANumberThatBecomesSlowAtOnce) {
  ThreadTuner tuner({1, 2}, 1);
  run(tuner, 500'000, [](int threads) { return idle(threads, 20e-6); });  // trials are rare now
  EXPECT_EQ(tuner.threads(), 2);
  const auto busy = [](int threads) { return threads == 1 ? 20e-6 : 400e-6; };
  EXPECT_LT(run(tuner, 100'000, busy).seconds, 1.1 * 100'000 * 20e-6);
  EXPECT_EQ(tuner.threads(), 1);
}

}  // namespace

// Parts of simulated time between which a run can end.

#include <mass/backend/ranks.hpp>
#include <mass/dispatch/schedule/time_parts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace {

using mass::detail::PartTime;
using mass::detail::Ranks;
using mass::detail::TimeParts;

/// Returns the length of the longest part of 0.2 s, in which the thread has no processor, as beside
/// many others.
double longest(PartTime wanted) {
  Ranks ranks;
  TimeParts parts;
  double length = 0;
  parts.make(ranks, 0, 0.2, wanted, {}, [&](double begin, double end) {
    length = std::max(length, end - begin);
    std::this_thread::sleep_for(std::chrono::duration<double>(end - begin));
  });
  return length;
}

TEST(TimeParts, EndSoonOnABusyMachineIfAUserWaits) {
  EXPECT_LE(longest(PartTime::prompt()), PartTime::prompt().seconds);
}

TEST(TimeParts, AreNoShorterOnABusyMachineIfThreadsWait) {
  EXPECT_GT(longest(PartTime::economical()), PartTime::prompt().seconds);
}

}  // namespace

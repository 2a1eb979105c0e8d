#include <mass/dispatch/candidate_timer.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using mass::detail::CandidateTimer;

/// Measures until the timer has decided. `time(candidate, turn)` returns the time of a candidate in
/// its turn, from 0 on. Returns the number of turns of each candidate.
template <class Time>
std::vector<int> measureAll(CandidateTimer& timer, int candidates, Time&& time) {
  std::vector<int> turns(static_cast<std::size_t>(candidates), 0);
  while (!timer.decided()) {
    const int candidate = timer.candidate();
    timer.record(time(candidate, turns[static_cast<std::size_t>(candidate)]++));
  }
  return turns;
}

TEST(CandidateTimer, TheFastestCandidateIsKept) {
  for (const int fastest : {0, 1, 2}) {
    CandidateTimer timer(3);
    const auto turns = measureAll(timer, 3, [&](int candidate, int turn) {
      return (candidate == fastest ? 1.0 : 2.0) + turn;
    });
    EXPECT_EQ(timer.candidate(), fastest);
    EXPECT_EQ(turns, (std::vector<int>{4, 4, 4}));
  }
}

TEST(CandidateTimer, AFirstTimeDoesNotCount) {
  CandidateTimer timer(2);
  measureAll(timer, 2, [](int candidate, int turn) {
    return turn == 0 ? (candidate == 0 ? 0.1 : 9.0) : 2.0 - candidate;
  });
  EXPECT_EQ(timer.candidate(), 1);
}

TEST(CandidateTimer, OneSlowTimeIsForgiven) {
  CandidateTimer timer(2);
  measureAll(timer, 2, [](int candidate, int turn) {
    return candidate == 1 && turn == 2 ? 50.0 : 2.0 - candidate;
  });
  EXPECT_EQ(timer.candidate(), 1);
}

TEST(CandidateTimer, ASingleCandidateIsNotMeasured) {
  CandidateTimer timer(1);
  EXPECT_TRUE(timer.decided());
  EXPECT_EQ(timer.candidate(), 0);
  timer.record(1);
  EXPECT_EQ(timer.candidate(), 0);
}

TEST(CandidateTimer, TimesAfterTheDecisionAreIgnored) {
  CandidateTimer timer(2);
  measureAll(timer, 2, [](int candidate, int) { return 1.0 + candidate; });
  for (int i = 0; i < 20; ++i) timer.record(1e9);
  EXPECT_EQ(timer.candidate(), 0);
}

}  // namespace

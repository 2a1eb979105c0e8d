#include <mass/dispatch/candidate_timer.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using mass::detail::CandidateTimer;

/// Tries until the trial is decided; `time` tells how long a way takes at its n-th turn, from 0 on.
template <class Time>
std::vector<int> tryOut(CandidateTimer& timer, int ways, Time&& time) {
  std::vector<int> turns(static_cast<std::size_t>(ways), 0);
  while (!timer.decided()) {
    const int candidate = timer.candidate();
    timer.record(time(candidate, turns[static_cast<std::size_t>(candidate)]++));
  }
  return turns;
}

TEST(CandidateTimer, TheFastestWayIsKept) {
  for (const int fastest : {0, 1, 2}) {
    CandidateTimer timer(3);
    const auto turns = tryOut(timer, 3, [&](int candidate, int turn) {
      return (candidate == fastest ? 1.0 : 2.0) + turn;
    });
    EXPECT_EQ(timer.candidate(), fastest);
    EXPECT_EQ(turns, (std::vector<int>{4, 4, 4}));
  }
}

TEST(CandidateTimer, AFirstTimeDoesNotCount) {
  CandidateTimer timer(2);
  tryOut(timer, 2, [](int candidate, int turn) {
    return turn == 0 ? (candidate == 0 ? 0.1 : 9.0) : 2.0 - candidate;
  });
  EXPECT_EQ(timer.candidate(), 1);
}

TEST(CandidateTimer, OneSlowTimeIsForgiven) {
  CandidateTimer timer(2);
  tryOut(timer, 2, [](int candidate, int turn) {
    return candidate == 1 && turn == 2 ? 50.0 : 2.0 - candidate;
  });
  EXPECT_EQ(timer.candidate(), 1);
}

TEST(CandidateTimer, ASingleWayNeedsNone) {
  CandidateTimer timer(1);
  EXPECT_TRUE(timer.decided());
  EXPECT_EQ(timer.candidate(), 0);
  timer.record(1);
  EXPECT_EQ(timer.candidate(), 0);
}

TEST(CandidateTimer, WhatComesAfterTheDecisionChangesNothing) {
  CandidateTimer timer(2);
  tryOut(timer, 2, [](int candidate, int) { return 1.0 + candidate; });
  for (int i = 0; i < 20; ++i) timer.record(1e9);
  EXPECT_EQ(timer.candidate(), 0);
}

}  // namespace

#include <mass/dispatch/trial.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using mass::Trial;

/// Tries until the trial is decided; `time` tells how long a way takes at its n-th turn, from 0 on.
template <class Time>
std::vector<int> tryOut(Trial& trial, int ways, Time&& time) {
  std::vector<int> turns(static_cast<std::size_t>(ways), 0);
  while (!trial.decided()) {
    const int way = trial.way();
    trial.record(time(way, turns[static_cast<std::size_t>(way)]++));
  }
  return turns;
}

TEST(Trial, TheFastestWayIsKept) {
  for (const int fastest : {0, 1, 2}) {
    Trial trial(3);
    const auto turns =
        tryOut(trial, 3, [&](int way, int turn) { return (way == fastest ? 1.0 : 2.0) + turn; });
    EXPECT_EQ(trial.way(), fastest);
    EXPECT_EQ(turns, (std::vector<int>{4, 4, 4}));
  }
}

TEST(Trial, AFirstTimeDoesNotCount) {
  Trial trial(2);
  tryOut(trial, 2,
         [](int way, int turn) { return turn == 0 ? (way == 0 ? 0.1 : 9.0) : 2.0 - way; });
  EXPECT_EQ(trial.way(), 1);
}

TEST(Trial, OneSlowTimeIsForgiven) {
  Trial trial(2);
  tryOut(trial, 2, [](int way, int turn) { return way == 1 && turn == 2 ? 50.0 : 2.0 - way; });
  EXPECT_EQ(trial.way(), 1);
}

TEST(Trial, ASingleWayNeedsNone) {
  Trial trial(1);
  EXPECT_TRUE(trial.decided());
  EXPECT_EQ(trial.way(), 0);
  trial.record(1);
  EXPECT_EQ(trial.way(), 0);
}

TEST(Trial, WhatComesAfterTheDecisionChangesNothing) {
  Trial trial(2);
  tryOut(trial, 2, [](int way, int) { return 1.0 + way; });
  for (int i = 0; i < 20; ++i) trial.record(1e9);
  EXPECT_EQ(trial.way(), 0);
}

}  // namespace

// Trial of GPUs without the processors beside them, by the times of the looks.

#include <mass/dispatch/idle_trial.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

using mass::RowPartition;
using mass::detail::IdleTrial;
using Next = IdleTrial::Next;

RowPartition bandsOf(const std::vector<std::int64_t>& rows) {
  return RowPartition::withIdle(rows);
}

const RowPartition first = bandsOf({90, 10}), balanced = bandsOf({96, 4}),
                   alone = bandsOf({100, 0});

int timesAsked = 0;
bool yes() {
  ++timesAsked;
  return true;
}
bool no() {
  ++timesAsked;
  return false;
}

/// Takes the looks up to the one that leaves all rows to the GPUs.
IdleTrial inTrial() {
  IdleTrial trial;
  EXPECT_EQ(trial.look(9.0, first, yes), Next::balance);
  EXPECT_EQ(trial.look(1.0, balanced, yes), Next::balance);
  EXPECT_EQ(trial.look(1.1, balanced, yes), Next::idle);
  return trial;
}

TEST(IdleTrial, KeepsGpusAloneThatAreFaster) {
  IdleTrial trial = inTrial();
  EXPECT_EQ(trial.look(5.0, alone, yes), Next::keep);  // selects launch shapes
  EXPECT_EQ(trial.look(0.9, alone, yes), Next::keep);
  for (int look = 0; look < 3; ++look) EXPECT_EQ(trial.look(2.0, alone, yes), Next::keep);
}

TEST(IdleTrial, ReturnsToProcessorsThatHelp) {
  IdleTrial trial = inTrial();
  EXPECT_EQ(trial.look(1.02, alone, yes), Next::keep);
  EXPECT_EQ(trial.look(1.03, alone, yes), Next::restore);
  EXPECT_EQ(trial.partitionBefore(), balanced);
  for (int look = 0; look < 9; ++look) EXPECT_EQ(trial.look(1.0, balanced, yes), Next::balance);
}

TEST(IdleTrial, LeavesOutGpusWithoutMemory) {
  IdleTrial trial;
  timesAsked = 0;
  for (int look = 0; look < 9; ++look) EXPECT_EQ(trial.look(1.0, balanced, no), Next::balance);
  EXPECT_EQ(timesAsked, 1);
}

TEST(IdleTrial, EndsWhenOthersMoveTheCuts) {
  IdleTrial during = inTrial();
  EXPECT_EQ(during.look(0.5, balanced, yes), Next::balance);
  EXPECT_EQ(during.look(0.5, balanced, yes), Next::balance);
  IdleTrial after = inTrial();
  EXPECT_EQ(after.look(0.5, alone, yes), Next::keep);
  EXPECT_EQ(after.look(0.5, alone, yes), Next::keep);
  EXPECT_EQ(after.look(0.5, first, yes), Next::balance);
  EXPECT_EQ(after.look(0.5, first, yes), Next::balance);
}

}  // namespace

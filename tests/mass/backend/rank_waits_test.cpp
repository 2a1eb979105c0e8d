#include <mass/backend/rank_waits.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace mass {
namespace {

using detail::RankWaits;
using Numbers = std::vector<int>;
using Time = RankWaits::Time;

/// Time in seconds after the begin of the wait.
Time at(double seconds) {
  return Time() + std::chrono::duration_cast<RankWaits::Clock::duration>(
                      std::chrono::duration<double>(seconds));
}

/// Wait of rank 0 with a timeout of 8 s.
class RankWaitsTest : public ::testing::Test {
 protected:
  RankWaitsTest() { waits.restart(at(0)); }
  RankWaits waits{0, 8};
};

TEST_F(RankWaitsTest, AskNobodyAtFirst) {
  EXPECT_EQ(waits.ranksToAsk({1}, at(1.9)), Numbers{});
  EXPECT_EQ(waits.ranksToAsk({1}, at(2)), (Numbers{1}));
}

TEST_F(RankWaitsTest, AskOnceUntilTheAnswerAndAgainSoonAfterIt) {
  EXPECT_EQ(waits.ranksToAsk({1}, at(2)), (Numbers{1}));
  EXPECT_EQ(waits.ranksToAsk({1}, at(3)), Numbers{});
  waits.answer(1, "", at(4));
  EXPECT_EQ(waits.ranksToAsk({1}, at(4.5)), Numbers{});
  EXPECT_EQ(waits.ranksToAsk({1}, at(5)), (Numbers{1}));
}

TEST_F(RankWaitsTest, FindADirectlyAwaitedRankAtTheTimeout) {
  EXPECT_EQ(waits.ranksToAsk({1, 2}, at(2)), (Numbers{1, 2}));
  waits.answer(2, "", at(2.1));
  EXPECT_EQ(waits.silentRank(at(7.9)), std::nullopt);
  EXPECT_EQ(waits.silentRank(at(8)), 1);
}

TEST_F(RankWaitsTest, FollowTheChainToTheSilentRank) {
  EXPECT_EQ(waits.ranksToAsk({1}, at(2)), (Numbers{1}));
  waits.answer(1, RankWaits::answerOf(5, {2, 2}), at(2.1));
  EXPECT_EQ(waits.ranksToAsk({1}, at(2.1)), (Numbers{2}));
  waits.answer(2, RankWaits::answerOf(9, {3, 0}), at(2.2));  // rank 0 is this one
  EXPECT_EQ(waits.ranksToAsk({1}, at(2.2)), (Numbers{3}));
  for (double time = 3; time < 8.2; time += 0.5) {
    for (const int rank : waits.ranksToAsk({1}, at(time))) {
      waits.answer(rank, rank == 1 ? RankWaits::answerOf(5, {2}) : RankWaits::answerOf(9, {3, 0}),
                   at(time));
    }
    EXPECT_EQ(waits.silentRank(at(time)), std::nullopt);
  }
  EXPECT_EQ(waits.silentRank(at(8.3)), 3);
}

TEST_F(RankWaitsTest, ForgetARankThatIsNoLongerAwaited) {
  EXPECT_EQ(waits.ranksToAsk({1}, at(2)), (Numbers{1}));
  waits.answer(1, RankWaits::answerOf(1, {2}), at(2));
  EXPECT_EQ(waits.ranksToAsk({1}, at(2)), (Numbers{2}));
  EXPECT_EQ(waits.ranksToAsk({1}, at(3)), (Numbers{1}));
  waits.answer(1, "", at(3));  // rank 2 has sent its message
  EXPECT_EQ(waits.ranksToAsk({1}, at(3.1)), Numbers{});
  EXPECT_EQ(waits.silentRank(at(8.5)), std::nullopt);
}

/// Lets rank 1 answer until a time. @return true if the ranks are stuck then
bool areStuckAfter(RankWaits& waits, double seconds, const auto& answerAt) {
  for (double time = 2; time < seconds; time += 0.25) {
    for (const int rank : waits.ranksToAsk({1}, at(time)))
      waits.answer(rank, answerAt(time), at(time));
  }
  EXPECT_EQ(waits.silentRank(at(seconds)), std::nullopt);
  return waits.areStuck(at(seconds));
}

TEST_F(RankWaitsTest, AreStuckIfNoWaitChanges) {
  const auto answer = [](double) { return RankWaits::answerOf(7, {0}); };
  EXPECT_FALSE(areStuckAfter(waits, 8.4, answer));
  EXPECT_TRUE(areStuckAfter(waits, 8.6, answer));
}

TEST_F(RankWaitsTest, AreNotStuckWhileARankWorks) {
  EXPECT_FALSE(areStuckAfter(waits, 100, [](double) { return ""; }));
}

TEST_F(RankWaitsTest, AreNotStuckWhileAnotherWaitMakesProgress) {
  EXPECT_FALSE(areStuckAfter(waits, 100, [](double time) {
    return RankWaits::answerOf(static_cast<std::uint64_t>(time), {0});
  }));
}

}  // namespace
}  // namespace mass

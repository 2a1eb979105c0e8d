#include <mass/backend/thread_team.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <vector>

namespace mass {
namespace {

class ThreadTeamTest : public testing::TestWithParam<int> {};

TEST_P(ThreadTeamTest, RunsATaskOnceOnEveryThread) {
  detail::ThreadTeam team(GetParam());
  std::vector<int> calls(static_cast<std::size_t>(GetParam()));
  for (int round = 0; round < 100; ++round) {
    team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
  }
  EXPECT_EQ(team.size(), GetParam());
  EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(GetParam()), 100));
}

TEST_P(ThreadTeamTest, NobodyPassesABarrierBeforeAllHaveCome) {
  detail::ThreadTeam team(GetParam());
  std::vector<int> written(static_cast<std::size_t>(GetParam()));
  std::atomic<int> wrong{0};
  team.run([&](int thread) {
    const auto next = static_cast<std::size_t>((thread + 1) % team.size());
    for (int round = 1; round <= 1000; ++round) {
      written[static_cast<std::size_t>(thread)] = round;
      team.barrier().wait();
      if (written[next] != round) ++wrong;
      team.barrier().wait();
    }
  });
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadTeamTest, testing::Values(1, 2, 3, 8, 17));

TEST(ThreadTeam, TeamsLiveSideBySide) {
  detail::ThreadTeam one(3);
  detail::ThreadTeam other(2);
  std::atomic<int> calls{0};
  one.run([&](int thread) {
    ++calls;
    if (thread == 0) other.run([&](int) { ++calls; });
  });
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace mass

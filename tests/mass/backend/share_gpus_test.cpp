#include <mass/backend/share_gpus.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using mass::detail::partOfGpus;
using mass::detail::RankGpus;
using mass::detail::shareGpus;
using Shares = std::vector<std::vector<int>>;

const std::vector<std::string> four{"a", "b", "c", "d"};

std::string errorOf(const std::vector<RankGpus>& ranks, int devicesPerGpu = 1) {
  try {
    (void)shareGpus(ranks, devicesPerGpu);
  } catch (const mass::DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(ShareGpus, OneRankTakesTheBest) {
  EXPECT_EQ(shareGpus({{"h", 3, four}}, 1), (Shares{{0, 1, 2}}));
  EXPECT_EQ(shareGpus({{"h", 6, four}}, 2), (Shares{{0, 1, 2, 3, 0, 1}}));
}

TEST(ShareGpus, RanksOfAHostTakeDifferentOnes) {
  EXPECT_EQ(shareGpus({{"h", 1, four}, {"h", 2, four}, {"h", 1, four}}, 1),
            (Shares{{0}, {1, 2}, {3}}));
}

TEST(ShareGpus, HostsHaveTheirOwn) {
  EXPECT_EQ(shareGpus({{"h", 1, {"a"}}, {"i", 1, {"a"}}, {"h", 1, {"b"}}}, 1),
            (Shares{{0}, {0}, {0}}));
}

TEST(ShareGpus, RanksThatTheLauncherHasBoundTakeWhatTheySee) {
  EXPECT_EQ(shareGpus({{"h", 1, {"b"}}, {"h", 1, {"a", "b"}}}, 1), (Shares{{0}, {0}}));
  EXPECT_EQ(shareGpus({{"h", 2, {"c", "d"}}, {"h", 2, {"a", "b"}}}, 1), (Shares{{0, 1}, {0, 1}}));
}

TEST(ShareGpus, RanksShareAGpuIfThatIsAllowed) {
  EXPECT_EQ(shareGpus({{"h", 1, {"a"}}, {"h", 1, {"a"}}, {"h", 1, {"a"}}}, 3),
            (Shares{{0}, {0}, {0}}));
}

TEST(ShareGpus, TooFewAreRefused) {
  EXPECT_EQ(errorOf({{"h", 2, {"a"}}}),
            "2 GPUs were requested, there is 1: set 'devices' to 1 or less");
  EXPECT_EQ(errorOf({{"h", 9, four}}, 2),
            "9 GPUs were requested, there are 8: set 'devices' to 8 or less");
  const std::string text = errorOf({{"h", 1, {"a"}}, {"i", 1, {"a"}}, {"h", 1, {"a"}}});
  EXPECT_TRUE(text.starts_with("the ranks on host h need 2 GPUs, there is 1: start fewer ranks"))
      << text;
  EXPECT_NE(errorOf({{"h", 1, {}}, {"h", 1, {"a"}}}), "");
}

TEST(PartOfGpus, IsEqualForTheRanksOfAHost) {
  const std::vector<RankGpus> ranks{{"h", 1, four}, {"h", 1, four}, {"i", 1, {"a"}}};
  EXPECT_EQ(partOfGpus(ranks, 0, 1), 2);
  EXPECT_EQ(partOfGpus(ranks, 1, 2), 4);
  EXPECT_EQ(partOfGpus(ranks, 2, 1), 1);
  EXPECT_EQ(partOfGpus({{"h", 1, {"a"}}, {"h", 1, {"b"}}}, 0, 1), 1);
  EXPECT_EQ(partOfGpus({{"h", 1, {"a"}}, {"h", 1, {"a"}}}, 0, 1), 1);
}

}  // namespace

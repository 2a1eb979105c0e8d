#include <mass/backend/processor_quota.hpp>

#include "../../support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace {

using mass::detail::processorQuota;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

/// Control groups in a folder.
struct Groups {
  TemporaryFolder folder;

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder / file).parent_path());
    writeBytes(folder / file, text);
  }
  double quota() const { return processorQuota(folder / "membership", folder / "groups"); }
};

TEST(ProcessorQuota, IsInfiniteWithoutGroupsOrLimits) {
  Groups groups;
  EXPECT_TRUE(std::isinf(groups.quota()));
  groups.write("membership", "0::/a\n");
  EXPECT_TRUE(std::isinf(groups.quota()));
  groups.write("groups/a/cpu.max", "max 100000\n");
  EXPECT_TRUE(std::isinf(groups.quota()));
  groups.write("membership", "malformed\n\n3:cpuset,cpuacct:/a\n");
  groups.write("groups/a/cpu.max", "100000 100000\n");
  EXPECT_TRUE(std::isinf(groups.quota())) << "the process is in no group of processors";
}

TEST(ProcessorQuota, OfVersion2IsTheSmallestOfAGroupAndItsParents) {
  Groups groups;
  groups.write("membership", "0::/job/step\n");
  groups.write("groups/job/step/cpu.max", "350000 100000\n");
  EXPECT_DOUBLE_EQ(groups.quota(), 3.5);
  groups.write("groups/job/cpu.max", "50000 20000\n");
  EXPECT_DOUBLE_EQ(groups.quota(), 2.5);
  groups.write("groups/cpu.max", "80000 100000\n");
  EXPECT_DOUBLE_EQ(groups.quota(), 0.8) << "as a container sees its own group";
}

TEST(ProcessorQuota, OfVersion1IsThatOfTheControllerCpu) {
  Groups groups;
  groups.write("membership", "5:cpuset:/job\n4:cpu,cpuacct:/job\n0::/\n");
  groups.write("groups/cpu/job/cpu.cfs_quota_us", "-1\n");
  groups.write("groups/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(std::isinf(groups.quota()));
  groups.write("groups/cpu/job/cpu.cfs_quota_us", "150000\n");
  EXPECT_DOUBLE_EQ(groups.quota(), 1.5);
}

}  // namespace

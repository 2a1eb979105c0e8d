#include <mass/backend/device_config.hpp>

#include <mass/backend/gpus.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace {

using mass::UsageError;
using mass::detail::DeviceConfig;
using mass::detail::Worker;

TEST(DeviceConfig, EveryThreadWorksForOneDeviceAndTheSharesDifferByOne) {
  for (int devices = 1; devices <= 5; ++devices) {
    for (int threads = 1; threads <= 9; ++threads) {
      const auto config = DeviceConfig::cpu(devices, threads);
      ASSERT_EQ(config.size(), devices);
      ASSERT_EQ(config.threads(), std::max(threads, devices));
      std::mutex mutex;
      std::set<std::tuple<int, int, int>> workers;
      config.run([&](const Worker& worker) {
        const std::scoped_lock lock(mutex);
        workers.insert({worker.device(), worker.index(), worker.size()});
      });
      ASSERT_EQ(static_cast<int>(workers.size()), config.threads());
      std::vector<int> counts(static_cast<std::size_t>(devices));
      for (const auto& [device, index, size] : workers) {  // sorted by device, then index
        EXPECT_EQ(index, counts[static_cast<std::size_t>(device)]++);
        EXPECT_GE(size, config.threads() / devices);
        EXPECT_LE(size, (config.threads() + devices - 1) / devices);
      }
      for (const auto& [device, index, size] : workers) {
        EXPECT_EQ(size, counts[static_cast<std::size_t>(device)]);
      }
    }
  }
}

TEST(DeviceConfig, TheBarrierWaitsForEveryWorkerOfEveryDevice) {
  const auto config = DeviceConfig::cpu(3, 5);
  std::atomic<int> arrived{0};
  std::atomic<int> early{0};
  config.run([&](const Worker& worker) {
    for (int round = 1; round <= 100; ++round) {
      ++arrived;
      worker.barrier();
      if (arrived < 5 * round) ++early;
      worker.barrier();
    }
  });
  EXPECT_EQ(early, 0);
}

TEST(DeviceConfig, WhatAWorkerThrowsReachesTheCallerWhenAllAreDone) {
  const auto config = DeviceConfig::cpu(3, 6);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> done{0};
    try {
      config.run([&](const Worker& worker) {
        worker.barrier();
        ++done;
        if (worker.device() > 0) throw mass::DeviceError("{} {}", worker.device(), worker.index());
      });
      FAIL() << "nothing was thrown";
    } catch (const mass::DeviceError& error) {
      EXPECT_STREQ(error.what(), "1 0");
    }
    EXPECT_EQ(done, 6);
  }
}

TEST(DeviceConfig, NoThreadsGivenMeansOneForEachProcessorThisProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(DeviceConfig::cpu(1, 0).threads(), CPU_COUNT(&before));
  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(DeviceConfig::cpu(1, 0).threads(), 1);
  EXPECT_EQ(DeviceConfig::cpu(3, 0).threads(), 3);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(DeviceConfig, DevicesHaveNamesAndAlignedMemoryOfTheirOwn) {
  const auto config = DeviceConfig::cpu(2, 1);
  EXPECT_NE(config.device(0).name(), config.device(1).name());
  EXPECT_GT(config.device(0).freeBytes(), 0U);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{5000001}}) {
    mass::detail::Buffer buffer(config.device(0), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
    std::memset(buffer.data(), 1, bytes);
    mass::detail::Buffer moved(std::move(buffer));
    EXPECT_EQ(moved.bytes(), bytes);
  }
}

TEST(DeviceConfig, RefusesWhatMakesNoSense) {
  EXPECT_THROW((void)DeviceConfig::cpu(0, 1), UsageError);
  EXPECT_THROW((void)DeviceConfig::cpu(1, -1), UsageError);
  EXPECT_THROW((void)DeviceConfig::cpu(2, 1, {1.0}), UsageError);
  EXPECT_EQ(DeviceConfig::cpu(2, 1, {1.0, 3.0}).weights(), (std::vector<double>{1.0, 3.0}));
}

TEST(Gpus, AreRefusedWithTheReasonWhereThereAreNone) {
  if (mass::detail::usableGpus() > 0) GTEST_SKIP() << "there are GPUs";
  EXPECT_NE(mass::detail::noGpuReason().find("'backend' to cpu"), std::string::npos)
      << mass::detail::noGpuReason();
  EXPECT_THROW(DeviceConfig::gpus(1), mass::DeviceError);
  EXPECT_THROW(DeviceConfig::gpus(0), mass::UsageError);
}

}  // namespace

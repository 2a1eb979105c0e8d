#include <mass/dispatch/device_times.hpp>

#include <gtest/gtest.h>

namespace mass {
namespace {

TEST(DeviceTimes, ADeviceTakesAsLongAsItsSlowestThread) {
  const detail::DeviceConfig devices = detail::DeviceConfig::cpu(2, 6);
  detail::DeviceTimes times(devices);
  // The busiest thread is the second one of device 0 and the first one of device 1.
  const double seconds[2][3] = {{0.25, 1.0, 0.5}, {4.0, 2.0, 3.0}};
  for (int i = 0; i < 2; ++i) {
    devices.run([&](const detail::Worker& worker) {
      times.add(worker, seconds[worker.device()][worker.index()]);
    });
  }
  EXPECT_EQ(times.of(0), 2.0);
  EXPECT_EQ(times.of(1), 8.0);
  times.reset();
  EXPECT_EQ(times.of(0), 0.0);
  EXPECT_EQ(times.of(1), 0.0);
}

TEST(DeviceTimes, AStepIsMeasuredOnceForEachRuleAndDevice) {
  detail::DeviceTimes times(detail::DeviceConfig::cpu(2, 2));
  const int rules[2] = {};
  int measured = 0;
  const auto stepSeconds = [&](int device, const int& rule) {
    return times.stepSeconds(device, &rule, [&] { return 1.0 + measured++; });
  };
  EXPECT_FALSE(times.hasStepSeconds(0, &rules[0]));
  EXPECT_EQ(stepSeconds(0, rules[0]), 1.0);
  EXPECT_EQ(stepSeconds(0, rules[0]), 1.0);
  EXPECT_EQ(stepSeconds(0, rules[1]), 2.0);
  EXPECT_FALSE(times.hasStepSeconds(1, &rules[0]));
  EXPECT_EQ(stepSeconds(1, rules[0]), 3.0);
  EXPECT_TRUE(times.hasStepSeconds(1, &rules[0]));
  times.reset();
  EXPECT_FALSE(times.hasStepSeconds(0, &rules[0]));
  EXPECT_EQ(stepSeconds(0, rules[0]), 4.0);
}

}  // namespace
}  // namespace mass

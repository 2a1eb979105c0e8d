#include <mass/partition/prediction.hpp>

#include <mass/partition/ghost_expansion.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace mass::detail;

/// D3Q19 with FP32: 5 of the 19 populations cross a face.
PredictedStep cavityOf(std::int64_t side) {
  return {{side, side, side}, 5 * 4.0, 1};
}
/// GPUs with the rate of D3Q19 on one H200, and an InfiniBand port each.
PredictedDevices gpus(bool overlaps) {
  return {26.3e9, 3e-6, 25e9, overlaps};
}

TEST(Prediction, OfACavityOn64GpusIsThatOfTheNumbersByHand) {
  const PredictedStep cavity = cavityOf(2048);
  const Parts rows{64, 1}, blocks{8, 8};
  EXPECT_DOUBLE_EQ(bytesSent(cavity, rows), 2 * 2048.0 * 2048 * 20);
  EXPECT_DOUBLE_EQ(bytesSent(cavity, blocks), 4 * 2048.0 * 256 * 20);
  EXPECT_DOUBLE_EQ(bytesSent(cavity, blocks) / bytesSent(cavity, rows), 0.25);
  const double alone = 2048.0 * 2048 * 2048 / 64 / 26.3e9;
  const auto efficiency = [&](const Parts& parts, bool overlaps) {
    return alone / stepSeconds(gpus(overlaps), cavity, parts, 1);
  };
  EXPECT_NEAR(efficiency(rows, true), 0.76, 0.005);
  EXPECT_NEAR(efficiency(blocks, true), 1.0, 0.005);
  EXPECT_NEAR(efficiency(rows, false), 0.43, 0.005);
  EXPECT_NEAR(efficiency(blocks, false), 0.75, 0.005);
}

TEST(Prediction, OfOneDeviceHasNoExchange) {
  const Prediction alone = predict(gpus(false), cavityOf(64), {1, 1});
  EXPECT_DOUBLE_EQ(alone.seconds, 64.0 * 64 * 64 / 26.3e9);
  EXPECT_DOUBLE_EQ(alone.efficiency, 1);
}

TEST(Prediction, ChoosesStepsThatHideTheLatency) {
  const PredictedStep small{{64, 64, 64}, 4, 1};
  const PredictedDevices slow{1e9, 1e-3, 1e9, false};
  const Prediction best = predict(slow, small, {4, 1});
  EXPECT_EQ(best.stepsPerExchange, 16);  // a part has 16 rows
  EXPECT_DOUBLE_EQ(best.seconds, (16 + 15) * 64 * 64 / 1e9 + 2 * 64 * 64 * 4 / 1e9 + 1e-3 / 16);
}

TEST(Parts, ThatSendLeastAreNearlySquare) {
  EXPECT_EQ(leastSending({2048, 2048}, 64), (Parts{8, 8}));
  EXPECT_EQ(leastSending({2048, 256}, 16), (Parts{16, 1}));
  EXPECT_EQ(leastSending({384, 384}, 24), (Parts{6, 4}));
  EXPECT_EQ(leastSending({384, 384}, 7), (Parts{7, 1}));
  EXPECT_EQ(leastSending({2, 100}, 8), (Parts{1, 8}));
  EXPECT_EQ(leastSending({2, 3}, 8), (Parts{8, 1}));  // impossible
}

/// Polynomials in R that equations 2, 3, 5, 6 and 7 of Liu and Perumalla 2018 give.
TEST(GhostExpansion, HasThePolynomialsOfThePaper) {
  const double a = 3e-9, b = 2e-5, B = 300, d = 2, R = 5;
  const CubicSubdomain cube{B, d, R};
  const LinearTime time{a, b};
  const auto near = [](double value, double expected) {
    EXPECT_NEAR(value, expected, 1e-12 * std::abs(expected));
  };
  near(cpuSeconds(time, cube),
       a * (2 * d * d * d * std::pow(R, 4) + (4 * B * d * d - 4 * d * d * d) * std::pow(R, 3) +
            (3 * B * B * d - 6 * B * d * d + 2 * d * d * d) * R * R +
            (B * B * B - 3 * B * B * d + 2 * B * d * d) * R) +
           b);
  near(gpuSeconds(time, cube),
       a * (8 * d * d * d * std::pow(R, 4) + 12 * B * d * d * std::pow(R, 3) +
            6 * B * B * d * R * R + B * B * B * R) +
           b * R);
  near(messageSeconds(time, cube),
       a * (8 * d * d * d * std::pow(R, 3) + 12 * B * d * d * R * R + 6 * B * B * d * R) + b);
  near(copySeconds(time, cube), a * (8 * d * d * d * std::pow(R, 3) + 16 * B * d * d * R * R +
                                     10 * B * B * d * R + 2 * B * B * B) +
                                    b);
}

TEST(GhostExpansion, HasAnOptimumThatGrowsWithTheLatency) {
  const auto best = [](double latency) {
    const GpuCluster cluster{{1e-9, 1e-5}, {4e-9, latency}, {1e-9, 1e-5}};
    double steps = 1;
    while (gpuStepSeconds(cluster, {300, 1, steps + 1}) < gpuStepSeconds(cluster, {300, 1, steps}))
      ++steps;
    return steps;
  };
  EXPECT_GT(best(0.5), best(0.05));
  EXPECT_GT(best(0.05), 1);
}

}  // namespace

#include <mass/partition/prediction.hpp>

#include <mass/partition/ghost_expansion.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

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

/// TheLMA on 24 GPUs M2070 (Obrecht et al. 2013): 8,928 million places a second, 82 % of the rate
/// of the GPUs with 128^3 places on each; 70 % were measured with 384^3 places on all.
TEST(Prediction, OfTheLmaIsThatOfItsWeakScaling) {
  const double places = 128.0 * 128 * 128, seconds = 24 * places / 8928e6;
  const double rate = places / (0.82 * seconds);
  EXPECT_NEAR(rate, 453.7e6, 0.1e6);
  // The rest of a step sends 5 faces, as many as a part in the middle of 2 x 4 x 3 has.
  const double bytes = 5 * 128.0 * 128 * 20;
  const double bandwidth = bytes / (0.18 * seconds);
  EXPECT_NEAR(bandwidth, 1.61e9, 0.01e9);
  // Strong scaling: parts of 192 x 96 x 128 places, with one face of 96 x 128 places and two of
  // each other kind that are between parts.
  const double strongBytes = (96.0 * 128 + 2 * 192 * 128 + 2 * 192 * 96) * 20;
  const double compute = 384.0 * 384 * 384 / 24 / rate;
  const double efficiency = compute / (compute + strongBytes / bandwidth);
  EXPECT_NEAR(efficiency, 0.81, 0.005);  // the paper measured 0.70
  // Parts of two axes instead, with the same GPUs and network.
  const PredictedDevices gpus{rate, 0, bandwidth, false};
  const Prediction blocks = predict(gpus, cavityOf(384), {4, 6}, 1);
  EXPECT_NEAR(blocks.efficiency, 0.77, 0.005);
  EXPECT_NEAR(predict(gpus, cavityOf(384), {24, 1}, 1).efficiency, 0.59, 0.005);
}

/// Returns the places of the faces that the part with most neighbours has at cuts, without periodic
/// borders.
double facesOf(const Lengths& world, const Lengths& parts) {
  double faces = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double face = 1;
    for (const std::size_t other : {(axis + 1) % 3, (axis + 2) % 3})
      face *= static_cast<double>(world[other]) / static_cast<double>(parts[other]);
    faces += static_cast<double>(std::min<std::int64_t>(parts[axis] - 1, 2)) * face;
  }
  return faces;
}

/// Returns the least such places for cuts of so many axes, in any order of the axes.
double leastFaces(const Lengths& world, std::int64_t devices, bool ofTwoAxes) {
  double least = 1e300;
  for (std::size_t whole = 0; whole < 3; ++whole) {
    for (std::int64_t rows = 1; rows <= devices; ++rows) {
      if (devices % rows != 0 || (!ofTwoAxes && rows < devices)) continue;
      Lengths parts{1, 1, 1};
      parts[(whole + 1) % 3] = rows;
      parts[(whole + 2) % 3] = devices / rows;
      least = std::min(least, facesOf(world, parts));
    }
  }
  return least;
}

constexpr std::array walls{mass::Border::fixed, mass::Border::fixed, mass::Border::fixed};

/// The table of docs/clusters.md: bytes in MB.
TEST(Prediction, OfPublishedClustersHasTheBytesOfTheTable) {
  struct Cluster {
    Lengths world, parts;
    double bytesOfPlace, paper, automatic, twoAxes, rows;
  };
  for (const auto& [world, parts, bytes, paper, automatic, twoAxes, rows] :
       std::initializer_list<Cluster>{{{128, 256, 256}, {1, 2, 2}, 20, 0.66, 0.66, 0.66, 1.31},
                                      {{128, 384, 256}, {1, 3, 2}, 20, 0.98, 0.98, 0.98, 1.31},
                                      {{256, 256, 256}, {2, 2, 2}, 20, 0.98, 0.98, 1.64, 2.62},
                                      {{256, 384, 256}, {2, 3, 2}, 20, 1.31, 1.64, 1.64, 2.62},
                                      {{256, 512, 256}, {2, 4, 2}, 20, 1.31, 1.64, 1.64, 2.62},
                                      {{256, 384, 384}, {2, 3, 3}, 20, 1.64, 1.64, 1.97, 3.93},
                                      {{256, 512, 384}, {2, 4, 3}, 20, 1.64, 1.53, 1.86, 3.93},
                                      {{384, 384, 384}, {1, 2, 2}, 20, 2.95, 2.95, 2.95, 5.90},
                                      {{384, 384, 384}, {1, 3, 2}, 20, 3.93, 3.93, 3.93, 5.90},
                                      {{384, 384, 384}, {2, 2, 2}, 20, 2.21, 2.21, 3.69, 5.90},
                                      {{384, 384, 384}, {2, 3, 2}, 20, 2.46, 2.46, 3.44, 5.90},
                                      {{384, 384, 384}, {2, 4, 2}, 20, 2.21, 2.21, 2.95, 5.90},
                                      {{384, 384, 384}, {2, 3, 3}, 20, 2.29, 2.29, 2.95, 5.90},
                                      {{384, 384, 384}, {2, 4, 3}, 20, 1.97, 2.46, 2.46, 5.90},
                                      {{1200, 1200, 1200}, {3, 3, 3}, 4, 3.84, 3.84, 5.12, 11.52},
                                      {{1200, 1200, 1200}, {4, 4, 4}, 4, 2.16, 2.16, 2.88, 11.52},
                                      {{3000, 200, 3000}, {5, 1, 5}, 4, 1.92, 1.92, 1.92, 4.80}}) {
    const std::int64_t devices = parts[0] * parts[1] * parts[2];
    EXPECT_NEAR(facesOf(world, parts) * bytes / 1e6, paper, 0.006);
    const double sent = placesSent(world, partsFor(world, static_cast<int>(devices), walls), walls);
    EXPECT_NEAR(sent * bytes / 1e6, automatic, 0.006);
    EXPECT_LE(sent, 1.25 * facesOf(world, parts) * (1 + 1e-12));
    EXPECT_NEAR(leastFaces(world, devices, true) * bytes / 1e6, twoAxes, 0.006);
    EXPECT_NEAR(leastFaces(world, devices, false) * bytes / 1e6, rows, 0.006);
  }
}

TEST(Prediction, CountsDeepGhostsAlongBothAxes) {
  const PredictedDevices devices{1e9, 1e-3, 1e9, false};
  const PredictedStep step{{64, 96, 10}, 8, 2};
  // Blocks of 32 x 32 places; 4 steps per exchange compute 6 more along each axis in the mean.
  EXPECT_DOUBLE_EQ(stepSeconds(devices, step, {2, 3}, 4),
                   38 * 38 * 10 / 1e9 + 2 * (32 + 32) * 10 * 8 / 1e9 + 1e-3 / 4);
  EXPECT_EQ(predict(devices, step, {2, 3}).stepsPerExchange, 16);
}

TEST(Parts, ThatSendLeastAreNearlySquare) {
  EXPECT_EQ(leastSending({2048, 2048, 100}, 64), (Parts{8, 8}));
  EXPECT_EQ(leastSending({2048, 256, 100}, 16), (Parts{16, 1}));
  EXPECT_EQ(leastSending({384, 384, 100}, 24), (Parts{6, 4}));
  EXPECT_EQ(leastSending({384, 384, 100}, 7), (Parts{7, 1}));
  EXPECT_EQ(leastSending({2, 100, 100}, 8), (Parts{1, 8}));
  EXPECT_EQ(leastSending({2, 3, 100}, 8), (Parts{8, 1}));  // impossible
}
TEST(Parts, CutTheThirdAxisIfTheOthersSendMuchMore) {
  const auto cube = [](std::int64_t edge) { return Lengths{edge, edge, edge}; };
  // Between walls, each of 2 x 2 x 2 parts sends through three faces, not through six.
  EXPECT_EQ(leastSendingOfAll(cube(384), 8), (Parts{4, 2}));
  EXPECT_EQ(leastSendingOfAll(cube(384), 8, walls), (Parts{2, 2, 2}));
  EXPECT_EQ(leastSendingOfAll({2, 3, 100}, 8), (Parts{1, 1, 8}));
  EXPECT_EQ(partsFor(cube(384), 8, walls), (Parts{2, 2, 2}));  // 1.67 times
  EXPECT_EQ(partsFor(cube(384), 12), (Parts{4, 3}));
  EXPECT_EQ(partsFor(cube(384), 16, walls), (Parts{4, 2, 2}));   // 1.33 times
  EXPECT_EQ(partsFor(cube(384), 24, walls), (Parts{6, 4}));      // 1.25 times
  EXPECT_EQ(partsFor(cube(1200), 27), (Parts{3, 3, 3}));         // 1.33 times
  EXPECT_EQ(partsFor({3000, 200, 3000}, 25), (Parts{5, 1, 5}));  // bands send 2.5 times as much
}
TEST(Prediction, CountsFacesAndDeepGhostsAlongThreeAxes) {
  const PredictedDevices devices{1e9, 1e-3, 1e9, false};
  const PredictedStep step{{64, 96, 128}, 8, 2};
  // Blocks of 32^3 places; 4 steps per exchange compute 6 more along each axis in the mean.
  EXPECT_DOUBLE_EQ(bytesSent(step, {2, 3, 4}), 6 * 32 * 32 * 8);
  EXPECT_DOUBLE_EQ(stepSeconds(devices, step, {2, 3, 4}, 4),
                   38 * 38 * 38 / 1e9 + 6 * 32 * 32 * 8 / 1e9 + 1e-3 / 4);
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

#include <apps/rdme/analysis/kymograph.hpp>

#include <mass/io/image.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace {

using rdme::Kymograph;

/// Returns ten layers, whose upper half has the share 1/2 + size sin(2 pi t / period).
Kymograph swing(double period, double size, double seconds) {
  Kymograph kymograph;
  for (double time = 0; time < seconds; time += 1) {
    const double share = 0.5 + size * std::sin(2 * 3.14159265358979 * time / period);
    kymograph.times.push_back(time);
    kymograph.layers.emplace_back(10, 20 * (1 - share));
    for (std::size_t z = 5; z < 10; ++z) kymograph.layers.back()[z] = 20 * share;
  }
  return kymograph;
}

TEST(Period, IsInterpolatedBetweenTimes) {
  const auto period = rdme::oscillationPeriod(swing(43.3, 0.3, 400), 0);
  EXPECT_NEAR(period.mean, 43.3, 0.05);
  EXPECT_LT(period.spread, 0.3);
  EXPECT_EQ(period.cycles, 8U);  // between nine crossings: the one at 0 does not count
}

TEST(Period, LeavesOutTheBeginning) {
  EXPECT_EQ(rdme::oscillationPeriod(swing(40, 0.3, 400), 250).cycles, 2U);
}

TEST(Period, IgnoresNoise) {
  EXPECT_EQ(rdme::oscillationPeriod(swing(40, 0.05, 400), 0).cycles, 0U);
  EXPECT_EQ(rdme::oscillationPeriod({}, 0).cycles, 0U);
}

TEST(Period, CountsOneOfSeveralSmallCrossings) {
  // The share falls below 0.4 twice. The crossings between, within 0.1 of 1/2, do not count.
  Kymograph kymograph;
  for (const double share : {0.6, 0.3, 0.6, 0.48, 0.55, 0.45, 0.6, 0.3, 0.6}) {
    kymograph.times.push_back(static_cast<double>(kymograph.times.size()));
    kymograph.layers.push_back({1 - share, share});
  }
  const auto period = rdme::oscillationPeriod(kymograph, 0);
  EXPECT_EQ(period.cycles, 1U);
  EXPECT_NEAR(period.mean, 6, 1e-12);
}

TEST(Period, HasTheSpreadOfASample) {
  // Upward crossings at 2, 6 and 12: cycles of 4 and 6, whose standard deviation is sqrt(2).
  Kymograph kymograph;
  for (int time = 0; time <= 12; ++time) {
    const bool isLow = (1 <= time && time < 3) || (4 <= time && time < 7) || time == 11;
    const double share = time == 2 || time == 6 || time == 12 ? 0.5 : isLow ? 0.3 : 0.7;
    kymograph.times.push_back(time);
    kymograph.layers.push_back({1 - share, share});
  }
  const auto period = rdme::oscillationPeriod(kymograph, 0);
  EXPECT_EQ(period.cycles, 2U);
  EXPECT_NEAR(period.mean, 5, 1e-12);
  EXPECT_NEAR(period.spread, std::sqrt(2), 1e-12);
}

TEST(Kymograph, ReadsItsColumnsOfATable) {
  const auto file = std::filesystem::path(testing::TempDir()) / "kymograph.csv";
  std::ofstream(file) << "step,A,A.z0,B.z0,A.z1\n0,3,1,9,2\n200,4,3,9,1\n";
  const auto kymograph = Kymograph::read(file, "A.z", 0.01);
  EXPECT_EQ(kymograph.times, (std::vector<double>{0, 2}));
  EXPECT_EQ(kymograph.layers, (std::vector<std::vector<double>>{{1, 2}, {3, 1}}));
  EXPECT_THROW(Kymograph::read(file, "C.z", 0.01), mass::InputError);
}

TEST(Kymograph, ReadsCutsOfTheStepsUpToEachRow) {
  const auto file = std::filesystem::path(testing::TempDir()) / "balance.csv";
  std::ofstream(file) << "step,imbalance,expected,rows.0,rows.1,rows.2\n"
                         "100,1,0,4,3,3\n200,0,0,2,5,3\n";
  Kymograph kymograph;
  kymograph.times = {0, 0.5, 1, 1.5, 2, 2.5};
  kymograph.readCuts(file, 0.01, 100);
  using Cuts = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(kymograph.cuts, (Cuts{{4, 7}, {4, 7}, {4, 7}, {2, 7}, {2, 7}, {}}));
  // A run restarted at step 100, whose table begins there.
  std::ofstream(file) << "step,imbalance,expected,rows.0,rows.1\n200,0,0,2,5\n";
  kymograph.readCuts(file, 0.01, 100);
  EXPECT_EQ(kymograph.cuts, (Cuts{{}, {}, {2}, {2}, {2}, {}}));
}

TEST(Kymograph, DrawsCuts) {
  const auto file = std::filesystem::path(testing::TempDir()) / "cuts.png";
  Kymograph kymograph;
  kymograph.times = {0, 1};
  kymograph.layers = {{0, 4}, {4, 0}};
  kymograph.cuts = {{1}, {1}};
  rdme::writeKymograph(kymograph, {1, 1}, file);
  const mass::detail::Image image = mass::readPng(file).image;
  EXPECT_EQ(image.pixels.front(), 0) << "dark on bright";
  EXPECT_EQ(image.pixels[static_cast<std::size_t>(image.width) - 1], 255) << "bright on dark";
}

TEST(Kymograph, IsDrawnUpwards) {
  const auto file = std::filesystem::path(testing::TempDir()) / "kymograph.png";
  Kymograph kymograph;
  kymograph.times = {0, 1, 2};
  kymograph.layers = {{0, 0}, {0, 4}, {0, 0}};
  rdme::writeKymograph(kymograph, {1, 2}, file);
  const mass::detail::Image image = mass::readPng(file).image;
  EXPECT_EQ(image.pixels[static_cast<std::size_t>(image.width / 2)],
            255);  // the top, in the middle
  EXPECT_EQ(image.pixels.front(), 0);
  EXPECT_EQ(image.pixels[image.pixels.size() - static_cast<std::size_t>(image.width / 2) - 1], 0);
}

TEST(Kymograph, KeepsAllLayersWithManyTimes) {
  const auto file = std::filesystem::path(testing::TempDir()) / "kymograph.png";
  Kymograph kymograph;
  for (int time = 0; time < 10000; ++time) {
    kymograph.times.push_back(time);
    kymograph.layers.push_back({0, time % 2 == 0 ? 8.0 : 0.0, 4, time < 5000 ? 4.0 : 0.0});
    kymograph.cuts.push_back(time < 5000 ? std::vector<std::int64_t>{}
                                         : std::vector<std::int64_t>{2});
  }
  rdme::writeKymograph(kymograph, {1, 1, 1, 1}, file);
  const mass::detail::Image image = mass::readPng(file).image;
  ASSERT_EQ(image.height, 4);
  EXPECT_EQ(image.width, 1000) << "means over ten";
  const auto pixel = [&](std::int64_t x, std::int64_t z) {
    return static_cast<int>(image.pixels[static_cast<std::size_t>((3 - z) * image.width + x)]);
  };
  for (const std::int64_t x : {0, 499, 500, 999}) {
    EXPECT_EQ(pixel(x, 0), 0);
    EXPECT_EQ(pixel(x, 1), 255) << "4 in the mean";
    EXPECT_EQ(pixel(x, 2), x < 500 ? 255 : 0) << "and the cut";
    EXPECT_EQ(pixel(x, 3), x < 500 ? 255 : 0);
  }
}

}  // namespace

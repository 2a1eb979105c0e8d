#include <apps/rdme/oscillation.hpp>

#include <mass/io/image.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace {

using rdme::SpaceTime;

/// Ten layers whose upper half has a share of 1/2 + size sin(2 pi t / period).
SpaceTime swing(double period, double size, double seconds) {
  SpaceTime course;
  for (double time = 0; time < seconds; time += 1) {
    const double share = 0.5 + size * std::sin(2 * 3.14159265358979 * time / period);
    course.times.push_back(time);
    course.layers.emplace_back(10, 20 * (1 - share));
    for (std::size_t z = 5; z < 10; ++z) course.layers.back()[z] = 20 * share;
  }
  return course;
}

TEST(Period, IsFoundBetweenLooks) {
  const auto period = rdme::periodOf(swing(43.3, 0.3, 400), 0);
  EXPECT_NEAR(period.mean, 43.3, 0.05);
  EXPECT_LT(period.spread, 0.3);
  EXPECT_EQ(period.cycles, 8U);  // between nine rises: the one at 0 has no fall before it
}

TEST(Period, LeavesOutTheBeginning) {
  EXPECT_EQ(rdme::periodOf(swing(40, 0.3, 400), 250).cycles, 2U);
}

TEST(Period, TakesNoNoiseForASwing) {
  EXPECT_EQ(rdme::periodOf(swing(40, 0.05, 400), 0).cycles, 0U);
  EXPECT_EQ(rdme::periodOf({}, 0).cycles, 0U);
}

TEST(Period, CountsOneRiseForAllTheCrossingsBesideIt) {
  // The share of the upper half falls once, and rises, and goes on crossing one half by a little.
  SpaceTime course;
  for (const double share : {0.6, 0.3, 0.6, 0.48, 0.55, 0.45, 0.6, 0.3, 0.6}) {
    course.times.push_back(static_cast<double>(course.times.size()));
    course.layers.push_back({1 - share, share});
  }
  const auto period = rdme::periodOf(course, 0);
  EXPECT_EQ(period.cycles, 1U);
  EXPECT_NEAR(period.mean, 6, 1e-12);
}

TEST(Period, HasTheSpreadOfASample) {
  // Rises at 2, 6 and 12: cycles of 4 and 6, whose standard deviation is sqrt(2).
  SpaceTime course;
  for (int time = 0; time <= 12; ++time) {
    const bool isLow = (1 <= time && time < 3) || (4 <= time && time < 7) || time == 11;
    const double share = time == 2 || time == 6 || time == 12 ? 0.5 : isLow ? 0.3 : 0.7;
    course.times.push_back(time);
    course.layers.push_back({1 - share, share});
  }
  const auto period = rdme::periodOf(course, 0);
  EXPECT_EQ(period.cycles, 2U);
  EXPECT_NEAR(period.mean, 5, 1e-12);
  EXPECT_NEAR(period.spread, std::sqrt(2), 1e-12);
}

TEST(SpaceTime, ReadsItsColumnsOfATable) {
  const auto file = std::filesystem::path(testing::TempDir()) / "course.csv";
  std::ofstream(file) << "step,A,A.z0,B.z0,A.z1\n0,3,1,9,2\n200,4,3,9,1\n";
  const auto course = SpaceTime::read(file, "A.z", 0.01);
  EXPECT_EQ(course.times, (std::vector<double>{0, 2}));
  EXPECT_EQ(course.layers, (std::vector<std::vector<double>>{{1, 2}, {3, 1}}));
  EXPECT_THROW(SpaceTime::read(file, "C.z", 0.01), mass::InputError);
}

TEST(SpaceTime, ReadsWhereCutsWereInTheStepsUpToALook) {
  const auto file = std::filesystem::path(testing::TempDir()) / "balance.csv";
  std::ofstream(file) << "step,imbalance,expected,rows.0,rows.1,rows.2\n"
                         "100,1,0,4,3,3\n200,0,0,2,5,3\n";
  SpaceTime course;
  course.times = {0, 0.5, 1, 1.5, 2, 2.5};
  course.readCuts(file, 0.01, 100);
  using Cuts = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(course.cuts, (Cuts{{4, 7}, {4, 7}, {4, 7}, {2, 7}, {2, 7}, {}}));
  // A run that went on from step 100, whose table begins there.
  std::ofstream(file) << "step,imbalance,expected,rows.0,rows.1\n200,0,0,2,5\n";
  course.readCuts(file, 0.01, 100);
  EXPECT_EQ(course.cuts, (Cuts{{}, {}, {2}, {2}, {2}, {}}));
}

TEST(SpaceTime, CutsShowInThePicture) {
  const auto file = std::filesystem::path(testing::TempDir()) / "cuts.png";
  SpaceTime course;
  course.times = {0, 1};
  course.layers = {{0, 4}, {4, 0}};
  course.cuts = {{1}, {1}};
  rdme::paint(course, {1, 1}, file);
  const mass::detail::Image image = mass::readPng(file).image;
  EXPECT_EQ(image.pixels.front(), 0) << "dark on bright";
  EXPECT_EQ(image.pixels[static_cast<std::size_t>(image.width) - 1], 255) << "bright on dark";
}

TEST(SpaceTime, IsPaintedUpwards) {
  const auto file = std::filesystem::path(testing::TempDir()) / "course.png";
  SpaceTime course;
  course.times = {0, 1, 2};
  course.layers = {{0, 0}, {0, 4}, {0, 0}};
  rdme::paint(course, {1, 2}, file);
  const mass::detail::Image image = mass::readPng(file).image;
  EXPECT_EQ(image.pixels[static_cast<std::size_t>(image.width / 2)],
            255);  // the top, in the middle
  EXPECT_EQ(image.pixels.front(), 0);
  EXPECT_EQ(image.pixels[image.pixels.size() - static_cast<std::size_t>(image.width / 2) - 1], 0);
}

TEST(SpaceTime, HasAllLayersHoweverManyTimesThereAre) {
  const auto file = std::filesystem::path(testing::TempDir()) / "course.png";
  SpaceTime course;
  for (int time = 0; time < 10000; ++time) {
    course.times.push_back(time);
    course.layers.push_back({0, time % 2 == 0 ? 8.0 : 0.0, 4, time < 5000 ? 4.0 : 0.0});
    course.cuts.push_back(time < 5000 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{2});
  }
  rdme::paint(course, {1, 1, 1, 1}, file);
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

#include <mass/dispatch/launch_cache.hpp>

#include "../../support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

namespace {

using mass::detail::GpuKernel;
using mass::detail::LaunchShape;
using mass::detail::Layout;

/// Kernel for every shape.
const void* everyTile(int, int) {
  return "";
}
/// Kernel for one column and up to two rows per thread only.
const void* narrowTiles(int rows, int width) {
  return width == 1 && rows <= 2 ? "" : nullptr;
}

/// Layout with aligned lines.
Layout aligned() {
  mass::detail::Domain domain;
  domain.dimensions = 2;
  domain.shape = {64, 4096, 1};
  domain.reach = 1;
  return Layout::of(domain, 64);
}

/// Returns the fastest shape on a GPU that runs 264 blocks of a plane sweep at a time.
LaunchShape fastest(const GpuKernel& kernel, const Layout& layout,
                    const std::function<double(const LaunchShape&)>& time) {
  return mass::detail::fastestShape(kernel, layout, time,
                                    [](const mass::detail::PlaneSweepShape&) { return 264; });
}

GpuKernel kernelWith(const void* (*function)(int, int)) {
  GpuKernel kernel;
  kernel.function = function;
  return kernel;
}

TEST(LaunchShapes, AreParsedFromFourOrFiveNumbers) {
  EXPECT_EQ(mass::detail::parseShape("4x1x128x2"), (LaunchShape{4, 1, 128, 2}));
  EXPECT_EQ(mass::detail::parseShape("16x4x32x8"), (LaunchShape{16, 4, 32, 8}));
  EXPECT_EQ(mass::detail::parseShape("1x2x32x4x8"), (LaunchShape{1, 2, 32, 4, 8}));
  EXPECT_EQ(mass::detail::parseShape("64x1x128x8m"), (LaunchShape{64, 1, 128, 8, 1, true}));
  EXPECT_EQ(mass::detail::parseShape("64x1x128x8x1m"), (LaunchShape{64, 1, 128, 8, 1, true}));
  EXPECT_EQ(mass::detail::parseShape("64x4x32x16m"), (LaunchShape{64, 4, 32, 16, 1, true}));
  EXPECT_EQ(mass::detail::parseShape("1024x4x32x12m"), (LaunchShape{1024, 4, 32, 12, 1, true}));
  EXPECT_EQ(mass::detail::parseShape("103x4x32x20m"), (LaunchShape{103, 4, 32, 20, 1, true}));
  for (const auto* wrong : {"",
                            "auto",
                            "4x1x128",
                            "4x1x128x2x1x1",
                            "4x1x128x2 ",
                            "3x1x128x1",
                            "4x8x128x1",
                            "4x1x128x2x3",
                            "4x1x128x2x",
                            "32x1x128x1",
                            "4x1x512x1",
                            "4x1x128x4",
                            "0x1x128x1",
                            "-4x1x128x1",
                            "4x1x128x",
                            "4,1,128,1",
                            "99999999999x1x1x1",
                            "1x1x256x1073741824",
                            "m",
                            "64x1x128x8",
                            "64x1x128x16m",
                            "1025x1x128x8m",
                            "64x1x128x8mm",
                            "64x1x128x8m ",
                            "64x1x128m"}) {
    EXPECT_FALSE(mass::detail::parseShape(wrong)) << wrong;
  }
}

TEST(LaunchTuner, SelectsTheFastestShape) {
  const GpuKernel kernel = kernelWith(&everyTile);
  for (const LaunchShape wanted : {LaunchShape{2, 4, 32, 4}, LaunchShape{8, 1, 128, 1}}) {
    const auto time = [&](const LaunchShape& shape) { return shape == wanted ? 1.0 : 2.0; };
    EXPECT_EQ(fastest(kernel, aligned(), time), wanted);
  }
}

// Single times may be disturbed, by up to a factor of 4 here, in one of five measurements.
TEST(LaunchTuner, SelectsTheFastestShapeDespiteOutliers) {
  const GpuKernel kernel = kernelWith(&everyTile);
  std::uint64_t state = 1;
  const auto random = [&] { return (state = state * 6364136223846793005ULL + 1) >> 40; };
  for (int cache = 0; cache < 200; ++cache) {
    const auto ideal = [](const LaunchShape& shape) {
      return 1 + 0.3 * std::abs(std::log2(shape.rows) - 2) + 0.2 * (shape.groups == 1 ? 1 : 0) +
             0.1 * (shape.width == 4 ? 1 : 0);
    };
    const LaunchShape found = fastest(kernel, aligned(), [&](const LaunchShape& shape) {
      const double jitter = 1 + 0.02 * static_cast<double>(random() % 100) / 100;
      return ideal(shape) * jitter *
             (random() % 5 == 0 ? 1.0 + static_cast<double>(random() % 4) : 1.0);
    });
    EXPECT_LE(ideal(found), 1.1) << found.rows << "x" << found.width << "x" << found.groups;
  }
}

// The best plane sweep does not depend on the best work per thread of other kernels.
TEST(LaunchTuner, MeasuresPlaneSweepsIfThereIsAKernel) {
  GpuKernel kernel = kernelWith(&narrowTiles);
  const LaunchShape wanted{64, 1, 128, 8, 1, true};
  const auto time = [&](const LaunchShape& shape) { return shape == wanted ? 1.0 : 2.0; };
  EXPECT_FALSE(fastest(kernel, aligned(), time).sweepsPlanes);
  kernel.planeSweep = [](const mass::detail::PlaneSweepShape& shape) {
    return shape == mass::detail::PlaneSweepShape{1, 128, 8}
               ? mass::detail::PlaneSweepFunction{"", 1, 4}
               : mass::detail::PlaneSweepFunction{};
  };
  EXPECT_EQ(fastest(kernel, aligned(), time), wanted);
  Layout odd = aligned();
  odd.pitch += 2;  // a plane sweep copies four places at once
  EXPECT_FALSE(fastest(kernel, odd, time).sweepsPlanes);
  EXPECT_FALSE(fits({64, 1, 64, 8, 1, true}, kernel, aligned()));
  EXPECT_FALSE(fits({64, 2, 128, 8, 1, true}, kernel, aligned()));
  Layout high = aligned();
  high.lines = 8 * 65535;  // the maximum of a grid
  EXPECT_TRUE(fits(wanted, kernel, high));
  high.lines += 1;
  EXPECT_FALSE(fits(wanted, kernel, high));
}

TEST(LaunchTuner, MeasuresStarSweepsOfWholePacks) {
  GpuKernel kernel = kernelWith(&narrowTiles);
  kernel.planeSweep = [](const mass::detail::PlaneSweepShape& shape) {
    return shape.width == 4 ? mass::detail::PlaneSweepFunction{"", 1, 4}
                            : mass::detail::PlaneSweepFunction{};
  };
  const LaunchShape wanted{32, 4, 32, 16, 1, true};
  const auto time = [&](const LaunchShape& shape) { return shape == wanted ? 1.0 : 2.0; };
  EXPECT_EQ(fastest(kernel, aligned(), time), wanted);
  Layout odd = aligned();
  odd.columns -= 1;
  EXPECT_FALSE(fastest(kernel, odd, time).sweepsPlanes);
  EXPECT_FALSE(fits({64, 1, 128, 8, 1, true}, kernel, aligned()));
}

TEST(LaunchTuner, MeasuresNoWholeWavesOfBlocksThatTheGpuCannotRun) {
  GpuKernel kernel = kernelWith(&narrowTiles);
  kernel.planeSweep = [](const mass::detail::PlaneSweepShape&) {
    return mass::detail::PlaneSweepFunction{"", 1, 4};
  };
  const auto time = [](const LaunchShape& shape) {
    EXPECT_TRUE(!shape.sweepsPlanes || std::has_single_bit(static_cast<unsigned>(shape.rows)));
    return shape.sweepsPlanes ? std::numeric_limits<double>::infinity() : 1.0;
  };
  Layout layout = aligned();
  layout.rows = 60;
  const auto none = [](const mass::detail::PlaneSweepShape&) { return 0; };
  EXPECT_FALSE(mass::detail::fastestShape(kernel, layout, time, none).sweepsPlanes);
}

TEST(LaunchTuner, MeasuresOnlyShapesThatFit) {
  const GpuKernel kernel = kernelWith(&narrowTiles);
  fastest(kernel, aligned(), [](const LaunchShape& shape) {
    EXPECT_EQ(shape.width, 1);
    EXPECT_LE(shape.rows, 2);
    return 1.0;
  });
  Layout odd = aligned();
  odd.pitch += 1;
  fastest(kernelWith(&everyTile), odd, [](const LaunchShape& shape) {
    EXPECT_EQ(shape.width, 1);
    return 1.0;
  });
}

/// Layout of a 2-D world with rows of `columns` places.
Layout ofRows(std::int64_t columns) {
  mass::detail::Domain domain;
  domain.dimensions = 2;
  domain.shape = {1000, columns, 1};
  domain.reach = 2;
  return Layout::of(domain, 1000);
}

// Kernels use 32-bit offsets from the first place of a block.
TEST(LaunchTuner, LimitsABlockTo31BitsOfPlaces) {
  for (const std::int64_t columns :
       {std::int64_t{4000}, std::int64_t{40} << 20, std::int64_t{300} << 20}) {
    const Layout layout = ofRows(columns);
    const std::int64_t rows = mass::detail::rowsIn32Bits(layout);
    const auto last = [&](std::int64_t count) {
      return layout.at(count - 1 + layout.depth, 0, layout.columns + layout.padding - 1);
    };
    EXPECT_LT(last(rows), std::int64_t{1} << 31) << columns;
    EXPECT_GE(last(rows + 2), std::int64_t{1} << 31) << columns;
  }
  EXPECT_LT(mass::detail::rowsIn32Bits(ofRows(std::int64_t{1} << 30)), 1);

  const GpuKernel kernel = kernelWith(&everyTile);
  const Layout longRows = ofRows(std::int64_t{40} << 20);  // 47 of them
  EXPECT_TRUE(fits({8, 4, 32, 4}, kernel, longRows));
  EXPECT_FALSE(fits({16, 4, 32, 4}, kernel, longRows));
  EXPECT_FALSE(fits({1, 1, 1, 256}, kernel, longRows));
  EXPECT_TRUE(fits({16, 4, 32, 8}, kernel, aligned()));
}

class Cache : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }
  mass::testing::TemporaryFolder folder_;
};

TEST_F(Cache, KeepsShapesAcrossRuns) {
  mass::detail::LaunchCache cache;
  EXPECT_FALSE(cache.find("a rule"));
  cache.remember("a rule", {4, 1, 128, 1});
  mass::detail::LaunchCache other;
  other.remember("another", {8, 4, 32, 4});
  EXPECT_EQ(mass::detail::LaunchCache().find("a rule"), (LaunchShape{4, 1, 128, 1}));
  EXPECT_EQ(mass::detail::LaunchCache().find("another"), (LaunchShape{8, 4, 32, 4}));
}

TEST_F(Cache, KeepsWhatAnotherRunRemembersMeanwhile) {
  mass::detail::LaunchCache cache, other;
  cache.remember("a rule", {4, 1, 128, 1});
  other.remember("another", {8, 4, 32, 4});
  EXPECT_EQ(mass::detail::LaunchCache().find("a rule"), (LaunchShape{4, 1, 128, 1}));
  EXPECT_EQ(mass::detail::LaunchCache().find("another"), (LaunchShape{8, 4, 32, 4}));
}

TEST_F(Cache, KeepsStepsPerPassAcrossRuns) {
  mass::detail::LaunchCache cache;
  EXPECT_FALSE(cache.findSteps("a rule"));
  cache.rememberSteps("a rule", 8);
  cache.remember("a shape", {4, 1, 128, 1});
  EXPECT_EQ(mass::detail::LaunchCache().findSteps("a rule"), 8);
  EXPECT_FALSE(mass::detail::LaunchCache().find("a rule"));
  EXPECT_FALSE(mass::detail::LaunchCache().findSteps("a shape"));
}

TEST_F(Cache, IgnoresWhatIsNotAShape) {
  mass::detail::LaunchCache().remember("good", {1, 1, 64, 1});
  std::ofstream(folder_ / "cache/mass/tiles", std::ios::app) << "no tab\nbad\t7x7\n\t\nlast\t";
  mass::detail::LaunchCache cache;
  EXPECT_TRUE(cache.find("good"));
  EXPECT_FALSE(cache.find("bad"));
  EXPECT_FALSE(cache.find("last"));
}

TEST_F(Cache, WithoutAPlaceRemembersWithinTheRunOnly) {
  std::ofstream(folder_ / "cache") << "a file in the way";
  mass::detail::LaunchCache cache;
  cache.remember("a rule", {4, 1, 128, 1});
  EXPECT_TRUE(cache.find("a rule"));
  EXPECT_FALSE(mass::detail::LaunchCache().find("a rule"));
}

}  // namespace

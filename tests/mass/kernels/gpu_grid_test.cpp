#include <mass/kernels/gpu/grid.hpp>

#include <mass/dispatch/launch_cache.hpp>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using mass::detail::GpuLaunch;
using mass::detail::LaunchShape;

/// A launch for a whole world.
template <int D>
GpuLaunch launchFor(const std::array<std::int64_t, 3>& shape, int reach) {
  mass::detail::Domain domain;
  domain.dimensions = D;
  domain.shape = shape;
  domain.reach = reach;
  GpuLaunch launch;
  launch.launch.domain = domain;
  launch.launch.layout = mass::detail::Layout::of(domain, shape[0]);
  launch.rowEnd = shape[0];
  return launch;
}

/// Expects pieces that CUDA can launch, that cover every line once, and as many border blocks as
/// the kernels will find.
template <int D>
void expectCovered(const GpuLaunch& gpu, const LaunchShape& shape) {
  const mass::detail::Layout& layout = gpu.launch.layout;
  SCOPED_TRACE(fmt::format("{}-D, {} rows of {} x {}, tile {}x{}x{}x{}", D, layout.rows,
                           layout.lines, layout.columns, shape.rows, shape.width, shape.columns,
                           shape.groups));
  const std::int64_t block = D == 1 ? shape.columns : mass::detail::rowsOfBlock<D>(shape);
  std::vector<std::pair<std::int64_t, std::int64_t>> covered;  // row, line
  std::int64_t borderBlocks = 0;
  mass::detail::forEachPiece<D>(gpu, shape, [&](const GpuLaunch& piece) {
    const dim3 grid = mass::detail::gridFor<D>(piece, shape);
    ASSERT_GE(std::min({grid.x, grid.y, grid.z}), 1U);
    ASSERT_LT(grid.x, 1U << 31);
    ASSERT_LE(std::max(grid.y, grid.z), 65535U);
    const std::int64_t blocks = D == 1 ? grid.x : D == 2 ? grid.y : grid.z;
    for (std::int64_t number = 0; number < blocks; ++number) {
      const std::int64_t begin = piece.rowBegin + number * block;
      if (begin < layout.depth || begin + block > layout.rows - layout.depth) {
        borderBlocks += std::int64_t{grid.x} * grid.y * grid.z / blocks;
      }
    }
    // Blocks go on with the lines after those that all of them together have done.
    if (D == 3 && grid.y < 65535) {
      EXPECT_GE(std::int64_t{grid.y} * shape.groups * shape.linesPerBlock, layout.lines);
      EXPECT_LT(std::int64_t{grid.y - 1} * shape.groups * shape.linesPerBlock, layout.lines);
    }
    for (std::int64_t row = piece.rowBegin; row < piece.rowEnd; ++row) {
      ASSERT_LE(row, piece.rowBegin + blocks * block - 1);
      for (std::int64_t line = 0; line < layout.lines; ++line) covered.emplace_back(row, line);
    }
  });
  std::sort(covered.begin(), covered.end());
  EXPECT_EQ(static_cast<std::int64_t>(covered.size()), layout.rows * layout.lines);
  EXPECT_EQ(std::adjacent_find(covered.begin(), covered.end()), covered.end());
  EXPECT_EQ(mass::detail::countBorderBlocks<D>(gpu, shape), borderBlocks);
}

const std::vector<LaunchShape> shapes{
    {1, 1, 128, 1}, {4, 1, 32, 4}, {8, 1, 1, 256}, {16, 4, 32, 8}, {1, 2, 32, 2, 4}};

TEST(Grid, CoversAllPlacesOfSmallWorlds) {
  for (const LaunchShape& shape : shapes) {
    for (const int reach : {1, 2, 5}) {
      for (const std::int64_t rows : {1, 2, 3, 7, 31, 257, 1009}) {
        expectCovered<1>(launchFor<1>({rows, 1, 1}, reach), {1, 1, shape.columns, 1});
        expectCovered<2>(launchFor<2>({rows, 300, 1}, reach), shape);
        expectCovered<3>(launchFor<3>({rows, 13, 20}, reach), shape);
      }
    }
  }
}

TEST(Grid, CoversMoreRowsAndLinesThanThereCanBeBlocks) {
  for (const LaunchShape& shape : shapes) {
    expectCovered<2>(launchFor<2>({1000003, 2, 1}, 1), shape);
    expectCovered<3>(launchFor<3>({70001, 3, 2}, 1), shape);
    expectCovered<3>(launchFor<3>({3, 200003, 2}, 1), shape);
  }
}

/// As kernels compare rows: in 32 bits.
TEST(Grid, LeavesEachEndToThePieceThatHasIt) {
  constexpr std::int64_t rows = (std::int64_t{1} << 32) + 2;
  GpuLaunch gpu = launchFor<1>({rows, 1, 1}, 0);
  gpu.launch.ends.of[0][0] = 0;
  gpu.launch.ends.of[0][1] = rows - 1;
  int found = 0;
  mass::detail::forEachPiece<1>(gpu, {1, 1, 256, 1}, [&](const GpuLaunch& piece) {
    for (int end = 0; end < 2; ++end) {
      const std::int64_t whole = gpu.launch.ends.of[0][end];
      const bool isHere = piece.rowBegin <= whole && whole < piece.rowEnd;
      const auto distance = static_cast<std::uint32_t>(piece.launch.ends.of[0][end]) -
                            static_cast<std::uint32_t>(piece.rowBegin);
      EXPECT_EQ(distance < piece.rowEnd - piece.rowBegin, isHere) << piece.rowBegin;
      if (isHere) EXPECT_EQ(piece.rowBegin + distance, whole);
      found += isHere ? 1 : 0;
    }
  });
  EXPECT_EQ(found, 2);
}

TEST(Grid, CoversBandsOfMoreThan31BitsOfPlaces) {
  for (const LaunchShape& shape : {LaunchShape{1, 1, 128, 1}, LaunchShape{4, 1, 32, 4}}) {
    expectCovered<2>(launchFor<2>({1009, std::int64_t{40} << 20, 1}, 2), shape);
    expectCovered<3>(launchFor<3>({60, 6000, 12000}, 1), shape);
  }
}

}  // namespace

#pragma once

// The blocks of a launch. Included where nvcc compiles a model.

#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/launch/gpu_launch.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {

inline std::int64_t blocksFor(std::int64_t items, std::int64_t perBlock) {
  return (items + perBlock - 1) / perBlock;
}

/// The grid that covers a launch.
template <int D>
dim3 gridFor(const GpuLaunch& gpu, const LaunchShape& shape) {
  const Layout& layout = gpu.launch.layout;
  const std::int64_t rows = gpu.rowEnd - gpu.rowBegin;
  const auto count = [](std::int64_t blocks) { return static_cast<unsigned>(blocks); };
  if constexpr (D == 1) return dim3(count(blocksFor(rows, shape.columns)));
  const unsigned across = count(blocksFor(layout.columns, shape.columns * shape.width));
  if constexpr (D == 2) return dim3(across, count(blocksFor(rows, rowsOfBlock<2>(shape))));
  const std::int64_t beside = blocksFor(layout.lines, shape.groups * shape.linesPerBlock);
  return dim3(across, count(std::min(beside, mostGridBlocks)), count(blocksFor(rows, shape.rows)));
}

/// Calls f for pieces of a launch that 32-bit numbers and the dimensions of a grid can count.
template <int D, class F>
void forEachPiece(const GpuLaunch& gpu, const LaunchShape& shape, F&& f) {
  const std::int64_t byGrid =
      D == 1 ? std::int64_t{1} << 30 : mostGridBlocks * rowsOfBlock<D>(shape);
  const std::int64_t block = D == 1 ? shape.columns : rowsOfBlock<D>(shape);
  const std::int64_t reachable = rowsIn32Bits(gpu.launch.layout);
  std::int64_t most = std::min(byGrid, reachable / block * block);
  most = std::max<std::int64_t>(most, block);  // fits() keeps blocks within reach
  for (std::int64_t row = gpu.rowBegin; row < gpu.rowEnd; row += most) {
    GpuLaunch piece = gpu;
    piece.rowBegin = row;
    piece.rowEnd = std::min(gpu.rowEnd, row + most);
    // Rows are compared in 32 bits: an end elsewhere must not look like a row of the piece.
    for (std::int64_t& end : piece.launch.ends.of[0]) {
      if (end < piece.rowBegin || end >= piece.rowEnd) end = piece.rowEnd;
    }
    f(piece);
  }
}

/// Blocks that cover rows within `depth` of the band's ends.
template <int D>
unsigned countBorderBlocks(const GpuLaunch& gpu, const LaunchShape& shape) {
  const std::int64_t depth = gpu.launch.layout.depth;
  const std::int64_t block = D == 1 ? shape.columns : rowsOfBlock<D>(shape);
  std::int64_t total = 0;
  forEachPiece<D>(gpu, shape, [&](const GpuLaunch& piece) {
    const dim3 grid = gridFor<D>(piece, shape);
    const std::int64_t blocks = D == 1 ? grid.x : D == 2 ? grid.y : grid.z;
    const std::int64_t beside = std::int64_t{grid.x} * grid.y * grid.z / blocks;
    const std::int64_t low =
        std::clamp<std::int64_t>(blocksFor(depth - piece.rowBegin, block), 0, blocks);
    // The first block whose end is beyond rows - depth.
    const std::int64_t beyond = gpu.launch.layout.rows - depth - piece.rowBegin;
    const std::int64_t high = beyond < 0 ? 0 : std::min(beyond / block, blocks);
    total += (low + blocks - std::max(low, high)) * beside;
  });
  return static_cast<unsigned>(total);
}

}  // namespace mass::detail

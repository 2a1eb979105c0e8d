#pragma once

// Places that a warp scans. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_queues.hpp>
#include <mass/launch/gpu_launch.hpp>

namespace mass::detail {

/// Part of a launch that a warp scans, as its ScanSchedule defines: `quads` quads at `first`, then
/// those at distances of `stride`, up to `end`. Quads are counted from the launch's first row.
struct ScanPart {
  int first, end, stride, quads;
  bool syncsPeers;

  __device__ static ScanPart of(const GpuLaunch& gpu) {
    const ScanSchedule& scan = gpu.scan;
    const int rows = static_cast<int>(gpu.rowEnd - gpu.rowBegin);
    const int low = scan.borderBegin - static_cast<int>(gpu.rowBegin);
    const int high = static_cast<int>(gpu.rowEnd) - scan.borderEnd;
    const int borderBlocks = (low + high) * scan.border.blocks;
    const int block = static_cast<int>(blockIdx.x);
    // Quads after the last line of a row.
    const int beside =
        scan.quadsOfRow - static_cast<int>(gpu.launch.layout.lines) * scan.quadsOfLine;
    if (block >= borderBlocks) {
      return {low * scan.quadsOfRow + firstOf(scan.inside, block - borderBlocks),
              (rows - high) * scan.quadsOfRow - beside, strideOf(scan.inside), scan.inside.quads,
              false};
    }
    int row = block / scan.border.blocks;
    const int first = firstOf(scan.border, block - row * scan.border.blocks);
    if (row >= low) row += rows - high - low;
    return {row * scan.quadsOfRow + first, (row + 1) * scan.quadsOfRow - beside,
            strideOf(scan.border), scan.border.quads, gpu.stepFlags.peers > 0};
  }

 private:
  __device__ static int firstOf(const BlockShare& share, int block) {
    return (block * SendWarps::count + static_cast<int>(threadIdx.x) / warpWidth) * share.quads;
  }
  __device__ static int strideOf(const BlockShare& share) {
    return share.blocks * SendWarps::count * share.quads;
  }
};

}  // namespace mass::detail

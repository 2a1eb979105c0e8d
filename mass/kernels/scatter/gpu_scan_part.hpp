#pragma once

// Which places a warp looks through. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_queues.hpp>
#include <mass/launch/gpu_launch.hpp>

namespace mass::detail {

/// What a warp does of a launch, as its ScanSchedule says: some quads at a time, from the first
/// ones on. Quads are counted from the launch's first row.
struct ScanPart {
  int first, end, stride, quads;
  bool meetsPeers;

  __device__ static ScanPart of(const GpuLaunch& gpu) {
    const ScanSchedule& scan = gpu.scan;
    const int rows = static_cast<int>(gpu.rowEnd - gpu.rowBegin);
    const int low = scan.borderBegin - static_cast<int>(gpu.rowBegin);
    const int high = static_cast<int>(gpu.rowEnd) - scan.borderEnd;
    const int nearBlocks = (low + high) * scan.border.blocks;
    const int block = static_cast<int>(blockIdx.x);
    // After the last line of a row.
    const int beside =
        scan.quadsOfRow - static_cast<int>(gpu.launch.layout.lines) * scan.quadsOfLine;
    if (block >= nearBlocks) {
      return {low * scan.quadsOfRow + firstOf(scan.inside, block - nearBlocks),
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

#pragma once

// Host functions that launch marches. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/march/kernel.hpp>
#include <mass/launch/march_plan.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {

/// Launcher of a march of `Steps` steps.
template <class P, auto Rule, class W, int Steps>
struct MarchLauncher {
  using Body = MarchBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Steps>;

  static int launch(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = gpuCallWith<P, W>(gpu, argumentsOf<Rule>(gpu.launch));
    const std::int64_t strips =
        blocksFor(layout.columns, std::int64_t{marchColumns(Steps)} * marchWarps);
    std::int64_t slots = 0;
    if (const cudaError_t status = countSlots(slots); status != cudaSuccess) return status;
    const std::int64_t rows =
        rowsPerMarch(layout.rows, gpu.launch.domain.borders[0], strips, slots, Steps);
    call.gpu.rowsPerSweep = static_cast<int>(rows);
    call.gpu.stepFlags.borderBlocks = borderBlocksOfMarch(layout.rows, layout.depth, strips, rows);
    const dim3 grid(static_cast<unsigned>(strips),
                    static_cast<unsigned>(blocksFor(layout.rows, rows)));
    queue<Body>(grid, dim3(32, marchWarps), stream, gpu.overlaps, call);
    return cudaGetLastError();
  }

 private:
  /// Sets `slots` to the number of blocks that the current GPU runs at a time.
  static cudaError_t countSlots(std::int64_t& slots) {
    int device = 0, processors = 0, blocks = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
      status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
      status =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, onGpu<Body>, 32 * marchWarps, 0);
    slots = std::max(1, blocks) * std::int64_t{processors};
    return status;
  }
};

/// Queues a march.
template <class P, auto Rule, class W>
int launchMarch(const GpuLaunch& gpu, int steps, void* stream) {
  constexpr int few = marchSteps<P>[0], many = marchSteps<P>[1];
  if (steps == few) return MarchLauncher<P, Rule, W, few>::launch(gpu, stream);
  if (steps == many) return MarchLauncher<P, Rule, W, many>::launch(gpu, stream);
  return cudaErrorInvalidValue;
}

/// Returns launchMarch; null if there is no march for the rule.
template <class P, auto Rule, class W>
constexpr auto marchOf() -> int (*)(const GpuLaunch&, int, void*) {
  if constexpr (marches<P, Rule>()) {
    return &launchMarch<P, Rule, W>;
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail

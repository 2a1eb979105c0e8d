#pragma once

// Host functions that launch marches. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/march/kernel.hpp>
#include <mass/kernels/march/volume_kernel.hpp>
#include <mass/launch/march_plan.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {

/// Sets `slots` to the number of blocks of a kernel that the current GPU runs at a time.
/// @param threads threads of a block @param sharedBytes its dynamic shared memory
template <class Body>
cudaError_t countMarchSlots(int threads, int sharedBytes, std::int64_t& slots) {
  int device = 0, processors = 0, blocks = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, onGpu<Body>, threads,
                                                           static_cast<std::size_t>(sharedBytes));
  slots = std::max(1, blocks) * std::int64_t{processors};
  return status;
}

/// Launcher of a march of `Steps` steps in a plane.
template <class P, auto Rule, class W, int Steps>
struct PlaneMarchLauncher {
  using Body = MarchBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Steps>;

  static int launch(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = gpuCallWith<P, W>(gpu, argumentsOf<Rule>(gpu.launch));
    const std::int64_t strips =
        blocksFor(layout.columns, std::int64_t{marchColumns(Steps)} * marchWarps);
    std::int64_t slots = 0;
    if (const cudaError_t status = countMarchSlots<Body>(32 * marchWarps, 0, slots);
        status != cudaSuccess)
      return status;
    call.gpu.rowsPerSweep = static_cast<int>(rowsPerMarch(gpu.launch.domain, strips, slots, Steps));
    const dim3 grid(static_cast<unsigned>(strips),
                    static_cast<unsigned>(blocksFor(layout.rows, call.gpu.rowsPerSweep)));
    queue<Body>(grid, dim3(32, marchWarps), stream, gpu.overlaps, call);
    return cudaGetLastError();
  }
};

/// Launcher of a march of `Steps` steps in space.
template <class P, auto Rule, class W, int Steps>
struct VolumeMarchLauncher {
  using Body = VolumeMarchBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Steps>;
  using Tile = VolumeTile<P, Steps>;
  static constexpr int sharedBytes = SharedLines<P, Steps>::bytes;

  static int launch(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = gpuCallWith<P, W>(gpu, argumentsOf<Rule>(gpu.launch));
    const std::int64_t across = blocksFor(layout.columns, Tile::ownColumns);
    const std::int64_t beside = blocksFor(layout.lines, Tile::ownLines);
    cudaError_t status =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(&onGpu<Body>),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
    std::int64_t slots = 0;
    if (status == cudaSuccess) status = countMarchSlots<Body>(32 * Tile::warps, sharedBytes, slots);
    if (status != cudaSuccess) return status;
    call.gpu.rowsPerSweep =
        static_cast<int>(rowsPerMarch(gpu.launch.domain, across * beside, slots, Steps));
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(beside),
                    static_cast<unsigned>(blocksFor(layout.rows, call.gpu.rowsPerSweep)));
    queue<Body>(grid, dim3(32, Tile::warps), stream, gpu.overlaps, call, sharedBytes);
    return cudaGetLastError();
  }
};

/// Queues a march.
template <class P, auto Rule, class W>
int launchMarch(const GpuLaunch& gpu, int steps, void* stream) {
  constexpr int few = marchSteps<P>[0], many = marchSteps<P>[1];
  if constexpr (P::dimensions == 3) {
    if (steps == few) return VolumeMarchLauncher<P, Rule, W, few>::launch(gpu, stream);
    if (steps == many) return VolumeMarchLauncher<P, Rule, W, many>::launch(gpu, stream);
  } else {
    if (steps == few) return PlaneMarchLauncher<P, Rule, W, few>::launch(gpu, stream);
    if (steps == many) return PlaneMarchLauncher<P, Rule, W, many>::launch(gpu, stream);
  }
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

#pragma once

// Host functions that launch marches. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/march/kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace mass::detail {

/// Returns the rows of a block for which all take the least time. Each goes through them and, for
/// its first steps, through 2 * steps more, of which those at the first and last row take longer.
/// @param strips blocks side by side @param slots blocks that the GPU runs at a time
inline std::int64_t rowsPerMarch(const Domain& domain, std::int64_t strips, std::int64_t slots,
                                 int steps) {
  const std::int64_t rows = domain.shape[0];
  const double atBorder = domain.borders[0] == Border::periodic ? 0 : 3 * steps;
  std::int64_t best = rows;
  double least = std::numeric_limits<double>::infinity();
  const std::int64_t most =
      std::clamp<std::int64_t>(16 * slots / strips, 1, std::min(rows, mostGridBlocks));
  for (std::int64_t chunks = 1; chunks <= most; ++chunks) {
    const std::int64_t chunk = blocksFor(rows, chunks);
    const std::int64_t blocks = blocksFor(rows, chunk) * strips;
    const auto each = static_cast<double>(chunk + 2 * steps);
    const double work =
        each * static_cast<double>(blocks) + atBorder * static_cast<double>(2 * strips);
    // With more blocks than slots, half of the slots idle while the last blocks run.
    const double time = blocks <= slots ? each + atBorder
                                        : work / static_cast<double>(slots) + (each + atBorder) / 2;
    if (time < least) {
      least = time;
      best = chunk;
    }
  }
  return best;
}

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
    call.gpu.rowsPerSweep = static_cast<int>(rowsPerMarch(gpu.launch.domain, strips, slots, Steps));
    const dim3 grid(static_cast<unsigned>(strips),
                    static_cast<unsigned>(blocksFor(layout.rows, call.gpu.rowsPerSweep)));
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

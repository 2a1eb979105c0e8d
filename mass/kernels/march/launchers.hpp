#pragma once

// Host functions that launch marches. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/march/kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace mass::detail {

/// Returns the rows of a chunk, for which the blocks take the least time: each goes through them
/// and, for its first steps, through 2 * steps more.
/// @param strips blocks side by side @param slots blocks that the GPU runs at a time
inline std::int64_t rowsPerMarch(std::int64_t rows, std::int64_t strips, std::int64_t slots,
                                 int steps) {
  std::int64_t best = rows;
  auto least = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most =
      std::clamp<std::int64_t>(8 * slots / strips, 1, std::min(rows, mostGridBlocks));
  for (std::int64_t chunks = 1; chunks <= most; ++chunks) {
    const std::int64_t chunk = (rows + chunks - 1) / chunks;
    const std::int64_t blocks = (rows + chunk - 1) / chunk * strips;
    const std::int64_t time = (blocks + slots - 1) / slots * (chunk + 2 * steps);
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
    call.gpu.rowsPerSweep = static_cast<int>(rowsPerMarch(layout.rows, strips, slots(), Steps));
    const dim3 grid(static_cast<unsigned>(strips),
                    static_cast<unsigned>(blocksFor(layout.rows, call.gpu.rowsPerSweep)));
    queue<Body>(grid, dim3(32, marchWarps), stream, gpu.overlaps, call);
    return cudaGetLastError();
  }

 private:
  /// Returns the number of blocks that the current GPU runs at a time.
  static std::int64_t slots() {
    int device = 0, processors = 1, blocks = 1;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    (void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, onGpu<Body>, 32 * marchWarps, 0);
    return std::max(1, blocks) * std::int64_t{processors};
  }
};

/// Queues a march.
template <class P, auto Rule, class W>
int launchMarch(const GpuLaunch& gpu, int steps, void* stream) {
  if (steps == marchSteps[0]) return MarchLauncher<P, Rule, W, marchSteps[0]>::launch(gpu, stream);
  if (steps == marchSteps[1]) return MarchLauncher<P, Rule, W, marchSteps[1]>::launch(gpu, stream);
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

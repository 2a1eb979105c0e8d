#pragma once

// Host functions that launch scatter rules. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/gpu/launchers.hpp>
#include <mass/kernels/scatter/gpu_persistent_kernel.hpp>
#include <mass/kernels/scatter/gpu_scan_kernel.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {

/// Returns the share of `blocks` blocks in `quads` quads: as few rounds as possible, of equal
/// length.
inline BlockShare shareOf(std::int64_t quads, std::int64_t blocks) {
  constexpr std::int64_t quadsOfSector = 2;  // memory transactions have 32 bytes or more
  const std::int64_t warps = blocks * SendWarps::count;
  const std::int64_t rounds = std::max<std::int64_t>(blocksFor(quads, warps * SendWarps::quads), 1);
  return {static_cast<int>(blocks),
          static_cast<int>(blocksFor(quads, warps * rounds * quadsOfSector) * quadsOfSector)};
}

/// Returns the schedule of a launch, or a piece of one, whose distribution over blocks is known for
/// the whole band.
inline ScanSchedule scanOf(const GpuLaunch& gpu) {
  const Layout& layout = gpu.launch.layout;
  ScanSchedule scan = gpu.scan;
  const std::int64_t depth = gpu.stepFlags.peers > 0 ? layout.depth : 0;
  const std::int64_t begin = std::clamp(depth, gpu.rowBegin, gpu.rowEnd);
  const std::int64_t end = std::clamp(layout.rows - depth, begin, gpu.rowEnd);
  scan.borderBegin = static_cast<int>(begin);
  scan.borderEnd = static_cast<int>(end);
  return scan;
}

/// Computes the schedule of a launch, with its distribution over blocks.
inline ScanSchedule scanOf(const GpuLaunch& gpu, std::int64_t resident) {
  const Layout& layout = gpu.launch.layout;
  ScanSchedule scan = scanOf(gpu);
  scan.quadsOfLine = static_cast<int>(layout.pitch / packWidth);
  scan.quadsOfRow = static_cast<int>(layout.rowStride / packWidth);
  const std::int64_t inside = scan.borderEnd - scan.borderBegin;
  const std::int64_t atEnds = gpu.rowEnd - gpu.rowBegin - inside;
  const std::int64_t quads = inside * scan.quadsOfRow;
  // Number of blocks that scan `some` quads in `rounds` rounds.
  const auto blocksIn = [](std::int64_t some, std::int64_t rounds) {
    constexpr std::int64_t ofRound = SendWarps::quads * SendWarps::count;
    return std::max<std::int64_t>(blocksFor(some, ofRound * rounds), 1);
  };
  // Border blocks end when the others have done 1/part of their rounds: their stores over NVLink
  // take long, but blocks that are idle afterwards cost time.
  constexpr std::int64_t part = 2;
  const std::int64_t rounds = std::max<std::int64_t>(blocksIn(quads, part) / resident, 1);
  scan.border = shareOf(scan.quadsOfRow, blocksIn(scan.quadsOfRow, rounds));
  const std::int64_t others = std::max(resident - atEnds * scan.border.blocks, resident / 2);
  scan.inside = shareOf(quads, std::clamp<std::int64_t>(others, 1, blocksIn(quads, 1)));
  return scan;
}
inline std::int64_t borderBlocksOf(const GpuLaunch& gpu, const ScanSchedule& scan) {
  const std::int64_t inside = scan.borderEnd - scan.borderBegin;
  return (gpu.rowEnd - gpu.rowBegin - inside) * scan.border.blocks;
}

/// Launcher of a scatter rule. (No aliases of its bodies: nvcc 13.0 would spell them with the
/// rules, which it misspells.)
template <class P, auto Before, auto Rule>
struct SendLauncher {
  static constexpr LaunchShape shape{1, 1, SendWarps::threads, 1};

  static int launch(const GpuLaunch& gpu, const LaunchShape&, void* stream) {
    forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
      auto call = gpuCall<P, Rule, WritesAll>(piece);
      const ScanSchedule& scan = call.gpu.scan = scanOf(piece);
      const std::int64_t blocks = borderBlocksOf(piece, scan) + scan.inside.blocks;
      queue<ScatterBody<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>(
          dim3(static_cast<unsigned>(blocks)), dim3(SendWarps::threads), stream, piece.overlaps,
          call);
    });
    return cudaGetLastError();
  }
  static unsigned borderBlocks(const GpuLaunch& gpu, const LaunchShape&) {
    std::int64_t blocks = 0;
    forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
      blocks += borderBlocksOf(piece, scanOf(piece));
    });
    return static_cast<unsigned>(blocks);
  }
  static int share(const GpuLaunch& gpu, ScanSchedule& scan) {
    int device = 0, multiprocessors = 0, blocks = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status != cudaSuccess) return status;
    status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (status != cudaSuccess) return status;
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function(1, 1),
                                                           SendWarps::threads, 0);
    if (status != cudaSuccess) return status;
    scan = scanOf(gpu, std::int64_t{multiprocessors} * std::max(blocks, 1));
    return cudaSuccess;
  }
  static const void* function(int, int) {
    return reinterpret_cast<const void*>(
        &onGpu<
            ScatterBody<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>);
  }
  static const void* persistentFunction() {
    return reinterpret_cast<const void*>(
        &onPersistent<PersistentScatter<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag,
                                        ArgumentsOf<Rule>>>);
  }
  static int launchPersistent(const GpuLaunch& gpu, void* stream) {
    const auto kernel = &onPersistent<
        PersistentScatter<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>;
    const cudaError_t status = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, gpu.persistent.sharedBytes);
    if (status != cudaSuccess) return status;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;  // all blocks run at the same time
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(gpu.persistent.plan.blocks()));
    config.blockDim = dim3(persistentBlock);
    config.dynamicSmemBytes = static_cast<std::size_t>(gpu.persistent.sharedBytes);
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, gpuCall<P, Rule, WritesAll>(gpu));
  }
};

template <class P, auto Before, auto Rule>
const GpuKernel* scatterGpuKernel() {
  using Launcher = SendLauncher<P, Before, Rule>;
  static const GpuKernel kernel{&Launcher::launch,
                                &Launcher::borderBlocks,
                                &Launcher::function,
                                __PRETTY_FUNCTION__,
                                nullptr,
                                &Launcher::launchPersistent,
                                Launcher::persistentFunction(),
                                &Launcher::share};
  return &kernel;
}

}  // namespace mass::detail

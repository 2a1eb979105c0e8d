#pragma once

// How the host launches rules that send codes. Included where nvcc compiles a model.

#include <mass/model/gpu/launchers.hpp>
#include <mass/model/gpu/sending.hpp>
#include <mass/model/gpu/tiles.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {

inline QuadScan scanOf(const Layout& layout) {
  // Warps that keep a GPU busy several times over, so that all its parts end at nearly the same
  // time: with more work, each takes more of it.
  constexpr std::int64_t busy = 4096, most = 16 * SendWarps::quads;
  QuadScan scan;
  scan.quadsOfLine = static_cast<int>((layout.columns + packWidth - 1) / packWidth);
  scan.quadsOfRow = scan.quadsOfLine * static_cast<int>(layout.lines);
  const std::int64_t share = layout.rows * scan.quadsOfRow / busy / SendWarps::quads;
  scan.quadsOfWarp =
      static_cast<int>(std::clamp<std::int64_t>(share * SendWarps::quads, SendWarps::quads, most));
  scan.blocksOfRow = (scan.quadsOfRow - 1) / (scan.quadsOfWarp * SendWarps::count) + 1;
  return scan;
}

/// A rule that sends codes, as it is launched. (No short names for its bodies: nvcc 13.0 would
/// spell them with the rules, which it misspells.)
template <class P, auto Before, auto Rule>
struct SendLauncher {
  static constexpr TileShape shape{1, 1, gpuBlock, 1};

  static int launch(const GpuLaunch& gpu, const TileShape&, void* stream) {
    forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
      if (piece.lineBegin > 0) return;  // all lines of a row are in one launch
      auto call = gpuCall<P, Rule, WritesAll>(piece);
      call.gpu.scan = scanOf(piece.launch.layout);
      const std::int64_t blocks = (piece.rowEnd - piece.rowBegin) * call.gpu.scan.blocksOfRow;
      queue<SendBody<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>(
          dim3(static_cast<unsigned>(blocks)), dim3(gpuBlock), stream, piece.overlaps, call);
    });
    return cudaGetLastError();
  }
  static unsigned borderBlocks(const GpuLaunch& gpu, const TileShape&) {
    const Layout& layout = gpu.launch.layout;
    std::int64_t rows = 0;
    for (std::int64_t row = gpu.rowBegin; row < gpu.rowEnd; ++row) {
      rows += row < layout.depth || row >= layout.rows - layout.depth ? 1 : 0;
    }
    return static_cast<unsigned>(rows * scanOf(layout).blocksOfRow);
  }
  static const void* function(int, int) {
    return reinterpret_cast<const void*>(
        &onGpu<SendBody<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>);
  }
  static const void* tilesFunction() {
    return reinterpret_cast<const void*>(
        &onTiles<
            TileBody<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>);
  }
  static int launchTiles(const GpuLaunch& gpu, void* stream) {
    const auto kernel =
        &onTiles<TileBody<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>;
    const cudaError_t status = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, gpu.tiles.sharedBytes);
    if (status != cudaSuccess) return status;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;  // all blocks run at the same time
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(gpu.tiles.plan.blocks()));
    config.blockDim = dim3(tileBlock);
    config.dynamicSmemBytes = static_cast<std::size_t>(gpu.tiles.sharedBytes);
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, gpuCall<P, Rule, WritesAll>(gpu));
  }
};

template <class P, auto Before, auto Rule>
const GpuKernel* sendGpuKernel() {
  using Launcher = SendLauncher<P, Before, Rule>;
  static const GpuKernel kernel{&Launcher::launch,      &Launcher::borderBlocks,
                                &Launcher::function,    __PRETTY_FUNCTION__,
                                &Launcher::launchTiles, Launcher::tilesFunction()};
  return &kernel;
}

}  // namespace mass::detail

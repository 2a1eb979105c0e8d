#pragma once

// How the host launches rules that send codes. Included where nvcc compiles a model.

#include <mass/model/gpu/launchers.hpp>
#include <mass/model/gpu/sending.hpp>
#include <mass/model/gpu/tiles.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mass::detail {

/// As many blocks for each of some rows as end soonest, where `resident` run at the same time.
/// @param others smallest blocks that run beside them
inline RowShare shareOf(std::int64_t quadsOfRow, std::int64_t rows, std::int64_t others,
                        std::int64_t resident) {
  constexpr std::int64_t least = SendWarps::quads * SendWarps::count, mostBlocks = 256;
  // What a block does before it looks at places takes as long as looking at so many.
  constexpr std::int64_t quadsToBegin = 512;
  constexpr std::int64_t quadsOfFetch = 128 / sizeof(uint4);  // what memory sends at once
  const auto parts = [](std::int64_t whole, std::int64_t part) { return (whole - 1) / part + 1; };
  std::int64_t soonest = std::numeric_limits<std::int64_t>::max();
  RowShare share;
  for (int blocks = 1; blocks <= std::min(parts(quadsOfRow, least), mostBlocks); ++blocks) {
    const std::int64_t ofWarp =
        parts(parts(quadsOfRow, std::int64_t{blocks} * SendWarps::count), quadsOfFetch) *
        quadsOfFetch;
    const std::int64_t quads = ofWarp * SendWarps::count;
    const std::int64_t all =
        rows * blocks + others * (least + quadsToBegin) / (quads + quadsToBegin);
    const std::int64_t time = parts(all, resident) * (quads + quadsToBegin);
    if (time >= soonest) continue;
    soonest = time;
    share = {blocks, static_cast<int>(ofWarp)};
  }
  return share;
}

/// The scan of a launch or a piece of one: how blocks share a row is known, for the whole band.
inline QuadScan scanOf(const GpuLaunch& gpu) {
  const Layout& layout = gpu.launch.layout;
  QuadScan scan = gpu.scan;
  const std::int64_t begin = std::clamp(layout.depth, gpu.rowBegin, gpu.rowEnd);
  const std::int64_t end = std::clamp(layout.rows - layout.depth, begin, gpu.rowEnd);
  scan.borderBegin = static_cast<int>(begin);
  scan.borderEnd = static_cast<int>(end);
  return scan;
}

/// The scan of a launch for which it is not known yet how blocks share a row.
/// @param resident blocks that a GPU has room for at once
inline QuadScan scanOf(const GpuLaunch& gpu, std::int64_t resident) {
  const Layout& layout = gpu.launch.layout;
  QuadScan scan = scanOf(gpu);
  scan.quadsOfLine = static_cast<int>(layout.pitch / packWidth);  // with what is beside a line
  scan.quadsOfRow = scan.quadsOfLine * static_cast<int>(layout.lines);
  const std::int64_t rows = gpu.rowEnd - gpu.rowBegin;
  if (gpu.handshake.peers > 0) {
    const std::int64_t between = scan.borderEnd - scan.borderBegin;
    const std::int64_t inside = std::max(between, std::int64_t{1});
    scan.border = shareOf(scan.quadsOfRow, 1, 0, resident);
    scan.inside = shareOf(scan.quadsOfRow, inside, (rows - inside) * scan.border.blocks, resident);
  } else {
    scan.inside = scan.border = shareOf(scan.quadsOfRow, rows, 0, resident);
  }
  return scan;
}
inline std::int64_t borderBlocksOf(const GpuLaunch& gpu, const QuadScan& scan) {
  const std::int64_t inside = scan.borderEnd - scan.borderBegin;
  return (gpu.rowEnd - gpu.rowBegin - inside) * scan.border.blocks;
}

/// A rule that sends codes, as it is launched. (No short names for its bodies: nvcc 13.0 would
/// spell them with the rules, which it misspells.)
template <class P, auto Before, auto Rule>
struct SendLauncher {
  static constexpr TileShape shape{1, 1, SendWarps::threads, 1};

  static int launch(const GpuLaunch& gpu, const TileShape&, void* stream) {
    forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
      auto call = gpuCall<P, Rule, WritesAll>(piece);
      const QuadScan& scan = call.gpu.scan = scanOf(piece);
      const std::int64_t blocks =
          borderBlocksOf(piece, scan) + (scan.borderEnd - scan.borderBegin) * scan.inside.blocks;
      queue<SendBody<TagOf<P, Rule>, typename BeforeEntry<P, Before>::Tag, ArgumentsOf<Rule>>>(
          dim3(static_cast<unsigned>(blocks)), dim3(SendWarps::threads), stream, piece.overlaps,
          call);
    });
    return cudaGetLastError();
  }
  static unsigned borderBlocks(const GpuLaunch& gpu, const TileShape&) {
    std::int64_t blocks = 0;
    forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
      blocks += borderBlocksOf(piece, scanOf(piece));
    });
    return static_cast<unsigned>(blocks);
  }
  static int share(const GpuLaunch& gpu, QuadScan& scan) {
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
  static const GpuKernel kernel{
      &Launcher::launch,      &Launcher::borderBlocks,   &Launcher::function, __PRETTY_FUNCTION__,
      &Launcher::launchTiles, Launcher::tilesFunction(), &Launcher::share};
  return &kernel;
}

}  // namespace mass::detail

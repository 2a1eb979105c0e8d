#pragma once

// How rules that send codes run on a GPU. Included where nvcc compiles a model.

#include <mass/model/gpu/launchers.hpp>
#include <mass/model/sending.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// The work of a launch: blocks of warps, each of which looks through some chunks of 32 places of
/// a row. Blocks along the rows come as rowBlock numbers them.
struct SendGrid {
  static constexpr int chunk = 32;
  static constexpr int warps = gpuBlock / chunk;
  /// Warps that are enough to keep a GPU busy: with more work, each takes more chunks, and more
  /// places to fill its threads with.
  static constexpr std::int64_t busy = 4096;
  static constexpr int leastChunks = 4, mostChunks = 32;

  std::int64_t rows;
  int chunksOfLine, chunksOfRow, chunksOfWarp, blocksOfRow;

  MASS_FN static SendGrid of(const Layout& layout, std::int64_t rows) {
    SendGrid grid{rows, static_cast<int>((layout.columns + chunk - 1) / chunk), 0, 0, 0};
    grid.chunksOfRow = grid.chunksOfLine * static_cast<int>(layout.lines);
    const std::int64_t share = layout.rows * grid.chunksOfRow / busy;
    grid.chunksOfWarp = share < leastChunks  ? leastChunks
                        : share > mostChunks ? mostChunks
                                             : static_cast<int>(share);
    grid.blocksOfRow = (grid.chunksOfRow - 1) / (grid.chunksOfWarp * warps) + 1;
    return grid;
  }
};

/// Places of a warp that wait until there are enough of them for all its threads.
struct SendQueue {
  static constexpr int lookahead = 4;  ///< chunks that are looked at together
  static constexpr int room = (lookahead + 1) * SendGrid::chunk;

  int line[room], column[room];
  std::uint32_t word[room];
};

/// A rule that sends codes: warps look for occupied places, and run the rule on as many of them as
/// they have threads.
template <class Tag, class Arguments>
struct SendBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  static constexpr std::size_t firstWord = BagSlot<P>::first;

  __device__ static void run(const Call& call) {
    waitForPredecessor();
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const SendGrid grid = SendGrid::of(layout, gpu.rowEnd - gpu.rowBegin);
    const std::int64_t row =
        gpu.rowBegin + rowBlock(blockIdx.x / static_cast<unsigned>(grid.blocksOfRow), grid.rows);
    const bool meetsPeers =
        gpu.handshake.peers > 0 && (row < layout.depth || row >= layout.rows - layout.depth);
    if (meetsPeers) waitForPeers(gpu);
    lookThrough(call, grid, row);
    if (meetsPeers) reportToPeers(gpu);
  }

 private:
  __device__ static void lookThrough(const Call& call, const SendGrid& grid, std::int64_t row) {
    __shared__ SendQueue queues[SendGrid::warps];
    const int warp = static_cast<int>(threadIdx.x) / SendGrid::chunk;
    const int lane = static_cast<int>(threadIdx.x) % SendGrid::chunk;
    SendQueue& queue = queues[warp];
    const Layout& layout = call.gpu.launch.layout;
    const int block = static_cast<int>(blockIdx.x % static_cast<unsigned>(grid.blocksOfRow));
    int chunk = (block * SendGrid::warps + warp) * grid.chunksOfWarp;
    const int end = min(chunk + grid.chunksOfWarp, grid.chunksOfRow);
    int line = chunk / grid.chunksOfLine;
    int column = chunk % grid.chunksOfLine * SendGrid::chunk + lane;
    const auto start = static_cast<Index>(layout.at(row - call.gpu.rowBegin, 0, 0));
    const auto pitch = static_cast<Index>(layout.pitch);
    const auto* const words = static_cast<const std::uint32_t*>(call.in[firstWord]) + start;
    constexpr bool all = visitsAll<ruleOf(Tag{})>;
    int waiting = 0;
    for (; chunk < end; chunk += SendQueue::lookahead) {
      std::uint32_t word[SendQueue::lookahead];
      int lines[SendQueue::lookahead], columns[SendQueue::lookahead];
      bool active[SendQueue::lookahead];
#pragma unroll
      for (int k = 0; k < SendQueue::lookahead; ++k) {
        active[k] = chunk + k < end && column < layout.columns;
        lines[k] = line;
        columns[k] = column;
        word[k] = active[k] ? __ldcg(words + line * pitch + column) : 0;
        column += SendGrid::chunk;
        if (column - lane >= layout.columns) {
          column = lane;
          ++line;
        }
      }
#pragma unroll
      for (int k = 0; k < SendQueue::lookahead; ++k) {
        const bool acts = active[k] && (all || word[k] != 0);
        const unsigned others = __ballot_sync(~0U, acts);
        if (acts) {
          const int at = waiting + __popc(others & ((1U << lane) - 1));
          queue.line[at] = lines[k];
          queue.column[at] = columns[k];
          queue.word[at] = word[k];
        }
        waiting += __popc(others);
      }
      __syncwarp();
      while (waiting >= SendGrid::chunk) {
        waiting -= SendGrid::chunk;
        send(call, row, start, queue, waiting + lane);
      }
      __syncwarp();
    }
    if (lane < waiting) send(call, row, start, queue, lane);
  }

  __device__ static void send(const Call& call, std::int64_t row, Index start,
                              const SendQueue& queue, int number) {
    const int line = queue.line[number], column = queue.column[number];
    const Launch& launch = call.gpu.launch;
    const Index at = start + line * static_cast<Index>(launch.layout.pitch) + column;
    const SendingAround<P> around(launch, call.in, call.out, at, at, row, line, column);
    sendFrom<P, ruleOf(Tag{})>(around, call.in, at, queue.word[number], call.arguments);
  }
};

/// A rule that sends codes, as it is launched. (No short name for its body: nvcc 13.0 would spell
/// it with the rule, which it misspells.)
template <class P, auto Rule>
struct SendLauncher {
  static constexpr TileShape shape{1, 1, gpuBlock, 1};

  static int launch(const GpuLaunch& gpu, const TileShape&, void* stream) {
    forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
      if (piece.lineBegin > 0) return;  // all lines of a row are in one launch
      const auto grid = SendGrid::of(piece.launch.layout, piece.rowEnd - piece.rowBegin);
      queue<SendBody<TagOf<P, Rule>, ArgumentsOf<Rule>>>(
          dim3(static_cast<unsigned>(grid.rows * grid.blocksOfRow)), dim3(gpuBlock), stream,
          piece.overlaps, gpuCall<P, Rule, WritesAll>(piece));
    });
    return cudaGetLastError();
  }
  static unsigned borderBlocks(const GpuLaunch& gpu, const TileShape&) {
    const Layout& layout = gpu.launch.layout;
    const auto grid = SendGrid::of(layout, gpu.rowEnd - gpu.rowBegin);
    std::int64_t rows = 0;
    for (std::int64_t row = gpu.rowBegin; row < gpu.rowEnd; ++row) {
      rows += row < layout.depth || row >= layout.rows - layout.depth ? 1 : 0;
    }
    return static_cast<unsigned>(rows * grid.blocksOfRow);
  }
  static const void* function(int, int) {
    return reinterpret_cast<const void*>(&onGpu<SendBody<TagOf<P, Rule>, ArgumentsOf<Rule>>>);
  }
};

template <class P, auto Rule>
const GpuKernel* sendGpuKernel() {
  using Launcher = SendLauncher<P, Rule>;
  static const GpuKernel kernel{&Launcher::launch, &Launcher::borderBlocks, &Launcher::function,
                                __PRETTY_FUNCTION__};
  return &kernel;
}

}  // namespace mass::detail

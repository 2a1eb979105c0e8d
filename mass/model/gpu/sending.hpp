#pragma once

// How rules that send codes run on a GPU. Included where nvcc compiles a model.

#include <mass/model/gpu/launchers.hpp>
#include <mass/model/sending.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace mass::detail {

/// Warps of a block of a rule that sends codes, and what one looks at before it goes on.
struct SendWarps {
  static constexpr int width = 32;
  static constexpr int count = gpuBlock / width;
  static constexpr int loads = 2;  ///< quads that a thread looks at together
  static constexpr int quads = loads * width;
};

inline QuadScan scanOf(const Layout& layout) {
  // Warps that are enough to keep a GPU busy: with more work, each takes more of it.
  constexpr std::int64_t busy = 4096, most = 8 * SendWarps::quads;
  QuadScan scan;
  scan.quadsOfLine = static_cast<int>((layout.columns + packWidth - 1) / packWidth);
  scan.quadsOfRow = scan.quadsOfLine * static_cast<int>(layout.lines);
  const std::int64_t share = layout.rows * scan.quadsOfRow / busy / SendWarps::quads;
  scan.quadsOfWarp =
      static_cast<int>(std::clamp<std::int64_t>(share * SendWarps::quads, SendWarps::quads, most));
  scan.blocksOfRow = (scan.quadsOfRow - 1) / (scan.quadsOfWarp * SendWarps::count) + 1;
  return scan;
}

/// Places of a warp that wait until there are enough of them for all its threads.
struct SendQueue {
  static constexpr int room = SendWarps::width + SendWarps::quads * packWidth;

  int line[room], column[room];
  std::uint32_t word[room];
};

/// Arrays that all places read, in the memory of a block while there is room for them: to look
/// something up there takes a tenth of the time that it takes a block to fetch it once.
struct Staging {
  static constexpr int room = 6 * 1024;  // bytes

  unsigned char* bytes;
  int used = 0;

  template <class T>
  __device__ T staged(const T& argument) {
    return argument;
  }
  template <class T>
  __device__ Shared<T> staged(const Shared<T>& array) {
    constexpr int alignment = 16;
    static_assert(alignof(T) <= alignment);
    const std::int64_t size = array.size() * static_cast<std::int64_t>(sizeof(T));
    if (size > room - used) return array;
    auto* const copy = reinterpret_cast<T*>(bytes + used);
    for (int i = static_cast<int>(threadIdx.x); i < array.size(); i += gpuBlock) {
      copy[i] = array[i];
    }
    used += (static_cast<int>(size) + alignment - 1) / alignment * alignment;
    return {copy, array.size()};
  }
  template <class Arguments, std::size_t... N>
  __device__ Arguments all(const Arguments& arguments, std::index_sequence<N...>) {
    return Arguments{staged(std::get<N>(arguments))...};  // braces: from left to right
  }
};

/// A rule that sends codes: warps look for occupied places, and run the rule on as many of them as
/// they have threads.
template <class Tag, class Arguments>
struct SendBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  static constexpr std::size_t firstWord = BagSlot<P>::first;

  __device__ static void run(const Call& call) {
    // What no rule changes can be fetched before the kernel before this one has ended.
    __shared__ alignas(16) unsigned char bytes[Staging::room];
    Staging staging{bytes};
    const Arguments arguments =
        staging.all(call.arguments, std::make_index_sequence<std::tuple_size_v<Arguments>>{});
    waitForPredecessor();
    __syncthreads();
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const auto blocksOfRow = static_cast<unsigned>(gpu.scan.blocksOfRow);
    const unsigned number = blockIdx.x / blocksOfRow;
    const std::int64_t row = gpu.rowBegin + rowBlock(number, gpu.rowEnd - gpu.rowBegin);
    const bool meetsPeers =
        gpu.handshake.peers > 0 && (row < layout.depth || row >= layout.rows - layout.depth);
    if (meetsPeers) waitForPeers(gpu);
    lookThrough(call, arguments, row, static_cast<int>(blockIdx.x - number * blocksOfRow));
    if (meetsPeers) reportToPeers(gpu);
  }

 private:
  static constexpr bool all = visitsAll<ruleOf(Tag{})>;

  __device__ static void lookThrough(const Call& call, const Arguments& arguments, std::int64_t row,
                                     int block) {
    __shared__ SendQueue queues[SendWarps::count];
    const int warp = static_cast<int>(threadIdx.x) / SendWarps::width;
    const int lane = static_cast<int>(threadIdx.x) % SendWarps::width;
    SendQueue& queue = queues[warp];
    const QuadScan& scan = call.gpu.scan;
    const Layout& layout = call.gpu.launch.layout;
    const auto start = static_cast<Index>(layout.at(row - call.gpu.rowBegin, 0, 0));
    const auto pitch = static_cast<Index>(layout.pitch);
    const auto columns = static_cast<int>(layout.columns);
    const auto* const words = static_cast<const std::uint32_t*>(call.in[firstWord]) + start;
    int first = (block * SendWarps::count + warp) * scan.quadsOfWarp;
    const int end = min(first + scan.quadsOfWarp, scan.quadsOfRow);
    int waiting = 0;
    for (; first < end; first += SendWarps::quads) {
      uint4 word[SendWarps::loads];
      int line[SendWarps::loads], column[SendWarps::loads];
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        const int quad = first + k * SendWarps::width + lane;
        line[k] = quad / scan.quadsOfLine;
        column[k] = (quad - line[k] * scan.quadsOfLine) * packWidth;
        const uint4* const at = reinterpret_cast<const uint4*>(words + line[k] * pitch + column[k]);
        word[k] = quad < end ? __ldcg(at) : make_uint4(0, 0, 0, 0);
        if (quad >= end) column[k] = columns;
      }
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        waiting += enqueue(queue, waiting, lane, line[k], column[k], columns, word[k]);
      }
      __syncwarp();
      while (waiting >= SendWarps::width) {
        waiting -= SendWarps::width;
        send(call, arguments, row, start, queue, waiting + lane);
      }
      __syncwarp();
    }
    if (lane < waiting) send(call, arguments, row, start, queue, lane);
  }

  /// Adds the places of a quad of every thread for which the rule is called; returns how many.
  __device__ static int enqueue(SendQueue& queue, int waiting, int lane, int line, int column,
                                int columns, const uint4& quad) {
    const std::uint32_t word[packWidth] = {quad.x, quad.y, quad.z, quad.w};
    int mine = 0;
#pragma unroll
    for (int k = 0; k < packWidth; ++k) {
      mine += (all || word[k] != 0) && column + k < columns ? 1 : 0;
    }
    const unsigned before = (1U << lane) - 1;
    int at = waiting, added = 0;
#pragma unroll
    for (int bit = 0; bit < 3; ++bit) {  // 0 to 4 of each thread
      const unsigned others = __ballot_sync(~0U, (mine >> bit & 1) != 0);
      at += __popc(others & before) << bit;
      added += __popc(others) << bit;
    }
    if (mine == 0) return added;
#pragma unroll
    for (int k = 0; k < packWidth; ++k) {
      if ((all || word[k] != 0) && column + k < columns) {
        queue.line[at] = line;
        queue.column[at] = column + k;
        queue.word[at] = word[k];
        ++at;
      }
    }
    return added;
  }

  __device__ static void send(const Call& call, const Arguments& arguments, std::int64_t row,
                              Index start, const SendQueue& queue, int number) {
    const int line = queue.line[number], column = queue.column[number];
    const Launch& launch = call.gpu.launch;
    const Index at = start + line * static_cast<Index>(launch.layout.pitch) + column;
    const SendingAround<P> around(launch, call.in, call.out, at, at, row, line, column);
    sendFrom<P, ruleOf(Tag{})>(around, call.in, at, queue.word[number], arguments);
  }
};

/// They wait for memory most of the time, so there have to be many.
template <class Tag, class Arguments>
inline constexpr int residentBlocks<SendBody<Tag, Arguments>> = 4;

/// A rule that sends codes, as it is launched. (No short name for its body: nvcc 13.0 would spell
/// it with the rule, which it misspells.)
template <class P, auto Rule>
struct SendLauncher {
  static constexpr TileShape shape{1, 1, gpuBlock, 1};

  static int launch(const GpuLaunch& gpu, const TileShape&, void* stream) {
    forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
      if (piece.lineBegin > 0) return;  // all lines of a row are in one launch
      auto call = gpuCall<P, Rule, WritesAll>(piece);
      call.gpu.scan = scanOf(piece.launch.layout);
      const std::int64_t blocks = (piece.rowEnd - piece.rowBegin) * call.gpu.scan.blocksOfRow;
      queue<SendBody<TagOf<P, Rule>, ArgumentsOf<Rule>>>(
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

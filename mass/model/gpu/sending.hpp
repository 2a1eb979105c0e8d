#pragma once

// A step of a rule that sends codes on a GPU. Included where nvcc compiles a model.

#include <mass/model/gpu/send_codes.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Warps of a block of a rule that sends codes, and what one looks at before it goes on.
struct SendWarps {
  static constexpr int count = gpuBlock / warpWidth;
  static constexpr int loads = 2;  ///< quads that a thread looks at together
  static constexpr int quads = loads * warpWidth;
};

/// Places of a warp that wait until there are enough of them for all its threads.
struct SendQueue {
  static constexpr int room = warpWidth + SendWarps::quads * packWidth;

  int2 places[room];
};

/// Where the places of a row of a band are, by their numbers in lines of whole quads.
template <class Call>
struct RowFrame {
  using P = typename Call::Place;

  static constexpr bool hasNear = false;

  const Call& call;
  const Launch& launch;
  int row;
  Index start;  ///< of the row
  QuickDivisor byQuads;

  __device__ const void* const* in() const { return call.in; }
  __device__ void* const* out() const { return call.out; }
  __device__ int lineOf(int place) const { return byQuads(place / packWidth); }
  __device__ int columnOf(int place, int line) const {
    return place - line * call.gpu.scan.quadsOfLine * packWidth;
  }
  /// Quad number `number`, if it is one of those before `end`.
  __device__ Quad quad(int number, int end) const {
    const int line = byQuads(number), column = columnOf(number * packWidth, line);
    auto* const words = static_cast<std::uint32_t*>(const_cast<void*>(call.in[BagSlot<P>::first]));
    auto* const at = reinterpret_cast<uint4*>(
        words + (start + line * static_cast<Index>(launch.layout.pitch) + column));
    if (number >= end) return {at, make_uint4(0, 0, 0, 0), 0};
    return {at, __ldcg(at), static_cast<int>(launch.layout.columns) - column};
  }
  __device__ SendingAround<P> around(int place) const {
    const int line = lineOf(place), column = columnOf(place, line);
    const Index at = start + line * static_cast<Index>(launch.layout.pitch) + column;
    return {launch, call.in, call.out, at, at, row, line, column};
  }
};

/// A rule that sends codes: warps look for occupied places, and run the rule on as many of them as
/// they have threads.
template <class Tag, class Before, class Arguments>
struct SendBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Frame = RowFrame<Call>;
  using Sender = CodeSender<Tag, Before, Arguments, Frame>;

  __device__ static void run(const Call& call) {
    // What no rule changes can be fetched before the kernel before this one has ended.
    __shared__ alignas(16) unsigned char bytes[Staging::room];
    const Arguments arguments = Staging{bytes}.all(call.arguments);
    waitForPredecessor();
    __syncthreads();
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const RowPart part = partOf(gpu);
    if (part.meetsPeers) waitForPeers(gpu);
    const Launch launch = resolved(gpu.launch);
    const Frame frame{call, launch, part.row,
                      static_cast<Index>(layout.at(part.row - gpu.rowBegin, 0, 0)),
                      QuickDivisor(gpu.scan.quadsOfLine)};
    lookThrough(frame, arguments, part);
    if (part.meetsPeers) reportToPeers(gpu);
  }

 private:
  static constexpr bool all = visitsAll<ruleOf(Tag{})>;

  /// What a block does of a row.
  struct RowPart {
    int row, number, quadsOfWarp;
    bool meetsPeers;
  };
  __device__ static RowPart partOf(const GpuLaunch& gpu) {
    const QuadScan& scan = gpu.scan;
    const auto begin = static_cast<unsigned>(gpu.rowBegin), end = static_cast<unsigned>(gpu.rowEnd);
    const auto low = static_cast<unsigned>(scan.borderBegin) - begin;
    const auto high = end - static_cast<unsigned>(scan.borderEnd);
    const unsigned nearBlocks = (low + high) * static_cast<unsigned>(scan.border.blocks);
    const bool near = blockIdx.x < nearBlocks;
    const RowShare& share = near ? scan.border : scan.inside;
    const unsigned block = blockIdx.x - (near ? 0 : nearBlocks);
    const unsigned number = block / static_cast<unsigned>(share.blocks);
    // The first rows, the last ones, and those between.
    const unsigned first = !near ? begin + low : number < low ? begin : end - high - low;
    return {static_cast<int>(first + number),
            static_cast<int>(block - number * static_cast<unsigned>(share.blocks)),
            share.quadsOfWarp, near && gpu.handshake.peers > 0};
  }

  __device__ static void lookThrough(const Frame& frame, const Arguments& arguments,
                                     const RowPart& part) {
    __shared__ SendQueue queues[SendWarps::count];
    __shared__ CodeQueue further[SendWarps::count];
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    SendQueue& queue = queues[warp];
    Sender sender(arguments, frame, further[warp], lane);
    const QuadScan& scan = frame.call.gpu.scan;
    int first = (part.number * SendWarps::count + warp) * part.quadsOfWarp;
    const int end = min(first + part.quadsOfWarp, scan.quadsOfRow);
    if (first >= end) return;
    int waiting = 0;
    for (bool last = false; !last; first += SendWarps::quads) {
      last = first + SendWarps::quads >= end;
      Quad quads[SendWarps::loads];
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        quads[k] = frame.quad(first + k * warpWidth + lane, end);
      }
      // What comes next, meanwhile, as far as the L2 cache.
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        if (first + (k + SendWarps::loads) * warpWidth + lane < end) {
          asm volatile("prefetch.global.L2 [%0];" ::"l"(quads[k].at + SendWarps::quads));
        }
      }
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        quads[k].empty();
        waiting = enlist<all>(
            waiting, lane, (first + k * warpWidth + lane) * packWidth, quads[k],
            [&](int n, int place, std::uint32_t word) { queue.places[n] = noted(place, word); });
      }
      __syncwarp();
      while (waiting >= warpWidth || last) {
        const int count = min(waiting, warpWidth);
        waiting -= count;
        const bool isEnd = last && waiting == 0;
        sender.send(lane < count, queue.places[lane < count ? waiting + lane : 0], isEnd);
        if (isEnd) break;
      }
      __syncwarp();
    }
  }
};

/// They wait for memory most of the time, so there have to be many.
template <class Tag, class Before, class Arguments>
inline constexpr int residentBlocks<SendBody<Tag, Before, Arguments>> = 3;

}  // namespace mass::detail

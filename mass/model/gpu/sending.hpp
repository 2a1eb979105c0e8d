#pragma once

// A step of a rule that sends codes on a GPU. Included where nvcc compiles a model.

#include <mass/model/gpu/send_codes.hpp>
#include <mass/model/gpu/staging.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Where the places of a row of a band are, by their distance from its first one in memory: what is
/// beside lines has numbers, too, so that looking at all of them in turn takes no division.
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
  __device__ int columnOf(int place) const {
    return place - lineOf(place) * static_cast<int>(launch.layout.pitch);
  }
  /// Whether it is a place and not what lies beside lines, which may hold copies of bags.
  __device__ bool isPlace(int place) const {
    return columnOf(place) < static_cast<int>(launch.layout.columns);
  }
  /// First words, four by four, of the row.
  __device__ uint4* quad(int number) const {
    auto* const words = static_cast<std::uint32_t*>(const_cast<void*>(call.in[BagSlot<P>::first]));
    return reinterpret_cast<uint4*>(words + (start + number * packWidth));
  }
  /// Has all that lies there brought as far as the L2 cache.
  __device__ void fetchAhead(int number) const {
    const Index at = start + number * packWidth;
    Slots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (isBag<typename S::Value>) {
        prefetch(reinterpret_cast<const char*>(quad(number)));  // further words are seldom read
      } else {
        for (std::size_t k = 0; k < S::count; ++k) {
          const auto* const elements =
              static_cast<const typename S::Stored*>(call.in[S::first + k]);
          prefetch(reinterpret_cast<const char*>(elements + at));
        }
      }
    });
  }
  __device__ SendingAround<P> around(int place) const {
    const Index at = start + place;
    return {launch, call.in, call.out, at, at, row, lineOf(place), columnOf(place)};
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

  /// What the warps of a block have in its memory.
  struct Memory {
    uint4 arguments[Staging::room / sizeof(uint4)];
    int2 places[SendWarps::count][SendQueue::room];
    CodeQueue further[SendWarps::count];
    RetryQueue retries[SendWarps::count];
  };

  __device__ static void run(const Call& call) {
    __shared__ Memory memory;
    // What no rule changes can be fetched before the kernel before this one has ended.
    const Arguments arguments =
        Staging{reinterpret_cast<unsigned char*>(memory.arguments)}.all(call.arguments);
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
    lookThrough(frame, arguments, part, memory);
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
                                     const RowPart& part, Memory& memory) {
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    const SendQueue queue(memory.places[warp]);
    Sender sender(arguments, frame, memory.further[warp], &memory.retries[warp], lane);
    const QuadScan& scan = frame.call.gpu.scan;
    int first = (part.number * SendWarps::count + warp) * part.quadsOfWarp;
    const int end = min(first + part.quadsOfWarp, scan.quadsOfRow);
    if (first >= end) return;
    int waiting = 0;
    for (bool last = false; !last; first += SendWarps::quads) {
      last = first + SendWarps::quads >= end;
      uint4 quads[SendWarps::loads];
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        const int number = first + k * warpWidth + lane;
        // Other blocks may have stored it since this one began.
        quads[k] = number < end ? __ldcg(frame.quad(number)) : make_uint4(0, 0, 0, 0);
      }
      // What comes next, meanwhile, as far as the L2 cache.
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        const int number = first + (SendWarps::loads + k) * warpWidth + lane;
        if (number < end) frame.fetchAhead(number);
      }
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        if (isOccupied(quads[k]))
          *frame.quad(first + k * warpWidth + lane) = make_uint4(0, 0, 0, 0);
      }
      waiting = enlist(waiting, lane, first, end, quads, queue);
      __syncwarp();
      while (waiting >= warpWidth || last) {
        const int count = min(waiting, warpWidth);
        waiting -= count;
        const bool isEnd = last && waiting == 0;
        const int2 noted = SendQueue::load(queue.at(lane < count ? waiting + lane : 0));
        sender.send(lane < count && frame.isPlace(noted.x), noted, isEnd);
        if (isEnd) break;
      }
      __syncwarp();
    }
  }

  __device__ static bool isOccupied(const uint4& quad) {
    return (quad.x | quad.y | quad.z | quad.w) != 0;
  }

  /// Notes the places of the quads of a warp's threads for which the rule is called, from number
  /// `count` on; returns how many there are then.
  __device__ static int enlist(int count, int lane, int first, int end,
                               const uint4 (&quads)[SendWarps::loads], const SendQueue& queue) {
    int mine = 0;
    forEachPlace(lane, first, end, quads, [&](int, std::uint32_t) { ++mine; });
    const int upToMine = sumUpTo(mine);
    unsigned at = queue.at(count + upToMine - mine);
    forEachPlace(lane, first, end, quads, [&](int place, std::uint32_t word) {
      SendQueue::store(at, noted(place, word));
      at += sizeof(int2);
    });
    return count + __shfl_sync(~0U, upToMine, warpWidth - 1);
  }
  /// The sum of a number of each thread of a warp up to this one.
  __device__ static int sumUpTo(int number) {
#pragma unroll
    for (int distance = 1; distance < warpWidth; distance *= 2) {
      asm volatile(
          "{ .reg .pred valid; .reg .b32 other;"
          "shfl.sync.up.b32 other|valid, %0, %1, 0, -1; @valid add.s32 %0, %0, other; }"
          : "+r"(number)
          : "r"(distance));
    }
    return number;
  }
  template <class F>
  __device__ static void forEachPlace(int lane, int first, int end,
                                      const uint4 (&quads)[SendWarps::loads], F&& f) {
#pragma unroll
    for (int k = 0; k < SendWarps::loads; ++k) {
      const std::uint32_t words[packWidth] = {quads[k].x, quads[k].y, quads[k].z, quads[k].w};
      const int number = first + k * warpWidth + lane;
#pragma unroll
      for (int i = 0; i < packWidth; ++i) {
        if (all ? number < end : words[i] != 0) f(number * packWidth + i, words[i]);
      }
    }
  }
};

/// They wait for memory most of the time, so there have to be many; but what is spilled from
/// registers is waited for with all that is under way.
template <class Tag, class Before, class Arguments>
inline constexpr int residentBlocks<SendBody<Tag, Before, Arguments>> = 2;
template <class Tag, class Before, class Arguments>
inline constexpr int mostThreads<SendBody<Tag, Before, Arguments>> = SendWarps::threads;

}  // namespace mass::detail

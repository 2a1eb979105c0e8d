#pragma once

// A step of a rule that sends codes on a GPU. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_argument_staging.hpp>
#include <mass/kernels/scatter/gpu_row_sender.hpp>
#include <mass/kernels/scatter/gpu_scan_part.hpp>
#include <mass/support/ptx.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Where the places of a launch are, by their distance from its first one in memory: what is beside
/// lines and rows has numbers, too, so that looking at all of them in turn takes no division.
template <class Call>
struct ScanFrame {
  using P = typename Call::Place;

  const Call& call;
  const Launch& launch;
  Index start;  ///< of the first place
  QuickDivisor byRows, byLines;

  /// Where in the band something is. It may be no place but what lies beside lines and rows.
  struct Position {
    int row, line, column;
  };

  __device__ ScanFrame(const Call& itsCall, const Launch& itsLaunch)
      : call(itsCall),
        launch(itsLaunch),
        start(static_cast<Index>(launch.layout.at(0, 0, 0))),
        byRows(call.gpu.scan.quadsOfRow),
        byLines(call.gpu.scan.quadsOfLine) {}
  __device__ const void* const* in() const { return call.in; }
  __device__ void* const* out() const { return call.out; }
  __device__ Position position(int place) const {
    const int quad = place / packWidth, row = byRows(quad);
    const int inRow = quad - row * byRows.divisor, line = byLines(inRow);
    const int column = place - (row * byRows.divisor + line * byLines.divisor) * packWidth;
    return {static_cast<int>(call.gpu.rowBegin) + row, line, column};
  }
  /// Whether it is a place: what lies beside them may hold copies of bags.
  __device__ bool isPlace(int place) const {
    const Position at = position(place);
    const Layout& layout = launch.layout;
    return at.line < static_cast<int>(layout.lines) && at.column < static_cast<int>(layout.columns);
  }
  /// First words, four by four.
  __device__ uint4* quad(int number) const {
    auto* const words =
        static_cast<std::uint32_t*>(const_cast<void*>(call.in[MultisetAttributeSlot<P>::first]));
    return reinterpret_cast<uint4*>(words + (start + number * packWidth));
  }
  /// Has all that lies there brought as far as the L2 cache.
  __device__ void fetchAhead(int number) const {
    const Index at = start + number * packWidth;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (isMultiset<typename S::Value>) {
        prefetch(quad(number));  // further words are seldom read
      } else {
        for (std::size_t k = 0; k < S::count; ++k) {
          const auto* const elements =
              static_cast<const typename S::Stored*>(call.in[S::first + k]);
          prefetch(elements + at);
        }
      }
    });
  }
  __device__ ScatterContext<P> around(int place) const {
    const Index at = start + place;
    const Position here = position(place);
    return {launch, call.in, call.out, at, at, here.row, here.line, here.column};
  }
};

/// A rule that sends codes: warps look for occupied places, and run the rule on as many of them as
/// they have threads.
template <class Tag, class Before, class Arguments>
struct SendBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Frame = ScanFrame<Call>;
  using Sender = RowSender<Tag, Before, Arguments, Frame>;

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
    const ScanPart part = ScanPart::of(gpu);
    if (part.meetsPeers) waitForPeers(gpu);
    const Launch launch = resolved(gpu.launch);
    lookThrough({call, launch}, arguments, part, memory);
    if (part.meetsPeers) reportToPeers(gpu);
  }

 private:
  static constexpr bool all = visitsAll<ruleOf(Tag{})>;

  __device__ static void lookThrough(const Frame& frame, const Arguments& arguments,
                                     const ScanPart& part, Memory& memory) {
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    const SendQueue queue(memory.places[warp]);
    Sender sender(arguments, frame, memory.further[warp], memory.retries[warp], lane);
    int first = part.first;
    if (first >= part.end) return;
    int waiting = 0;
    for (bool last = false; !last;) {
      const int next = first + part.stride;
      last = next >= part.end;
      const int end = min(first + part.quads, part.end);
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
        const int number = next + k * warpWidth + lane;
        if (number < part.end) frame.fetchAhead(number);
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
        const int2 noted = loadShared(queue.at(lane < count ? waiting + lane : 0));
        sender.send(lane < count && frame.isPlace(noted.x), noted, isEnd);
        if (isEnd) break;
      }
      __syncwarp();
      first = next;
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
    SharedAddress at = queue.at(count + upToMine - mine);
    forEachPlace(lane, first, end, quads, [&](int place, std::uint32_t word) {
      storeShared(at, noted(place, word));
      at += sizeof(int2);
    });
    return count + __shfl_sync(~0U, upToMine, warpWidth - 1);
  }
  /// The sum of a number of each thread of a warp up to this one.
  __device__ static int sumUpTo(int number) {
#pragma unroll
    for (int distance = 1; distance < warpWidth; distance *= 2) {
      addFromBefore(number, distance);
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

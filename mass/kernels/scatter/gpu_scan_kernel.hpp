#pragma once

// Kernel of one step of a scatter rule. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_argument_staging.hpp>
#include <mass/kernels/scatter/gpu_row_sender.hpp>
#include <mass/kernels/scatter/gpu_scan_part.hpp>
#include <mass/support/cuda/ptx.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Positions of the places of a launch, numbered by their distance from its first place in memory.
/// Padding has numbers, too, so that scanning all of them takes no division.
template <class Call>
struct ScanFrame {
  using P = typename Call::Place;

  const Call& call;
  const Launch& launch;
  Index start;  ///< index of the first place
  QuickDivisor byRows, byLines;

  /// Position in the band; it may lie in the padding.
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
  /// True if it is a place, not padding, which may hold copies of multisets.
  __device__ bool isPlace(int place) const {
    const Position at = position(place);
    const Layout& layout = launch.layout;
    return at.line < static_cast<int>(layout.lines) && at.column < static_cast<int>(layout.columns);
  }
  /// Returns the address of a quad of first words.
  __device__ uint4* quad(int number) const {
    auto* const words =
        static_cast<std::uint32_t*>(const_cast<void*>(call.in[MultisetAttributeSlot<P>::first]));
    return reinterpret_cast<uint4*>(words + (start + number * packWidth));
  }
  /// Prefetches all attributes of a quad's places into the L2 cache.
  __device__ void prefetchQuad(int number) const {
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

/// Kernel of a scatter rule. Warps scan for occupied places and run the rule on one place per
/// thread.
template <class Tag, class Before, class Arguments>
struct ScatterBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Frame = ScanFrame<Call>;
  using Sender = RowSender<Tag, Before, Arguments, Frame>;

  /// Shared memory of a block.
  struct Memory {
    uint4 arguments[ArgumentStaging::room / sizeof(uint4)];
    int2 places[SendWarps::count][SendQueue::room];
    ElementQueue further[SendWarps::count];
    RetryQueue retries[SendWarps::count];
  };

  __device__ static void run(const Call& call) {
    __shared__ Memory memory;
    // Arguments do not change, so they are copied before the previous kernel has ended.
    const Arguments arguments =
        ArgumentStaging{reinterpret_cast<unsigned char*>(memory.arguments)}.all(call.arguments);
    waitForPredecessor();
    __syncthreads();
    const GpuLaunch& gpu = call.gpu;
    const ScanPart part = ScanPart::of(gpu);
    if (part.syncsPeers) waitForPeers(gpu);
    const Launch launch = resolved(gpu.launch);
    scan({call, launch}, arguments, part, memory);
    if (part.syncsPeers) reportToPeers(gpu);
  }

 private:
  static constexpr bool all = visitsAll<ruleOf(Tag{})>;

  __device__ static void scan(const Frame& frame, const Arguments& arguments, const ScanPart& part,
                              Memory& memory) {
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    const SendQueue queue(memory.places[warp]);
    Sender sender(arguments, frame, memory.further[warp], memory.retries[warp], lane);
    int first = part.first;
    if (first >= part.end) return;
    int queued = 0;
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
      // Prefetch the quads of the next round.
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        const int number = next + k * warpWidth + lane;
        if (number < part.end) frame.prefetchQuad(number);
      }
#pragma unroll
      for (int k = 0; k < SendWarps::loads; ++k) {
        if (isOccupied(quads[k]))
          *frame.quad(first + k * warpWidth + lane) = make_uint4(0, 0, 0, 0);
      }
      queued = appendOccupied(queued, lane, first, end, quads, queue);
      __syncwarp();
      while (queued >= warpWidth || last) {
        const int count = min(queued, warpWidth);
        queued -= count;
        const bool isEnd = last && queued == 0;
        const int2 noted = loadShared(queue.at(lane < count ? queued + lane : 0));
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

  /// Appends the places of the warp's quads for which the rule is called to the queue of `count`
  /// places.
  /// @return number of places in the queue
  __device__ static int appendOccupied(int count, int lane, int first, int end,
                                       const uint4 (&quads)[SendWarps::loads],
                                       const SendQueue& queue) {
    int mine = 0;
    forEachPlace(lane, first, end, quads, [&](int, std::uint32_t) { ++mine; });
    const int inclusiveSum = warpInclusiveSum(mine);
    SharedAddress at = queue.at(count + inclusiveSum - mine);
    forEachPlace(lane, first, end, quads, [&](int place, std::uint32_t word) {
      storeShared(at, noted(place, word));
      at += sizeof(int2);
    });
    return count + __shfl_sync(~0U, inclusiveSum, warpWidth - 1);
  }
  /// Returns the sum of a number over the lanes up to this one (inclusive prefix sum).
  __device__ static int warpInclusiveSum(int number) {
#pragma unroll
    for (int distance = 1; distance < warpWidth; distance *= 2) {
      addFromLowerLane(number, distance);
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

/// Two blocks: latency of memory dominates, so many threads are needed, but spilled registers would
/// wait for all pending loads.
template <class Tag, class Before, class Arguments>
inline constexpr int residentBlocks<ScatterBody<Tag, Before, Arguments>> = 2;
template <class Tag, class Before, class Arguments>
inline constexpr int maxThreads<ScatterBody<Tag, Before, Arguments>> = SendWarps::threads;

}  // namespace mass::detail

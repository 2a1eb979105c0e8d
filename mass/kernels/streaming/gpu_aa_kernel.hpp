#pragma once

// What a thread of a GPU does for rules that move what is streamed within one buffer: the pattern
// of in_place.hpp. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/streaming/gpu_aa_access.hpp>

#include <cstddef>
#include <tuple>

namespace mass::detail {

/// Whether W writes any attribute of P.
template <class P, class W>
constexpr bool writesAny() {
  bool any = false;
  AttributeSlots<P>::forEach([&](auto slot) { any = any || isWritten<decltype(slot), W>; });
  return any;
}

/// Empties those of a thread's places that are blocked. They stay so: nobody leaves anything there,
/// and what places beside them find there they replace by what comes back to them. Not inlined:
/// what it needs would be taken from the registers of all other places.
template <class P, int Width, class Call>
__device__ __attribute__((noinline)) void emptyBlocked(const Call& call, const GpuPlace& place) {
  const Cursor first = cursorOf<P::dimensions>(call.gpu, place);
  const LinksTo<P, Width> aaAddresses(call.gpu, call.out, place);
#pragma unroll
  for (int c = 0; c < Width; ++c) {
    P one = loadPlace<P, LoadScope::nonStreamed>(call.in, first.moved(0, c));
    if (flowCellOf(one) != FlowCell::solid) continue;
    empty(one);
    scatter<false>(one, aaAddresses, c, 0);
  }
}

/// Applies a changing rule to the places of one thread.
template <class P, auto Rule, class W, int Width, bool isEven>
__device__ inline void movePlaces(const GpuCallOf<P, Rule>& call, const GpuPlace& place) {
  constexpr int D = P::dimensions;
  const GpuLaunch& gpu = call.gpu;
  const Cursor first = cursorOf<D>(gpu, place);
  const auto cursor = [&](int c) { return Cursor{first.line, first.column, c, Width}; };
  if constexpr (definesFlowCell<P>) {
    if (gpu.stepInBatch == 0) emptyBlocked<P, Width>(call, place);
  }
  P next[Width];
  ComponentBits<P> back[Width];
#pragma unroll
  for (int c = 0; c < Width; ++c)
    next[c] = loadPlace<P, LoadScope::nonStreamed>(call.in, cursor(c));
  {
    const LinksFrom<P, Width> aaAddresses(gpu, call.in, place);
    gather<isEven>(next, aaAddresses);  // before it is known what comes back: all loads at once
#pragma unroll
    for (int c = 0; c < Width; ++c) {
      const auto near = aroundPlace<P>(gpu, call.in, cursor(c), place, 0, c);
      back[c] = 0;
      if (flowCellOf(next[c]) == FlowCell::solid) continue;
      if constexpr (isEven) {
        back[c] = bounceBackMask(next[c], near) & ~aaAddresses.backAlready(c);
        if (back[c] != 0) gatherBack(next[c], aaAddresses, c, back[c]);
      }
      apply<Rule>(next[c], near, call.arguments);
    }
  }
  const LinksTo<P, Width> aaAddresses(gpu, call.out, place, gpu.opaqueZero);
  bool byTwo = false;
  if constexpr (allGoByTwo<P, Width>()) {
    const ThreadsBeside threads;
    bool mayGo = true;
    for (int c = 0; c < Width; ++c)
      mayGo = mayGo && flowCellOf(next[c]) != FlowCell::solid && back[c] == 0;
    byTwo = __all_sync(threads.mask, mayGo);
    __syncwarp(threads.mask);  // one stores where another has loaded
    if (byTwo) scatterTwo<isEven>(next, aaAddresses, threads);
  }
  if (!byTwo) {
#pragma unroll
    for (int c = 0; c < Width; ++c) {
      if (flowCellOf(next[c]) != FlowCell::solid) scatter<isEven>(next[c], aaAddresses, c, back[c]);
    }
  }
  if constexpr (writesAny<P, NonStreamed<W>>()) {
    const auto pitch = static_cast<Index>(gpu.launch.layout.pitch);
    forEachCopy(call, rowOf(gpu, place), [&](void* const* out, Copy copy) {
      storeRow<P, NonStreamed<W>>(out, first, pitch, next, copy);
    });
    repeatPlacesAtSides<P, NonStreamed<W>>(call, place, first, next);
    repeatInFurtherGhosts<D>(call, place);
  }
}

/// A changing rule, for `Width` columns a thread, at an even or an odd step.
template <class Tag, class Arguments, class W, int Width, bool isEven>
struct MoveBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    constexpr int D = P::dimensions;
    withPeerSync<D>(call.gpu, 1, Width, [&] {
      // One line: in a loop over lines, the compiler would keep what it can compute beforehand, and
      // registers are scarce.
      const GpuPlace place = placeOfThread<D>(call.gpu, 1, Width);
      if (place.rows == 0 || place.line >= static_cast<int>(call.gpu.launch.layout.lines)) return;
      if (place.width == Width) return movePlaces<P, rule, W, Width, isEven>(call, place);
      if constexpr (Width > 1) {
#pragma unroll 1
        for (int c = 0; c < place.width; ++c) {
          const GpuPlace one{place.row, place.line, place.column + c, 1, 1};
          movePlaces<P, rule, W, 1, isEven>(call, one);
        }
      }
    });
  }
};

template <class Tag, class Arguments, class W, int Width, bool isEven>
inline constexpr int residentBlocks<MoveBody<Tag, Arguments, W, Width, isEven>> =
    residentBlocksFor<typename Tag::Place>(Width);

/// Brings what is left after an even step to where it belongs.
template <class P>
struct SettleBody {
  using Call = GpuCall<P, std::tuple<>>;

  __device__ static void run(const Call& call) {
    constexpr int D = P::dimensions;
    const GpuLaunch& gpu = call.gpu;
    forEachPlace<D>(gpu, 1, 1, [&](const GpuPlace& place) {
      const Cursor at = cursorOf<D>(gpu, place);
      const P one = loadPlace<P, LoadScope::nonStreamed>(call.in, at);
      if (flowCellOf(one) == FlowCell::solid) return;
      const auto near = aroundPlace<P>(gpu, call.in, at, place, 0, 0);
      const ComponentBits<P> back = bounceBackMask(one, near);
      const LinksTo<P, 1> aaAddresses(gpu, call.out, place);
      forEachStreamed<P>([&](auto slot, auto k) {
        using S = decltype(slot);
        // Each two locations are exchanged by one of the two places.
        if constexpr (k < oppositeOf<S>(k)) {
          if ((back >> (S::first + k) & 1) != 0) return;
          auto* const there = aaAddresses.template comingTo<S, true>(0, k);
          auto* const here = aaAddresses.template own<S>(0, k);
          const auto mine = *here;
          *here = *there;
          *there = mine;
        }
      });
    });
  }
};

}  // namespace mass::detail

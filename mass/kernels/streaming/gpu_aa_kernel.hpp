#pragma once

// GPU kernels of the AA pattern (see aa_pattern.hpp). Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/streaming/gpu_aa_access.hpp>

#include <cstddef>
#include <tuple>

namespace mass::detail {

/// True if W writes any attribute of P.
template <class P, class W>
constexpr bool writesAny() {
  bool any = false;
  AttributeSlots<P>::forEach([&](auto slot) { any = any || isWritten<decltype(slot), W>; });
  return any;
}

/// Clears the streamed elements of a thread's solid places. They need not be cleared again: no
/// element streams in, and adjacent places replace those that stream out by bounce-back. Not
/// inlined: it would take registers from all other places.
template <class P, int Width, class Call>
__device__ __attribute__((noinline)) void clearSolid(const Call& call, const GpuPlace& place) {
  const Cursor first = cursorOf<P::dimensions>(call.gpu, place);
  const AaWrites<P, Width> addresses(call.gpu, call.out, place);
#pragma unroll
  for (int c = 0; c < Width; ++c) {
    P one = loadPlace<P, LoadScope::nonStreamed>(call.in, first.moved(0, c));
    if (flowCellOf(one) != FlowCell::solid) continue;
    clearStreamed(one);
    scatter<false>(one, addresses, c, 0);
  }
}

/// Applies a changing rule to the places of one thread.
template <class P, auto Rule, class W, int Width, bool isEven>
__device__ inline void aaStep(const GpuCallOf<P, Rule>& call, const GpuPlace& place) {
  constexpr int D = P::dimensions;
  const GpuLaunch& gpu = call.gpu;
  const Cursor first = cursorOf<D>(gpu, place);
  const auto cursor = [&](int c) { return Cursor{first.line, first.column, c, Width}; };
  if constexpr (definesFlowCell<P>) {
    if (gpu.stepInBatch == 0) clearSolid<P, Width>(call, place);
  }
  P next[Width];
  ComponentBits<P> back[Width];
#pragma unroll
  for (int c = 0; c < Width; ++c)
    next[c] = loadPlace<P, LoadScope::nonStreamed>(call.in, cursor(c));
  {
    const AaReads<P, Width> addresses(gpu, call.in, place);
    // Before the bounce-back is known, so that all loads are issued at once.
    gather<isEven>(next, addresses);
#pragma unroll
    for (int c = 0; c < Width; ++c) {
      const auto near = aroundPlace<P>(gpu, call.in, cursor(c), place, 0, c);
      back[c] = 0;
      if (flowCellOf(next[c]) == FlowCell::solid) continue;
      if constexpr (isEven) {
        back[c] = bounceBackMask(next[c], near) & ~addresses.selectedBounceBack(c);
        if (back[c] != 0) gatherBounceBack(next[c], addresses, c, back[c]);
      }
      apply<Rule>(next[c], near, call.arguments);
    }
  }
  const AaWrites<P, Width> addresses(gpu, call.out, place, gpu.opaqueZero);
  bool inPairs = false;
  if constexpr (allPaired<P, Width>()) {
    const LineThreads threads;
    bool canPair = true;
    for (int c = 0; c < Width; ++c)
      canPair = canPair && flowCellOf(next[c]) != FlowCell::solid && back[c] == 0;
    inPairs = __all_sync(threads.mask, canPair);
    __syncwarp(threads.mask);  // a thread stores to an address that another one has loaded from
    if (inPairs) scatterPairs<isEven>(next, addresses, threads);
  }
  if (!inPairs) {
#pragma unroll
    for (int c = 0; c < Width; ++c) {
      if (flowCellOf(next[c]) != FlowCell::solid) scatter<isEven>(next[c], addresses, c, back[c]);
    }
  }
  if constexpr (writesAny<P, NonStreamed<W>>()) {
    const auto pitch = static_cast<Index>(gpu.launch.layout.pitch);
    forEachCopy(call, rowOf(gpu, place), [&](void* const* out, Copy copy) {
      storeRow<P, NonStreamed<W>>(out, first, pitch, next, copy);
    });
    storePadding<P, NonStreamed<W>>(call, place, first, next);
    storeFurtherGhosts<D>(call, place);
  }
}

/// Kernel of a changing rule for `Width` columns per thread, at an even or an odd step.
template <class Tag, class Arguments, class W, int Width, bool isEven>
struct AaBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    constexpr int D = P::dimensions;
    withPeerSync<D>(call.gpu, 1, Width, [&] {
      // One line per thread: in a loop over lines the compiler would keep loop invariants in
      // registers, which are scarce.
      const GpuPlace place = placeOfThread<D>(call.gpu, 1, Width);
      if (place.rows == 0 || place.line >= static_cast<int>(call.gpu.launch.layout.lines)) return;
      if (place.width == Width) return aaStep<P, rule, W, Width, isEven>(call, place);
      if constexpr (Width > 1) {
#pragma unroll 1
        for (int c = 0; c < place.width; ++c) {
          const GpuPlace one{place.row, place.line, place.column + c, 1, 1};
          aaStep<P, rule, W, 1, isEven>(call, one);
        }
      }
    });
  }
};

template <class Tag, class Arguments, class W, int Width, bool isEven>
inline constexpr int residentBlocks<AaBody<Tag, Arguments, W, Width, isEven>> =
    residentBlocksFor<typename Tag::Place>(Width);

/// Kernel that restores the natural layout after an even step.
template <class P>
struct RestoreLayoutBody {
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
      const AaWrites<P, 1> addresses(gpu, call.out, place);
      forEachStreamed<P>([&](auto slot, auto k) {
        using S = decltype(slot);
        // One of the two places that share two addresses exchanges the elements.
        if constexpr (k < oppositeOf<S>(k)) {
          if ((back >> (S::first + k) & 1) != 0) return;
          auto* const there = addresses.template sourceAddress<S, true>(0, k);
          auto* const here = addresses.template ownAddress<S>(0, k);
          const auto mine = *here;
          *here = *there;
          *there = mine;
        }
      });
    });
  }
};

}  // namespace mass::detail

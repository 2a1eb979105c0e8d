#pragma once

// Plane sweep (2.5-D blocking) for rules of 3-D worlds: a block goes from row to row and keeps the
// rows around its places in shared memory. Each place is read from device memory about once, not
// once for every neighbour. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/plane_sweep/plane_cache.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Loads the constant attributes of a place, or all others.
template <bool areConstant, class P>
__device__ inline void loadSome(P& place, const void* const* components, Cursor at) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isConstant == areConstant && S::isArray) {
      for (std::size_t k = 0; k < S::count; ++k)
        (place.*S::member)[k] = loadElement<S>(components[S::first + k], at);
    } else if constexpr (S::isConstant == areConstant) {
      place.*S::member = loadElement<S>(components[S::first], at);
    }
  });
}

/// Kernel of a changing rule. A block updates `Columns` x `Lines` places of rowsPerSweep rows, one
/// row after another.
template <class Tag, class Arguments, class W, int Columns, int Lines>
struct PlaneSweepBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Memory = PlaneCache<P, Columns, Lines>;
  static constexpr int reach = P::reach;

  __device__ static void run(const Call& call) {
    withPeerSync<3>(call.gpu, call.gpu.rowsPerSweep, 1, [&] { planeSweep(call); });
  }

 private:
  __device__ static void planeSweep(const Call& call) {
    extern __shared__ uint4 memory[];
    __shared__ SharedBarrier barriers[Memory::rows];
    auto* const bytes = reinterpret_cast<unsigned char*>(memory);
    const GpuLaunch& gpu = call.gpu;
    GpuPlace place = placeOfThread<3>(gpu, gpu.rowsPerSweep, 1);
    const int rowsLeft = static_cast<int>(gpu.rowEnd - gpu.rowBegin) - place.row;
    const int rows = rowsLeft < gpu.rowsPerSweep ? rowsLeft : gpu.rowsPerSweep;
    const bool isThere = place.rows > 0 && place.line < static_cast<int>(gpu.launch.layout.lines);
    place.rows = place.width = 1;
    const bool isBeside = isAtPadding<3>(gpu.launch, place);
    PlaneLoader<Call, Memory> source(call, bytes, barriers, place.row - reach,
                                     place.line - static_cast<int>(threadIdx.y),
                                     place.column - static_cast<int>(threadIdx.x));

    const void* in[AttributeSlots<P>::components];
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      for (std::size_t k = 0; k < S::count; ++k) {
        in[S::first + k] = S::isConstant ? call.in[S::first + k]
                                         : bytes + Memory::begin(S::first + k, Memory::rows);
      }
    });
    CachedRows<reach> near;
    near.pitch = Memory::pitch;
    const int own = (static_cast<int>(threadIdx.y) + reach) * Memory::pitch + Memory::unit +
                    static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < Memory::read; ++i) near.rows[i] = i * Memory::places + own;

#pragma unroll
    for (int i = 0; i < Memory::rows - 1; ++i) {
      if (i < rows + 2 * reach) source.fetch(i);
    }
#pragma unroll
    for (int i = 0; i < Memory::read - 1; ++i) source.wait(i, false);
    int newest = Memory::read - 1;  // slot of the newest row that the rule reads
    bool isOdd = false;
    P constants;
    if (isThere) loadSome<true>(constants, in, cursorOf<3>(gpu, place));
#pragma unroll 1
    for (int left = rows; left > 0; --left, ++place.row) {
      source.wait(newest, isOdd);
      __syncthreads();  // and all threads are done with the oldest row
      if (left + 2 * reach >= Memory::rows) {
        const int free = newest + Memory::ahead;
        source.fetch(free >= Memory::rows ? free - Memory::rows : free);
      }
      if (isThere) {
        P next[1] = {constants};
        // Loads the next row's constant attributes while the rule runs.
        if (left > 1) {
          const GpuPlace after{place.row + 1, place.line, place.column, 1, 1};
          loadSome<true>(constants, in, cursorOf<3>(gpu, after));
        }
        change(call, place, in, near, next, isBeside);
      }
      if (++newest == Memory::rows) {
        newest = 0;
        isOdd = !isOdd;
      }
#pragma unroll
      for (int k = 0; k + 1 < Memory::read; ++k) near.rows[k] = near.rows[k + 1];
      near.rows[Memory::read - 1] = newest * Memory::places + own;
    }
  }
  /// @param isBeside true if the place may have images in the padding
  __device__ static void change(const Call& call, const GpuPlace& place, const void* const* in,
                                const CachedRows<reach>& lines, P (&next)[1], bool isBeside) {
    constexpr auto rule = ruleOf(Tag{});
    const Cursor there = cursorOf<3>(call.gpu, place);
    const Neighborhood<P> near(call.gpu.launch, in, there, rowOf(call.gpu, place), place.line,
                               place.column, lines);
    loadSome<false>(next[0], in, Cursor(lines.rows[reach], 0));
    apply<rule>(next[0], near, call.arguments);
    forEachCopy(call, rowOf(call.gpu, place),
                [&](void* const* out, Copy copy) { storePlace<P, W>(out, there, next[0], copy); });
    if (isBeside) storePadding<P, W>(call, place, there, next);
    storeFurtherGhosts<3>(call, place);
  }
};

template <class Tag, class Arguments, class W, int Columns, int Lines>
inline constexpr int maxThreads<PlaneSweepBody<Tag, Arguments, W, Columns, Lines>> = Columns* Lines;
template <class Tag, class Arguments, class W, int Columns, int Lines>
inline constexpr int residentBlocks<PlaneSweepBody<Tag, Arguments, W, Columns, Lines>> = 1024 /
                                                                                         (Columns *
                                                                                          Lines);

}  // namespace mass::detail

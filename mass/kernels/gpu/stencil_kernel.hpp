#pragma once

// Stencil kernels: a thread loads its places, calls the changing rule and stores the results. Also
// the common parts of all GPU kernels. Included where nvcc compiles a model.

#include <mass/kernels/gpu/fixed_ends.hpp>
#include <mass/kernels/gpu/halo_fill.hpp>
#include <mass/kernels/gpu/prefetch.hpp>
#include <mass/kernels/gpu/thread_places.hpp>
#include <mass/kernels/rule_tag.hpp>
#include <mass/kernels/stencil_kernels.hpp>
#include <mass/launch/cuda/peer_sync.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Parameters of a kernel. Holds the addresses of all components, so that no address is loaded.
template <class P, class Arguments>
struct GpuCall {
  using Place = P;

  GpuLaunch gpu;
  const void* in[AttributeSlots<P>::components];
  void* out[AttributeSlots<P>::components];
  /// Buffers of the first halo stores, by store and component. Shifted so that a place has the same
  /// index as in `out`.
  void* haloOut[inlineHaloStores][AttributeSlots<P>::components];
  /// By component: bytes of an element, 0 if the rule does not write it.
  std::uint16_t writtenSize[AttributeSlots<P>::components];
  /// By component: number of components interleaved in its buffer.
  std::uint16_t interleave[AttributeSlots<P>::components];
  Arguments arguments;
};
template <auto Rule>
using ArgumentsOf = typename Traits<Rule>::DeviceArguments;
template <class P, auto Rule>
using GpuCallOf = GpuCall<P, ArgumentsOf<Rule>>;

/// Maximum number of threads of a block.
inline constexpr int gpuBlock = 256;

/// Maximum number of threads of a block of a kernel.
template <class Body>
inline constexpr int maxThreads = gpuBlock;
/// Minimum number of blocks of a kernel that a multiprocessor can hold; 0: the compiler chooses.
template <class Body>
inline constexpr int residentBlocks = 1;

/// The one __global__ function of all kernels but the persistent one. Its template argument is a
/// class, since nvcc 13.0 misspells pointers to members among template arguments of a kernel.
template <class Body>
__global__ void __launch_bounds__(maxThreads<Body>, residentBlocks<Body>)
    onGpu(const __grid_constant__ typename Body::Call call) {
  Body::run(call);
}

/// Queues a kernel. If it `overlaps`, it may start before its predecessor on the stream has ended,
/// and waits for it by itself (CUDA Programming Guide, "Programmatic Dependent Launch").
template <class Body>
void queue(dim3 grid, dim3 block, void* stream, bool overlaps, const typename Body::Call& call,
           std::int64_t sharedBytes = 0) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = &attribute;
  config.numAttrs = overlaps ? 1 : 0;
  config.dynamicSmemBytes = static_cast<std::size_t>(sharedBytes);
  (void)cudaLaunchKernelEx(&config, onGpu<Body>, call);
}

/// Returns the neighbourhood of place (k, c) of a thread.
template <class P>
__device__ inline Neighborhood<P> aroundPlace(const GpuLaunch& gpu, const void* const* in,
                                              Cursor at, const GpuPlace& place, int k, int c) {
  const std::int64_t row = rowOf(gpu, place) + k;
  if constexpr (P::dimensions == 1)
    return {gpu.launch, in, at, row, 0, columnOfRow<P>(gpu.launch, row)};
  return {gpu.launch, in, at, row, place.line, place.column + c};
}

/// Stores `Width` neighbouring places of a thread.
template <class P, class W, int Width>
__device__ inline void storeRow(void* const* out, Cursor at, Index pitch, const P (&places)[Width],
                                Copy copy) {
  if constexpr (Width == 1) return storePlace<P, W>(out, at, places[0], copy);
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    using Stored = typename S::Stored;
    if constexpr (isWritten<S, W>) {
      for (std::size_t k = 0; k < S::count; ++k) {
        if (!isRead<S>(k, copy)) continue;
        const auto element = [&](int c) -> const typename S::Element& {
          if constexpr (S::isArray) return (places[c].*S::member)[k];
          if constexpr (!S::isArray) return places[c].*S::member;
        };
        Pack<Stored, Width> pack;
        if constexpr (Width == 2 && requires { S::Form::encodeTwo(element(0), element(1)); }) {
          pack = std::bit_cast<Pack<Stored, 2>>(S::Form::encodeTwo(element(0), element(1)));
        } else {
#pragma unroll
          for (int c = 0; c < Width; ++c) pack.values[c] = S::Form::encode(element(c));
        }
        const Cursor here = S::interleave > 1 ? at.component(static_cast<int>(k), pitch) : at;
        auto* const elements = static_cast<Stored*>(out[S::first + (S::interleave > 1 ? 0 : k)]) +
                               here.number(S::interleave);
        *reinterpret_cast<Pack<Stored, Width>*>(elements) = pack;
      }
    }
  });
}

/// Applies a changing rule to the places of one thread. All loads come before all stores, so that
/// rows and columns share loaded values.
template <class P, auto Rule, class W, int Rows, int Width>
__device__ inline void changePlaces(const GpuCallOf<P, Rule>& call, const GpuPlace& place) {
  const auto stride = static_cast<Index>(call.gpu.launch.layout.rowStride);
  const auto pitch = static_cast<Index>(call.gpu.launch.layout.pitch);
  constexpr int D = P::dimensions;
  const Cursor first = cursorOf<D>(call.gpu, place);
  const std::int64_t row = rowOf(call.gpu, place);
  const auto near = [&](Cursor at, int k, int c) {
    return aroundPlace<P>(call.gpu, call.in, at, place, k, c);
  };
  if (Rows * Width == 1 || (place.rows == Rows && place.width == Width)) {
    P next[Rows][Width];
    const auto forAll = [&](auto&& f) {
#pragma unroll
      for (int k = 0; k < Rows; ++k) {
#pragma unroll
        for (int c = 0; c < Width; ++c) {
          const Cursor at{first.line + k * stride, first.column, c, Width};
          f(next[k][c], near(at, k, c), at);
        }
      }
    };
    const auto load = [&](auto mayBeAtEnd) {
      forAll([&](P& one, const Neighborhood<P>& around, Cursor at) {
        one = LoadPolicy<Rule>::template load<mayBeAtEnd>(call.in, at, around);
      });
    };
    if (!separatesEndWarps<P, Rule>() || mayBeEndWarp<Width>(call.gpu, D - 1, place)) {
      load(std::true_type{});
    } else {
      load(std::false_type{});
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      LoadPolicy<Rule>::template completeTogether<Width>(next[k], [&](int c) {
        return near(Cursor{first.line + k * stride, first.column, c, Width}, k, c);
      });
    }
    forAll([&](P& one, const Neighborhood<P>& around, Cursor) {
      if (LoadPolicy<Rule>::completeEach(one, around)) apply<Rule>(one, around, call.arguments);
    });
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      forEachCopy(call, row + k, [&](void* const* out, Copy copy) {
        storeRow<P, W>(out, first.moved(k * stride, 0), pitch, next[k], copy);
      });
    }
    if constexpr (Rows == 1 && Width <= 2) {
      storePadding<P, W>(call, place, first, next[0]);
    } else {
      copyToPadding<D>(call, place);
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < place.rows * place.width; ++i) {
      const int k = i / place.width, c = i % place.width;
      const Cursor at = first.moved(k * stride, c);
      const Neighborhood<P> around = near(at, k, c);
      P next = LoadPolicy<Rule>::load(call.in, at, around);
      if (complete<Rule>(next, around)) apply<Rule>(next, around, call.arguments);
      forEachCopy(call, row + k,
                  [&](void* const* out, Copy copy) { storePlace<P, W>(out, at, next, copy); });
    }
    copyToPadding<D>(call, place);
  }
}

/// Runs `work` for this block with the synchronisation of its rows.
/// @param rows, width places of a thread
template <int D, class Work>
__device__ inline void withPeerSync(const GpuLaunch& gpu, int rows, int width, Work&& work) {
  const std::int64_t begin = gpu.rowBegin + firstRowOfBlock<D>(rows);
  const int groups = static_cast<int>(blockDim.y);
  const std::int64_t end =
      begin + (D == 1 ? std::int64_t{blockDim.x} : rowsOfBlock<D>({rows, width, 0, groups}));
  withPeerSync(gpu, begin, end, work);
}

/// Kernel of a changing rule for `Rows` x `Width` places per thread.
template <class Tag, class Arguments, class W, int Rows, int Width>
struct ChangeBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    constexpr int D = P::dimensions;
    const GpuLaunch& gpu = call.gpu;
    const auto change = [&](const GpuPlace& place) {
      changePlaces<P, rule, W, Rows, Width>(call, place);
      if constexpr (AttributeSlots<P>::components > 0) storeFurtherGhosts<D>(call, place);
    };
    withPeerSync<D>(gpu, Rows, Width, [&] {
      if constexpr (D == 3 && Traits<rule>::streams && Rows == 1 && Width > 1 &&
                    maxInterleave<P>() > 1) {
        const LinePrefetch<Call, Width> prefetcher(call);
        forEachPlace<D>(gpu, Rows, Width, [&](const GpuPlace& place) {
          prefetcher.fetch(gpu, place);
          change(place);
        });
      } else {
        forEachPlace<D>(gpu, Rows, Width, change);
      }
    });
  }
};

/// Returns the minimum number of resident blocks for rules with `width` columns per thread: enough
/// threads to hide the latency of memory.
template <class P>
constexpr int residentBlocksFor(int width) {
  if (width > 2) return 1;
  return static_cast<std::size_t>(width) * stateBytes<P>() <= 128 ? 4 : 2;
}
template <class Tag, class Arguments, class W, int Width>
inline constexpr int residentBlocks<ChangeBody<Tag, Arguments, W, 1, Width>> =
    residentBlocksFor<typename Tag::Place>(Width);

}  // namespace mass::detail

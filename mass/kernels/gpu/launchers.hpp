#pragma once

// Host functions that launch rules on a GPU. Included where nvcc compiles a model.

#include <mass/kernels/gpu/agent_kernels.hpp>
#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/gpu/reduce_kernels.hpp>
#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/march/launchers.hpp>
#include <mass/kernels/plane_sweep/launchers.hpp>
#include <mass/rules/reduction.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {

/// Makes the parameters of a kernel. `in` and `out` point at the launch's first row, so that 32-bit
/// indices reach all its places.
template <class P, class W, class Arguments>
GpuCall<P, Arguments> gpuCallWith(const GpuLaunch& gpu, const Arguments& arguments) {
  GpuCall<P, Arguments> call{gpu, {}, {}, {}, {}, {}, arguments};
  const std::int64_t skipped = gpu.rowBegin * gpu.launch.layout.rowStride;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    constexpr auto size = static_cast<std::int64_t>(sizeof(typename S::Stored)) * S::interleave;
    const std::int64_t bytes = skipped * size;
    for (std::size_t k = 0; k < S::count; ++k) {
      call.in[S::first + k] = static_cast<const char*>(gpu.launch.in[S::first + k]) + bytes;
      call.out[S::first + k] = static_cast<char*>(gpu.launch.out[S::first + k]) + bytes;
      for (int i = 0; i < std::min(gpu.haloStoreCount, inlineHaloStores); ++i) {
        const HaloStore& store = gpu.inlineStores[i];
        call.haloOut[i][S::first + k] =
            static_cast<char*>(store.out[S::first + k]) + bytes + store.shift * size;
      }
      call.writtenSize[S::first + k] = isWritten<S, W> ? sizeof(typename S::Stored) : 0;
      call.interleave[S::first + k] = S::interleave;
    }
  });
  return call;
}
template <class P, auto Rule, class W>
GpuCallOf<P, Rule> gpuCall(const GpuLaunch& gpu) {
  return gpuCallWith<P, W>(gpu, argumentsOf<Rule>(gpu.launch));
}

/// Returns the threads of a block. In 1-D all lie along the places: a second group would update the
/// same places again.
template <int D>
dim3 blockFor(const LaunchShape& shape) {
  return dim3(static_cast<unsigned>(shape.columns),
              D == 1 ? 1U : static_cast<unsigned>(shape.groups));
}

/// Launcher of a changing rule for `Rows` x `Width` places per thread; without a kernel if there is
/// none for that shape. (No generic lambdas here: nvcc 13.0 loses kernels that only they name.)
template <class P, auto Rule, class W, int Rows, int Width>
struct ChangeLauncher {
  static int launch(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
    if constexpr (hasGpuShape<P>(Rows, Width)) {
      using Body = ChangeBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Rows, Width>;
      forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
        queue<Body>(gridFor<P::dimensions>(piece, shape), blockFor<P::dimensions>(shape), stream,
                    piece.overlaps, gpuCall<P, Rule, W>(piece));
      });
      return cudaGetLastError();
    } else {
      return cudaErrorInvalidValue;
    }
  }
  static const void* function() {
    if constexpr (hasGpuShape<P>(Rows, Width)) {
      using Body = ChangeBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Rows, Width>;
      return reinterpret_cast<const void*>(&onGpu<Body>);
    } else {
      return nullptr;
    }
  }
};

template <class P, auto Rule, class W, int Width>
int launchRows(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  switch (shape.rows) {
    case 1:
      return ChangeLauncher<P, Rule, W, 1, Width>::launch(gpu, shape, stream);
    case 2:
      return ChangeLauncher<P, Rule, W, 2, Width>::launch(gpu, shape, stream);
    case 4:
      return ChangeLauncher<P, Rule, W, 4, Width>::launch(gpu, shape, stream);
    case 8:
      return ChangeLauncher<P, Rule, W, 8, Width>::launch(gpu, shape, stream);
    case 16:
      return ChangeLauncher<P, Rule, W, 16, Width>::launch(gpu, shape, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

template <class P, auto Rule, class W, int Width>
const void* functionOfRows(int rows) {
  switch (rows) {
    case 1:
      return ChangeLauncher<P, Rule, W, 1, Width>::function();
    case 2:
      return ChangeLauncher<P, Rule, W, 2, Width>::function();
    case 4:
      return ChangeLauncher<P, Rule, W, 4, Width>::function();
    case 8:
      return ChangeLauncher<P, Rule, W, 8, Width>::function();
    case 16:
      return ChangeLauncher<P, Rule, W, 16, Width>::function();
    default:
      return nullptr;
  }
}

template <class P, auto Rule, class W>
int launchChange(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  constexpr int wide = wideColumns<P>();
  if (shape.sweepsPlanes) return launchPlaneSweep<P, Rule, W>(gpu, shape, stream);
  if (shape.width == 1) return launchRows<P, Rule, W, 1>(gpu, shape, stream);
  return shape.width == wide ? launchRows<P, Rule, W, wide>(gpu, shape, stream)
                             : cudaErrorInvalidValue;
}
template <class P, auto Rule, class W>
const void* functionOfShape(int rows, int width) {
  constexpr int wide = wideColumns<P>();
  if (width == 1) return functionOfRows<P, Rule, W, 1>(rows);
  return width == wide ? functionOfRows<P, Rule, W, wide>(rows) : nullptr;
}

template <class P, auto Rule, class W>
const GpuKernel* changeGpuKernel() {
  static const GpuKernel kernel{&launchChange<P, Rule, W>,
                                &countBorderBlocks<P::dimensions>,
                                &functionOfShape<P, Rule, W>,
                                __PRETTY_FUNCTION__,
                                &planeSweepFunction<P, Rule, W>,
                                nullptr,
                                nullptr,
                                nullptr,
                                marchOf<P, Rule, W>(),
                                {marchTurns<P, 1>[0], marchTurns<P, 1>[1]}};
  return &kernel;
}

/// Shape of reading kernels: a block covers consecutive places of a line.
inline constexpr LaunchShape readingShape{1, 1, gpuBlock, 1};

template <class P, auto Rule>
const GpuKernel* mapGpuKernel() {
  static const GpuKernel kernel{
      [](const GpuLaunch& gpu, const LaunchShape&, void* stream) -> int {
        constexpr int D = P::dimensions;
        using T = Packed<std::remove_cvref_t<typename Traits<Rule>::Result>>;
        const std::int64_t row = gpu.launch.layout.lines * gpu.launch.layout.columns;
        forEachPiece<D>(gpu, readingShape, [&](const GpuLaunch& piece) {
          auto call = gpuCall<P, Rule, WritesAll>(piece);
          call.gpu.launch.results =
              static_cast<T*>(gpu.launch.results) + (piece.rowBegin - gpu.rowBegin) * row;
          queue<MapBody<TagOf<P, Rule>, ArgumentsOf<Rule>>>(
              gridFor<D>(piece, readingShape), dim3(readingShape.columns), stream, false, call);
        });
        return cudaGetLastError();
      },
      nullptr,
      [](int, int) {
        return reinterpret_cast<const void*>(&onGpu<MapBody<TagOf<P, Rule>, ArgumentsOf<Rule>>>);
      },
      __PRETTY_FUNCTION__};
  return &kernel;
}

template <class P, auto Rule, class Op>
const GpuKernel* reduceGpuKernel() {
  static const GpuKernel kernel{
      [](const GpuLaunch& gpu, const LaunchShape&, void* stream) -> int {
        using R = typename Op::template Result<std::remove_cvref_t<typename Traits<Rule>::Result>>;
        const std::int64_t lines = gpu.launch.layout.lines;
        forEachPiece<P::dimensions>(gpu, readingShape, [&](const GpuLaunch& piece) {
          auto call = gpuCall<P, Rule, WritesAll>(piece);
          call.gpu.launch.results =
              static_cast<R*>(gpu.launch.results) + (piece.rowBegin - gpu.rowBegin) * lines;
          if (gpu.launch.lanes != nullptr)
            call.gpu.launch.lanes =
                static_cast<R*>(gpu.launch.lanes) + (piece.rowBegin - gpu.rowBegin) * lines * lanes;
          const auto blocks = static_cast<unsigned>(
              blocksFor((piece.rowEnd - piece.rowBegin) * lines * lanes, gpuBlock));
          queue<ReduceBody<TagOf<P, Rule>, ArgumentsOf<Rule>, Op>>(dim3(blocks), dim3(gpuBlock),
                                                                   stream, false, call);
        });
        return cudaGetLastError();
      },
      nullptr,
      [](int, int) {
        return reinterpret_cast<const void*>(
            &onGpu<ReduceBody<TagOf<P, Rule>, ArgumentsOf<Rule>, Op>>);
      },
      __PRETTY_FUNCTION__};
  return &kernel;
}

}  // namespace mass::detail

#pragma once

// How the host launches rules on a GPU. Included where nvcc compiles a model.

#include <mass/kernels/gpu/agent_kernels.hpp>
#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/gpu/reduce_kernels.hpp>
#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/plane_sweep/kernel.hpp>
#include <mass/rules/reduction.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {

/// Copies what the host knows of a launch into kernel parameters; `in` and `out` point at the
/// launch's first row, so that 32-bit numbers reach all its places.
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
      for (int i = 0; i < std::min(gpu.ghostCount, inlineHaloStores); ++i) {
        const HaloStore& ghost = gpu.inlineStores[i];
        call.ghostOut[i][S::first + k] =
            static_cast<char*>(ghost.out[S::first + k]) + bytes + ghost.shift * size;
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

/// The threads of a block. In 1-D all of them lie along the places: a second group would take the
/// same places once more.
template <int D>
dim3 blockFor(const LaunchShape& shape) {
  return dim3(static_cast<unsigned>(shape.columns),
              D == 1 ? 1U : static_cast<unsigned>(shape.groups));
}

/// A changing rule for one tile: how it is launched, and the function that runs; nothing where
/// there is no kernel for the tile. (No generic lambdas here: nvcc 13.0 loses kernels that only
/// they name.)
template <class P, auto Rule, class W, int Rows, int Width>
struct TileKernel {
  static int launch(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
    if constexpr (hasGpuTile<P>(Rows, Width)) {
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
    if constexpr (hasGpuTile<P>(Rows, Width)) {
      using Body = ChangeBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Rows, Width>;
      return reinterpret_cast<const void*>(&onGpu<Body>);
    } else {
      return nullptr;
    }
  }
};

/// The same for blocks that march.
template <class P, auto Rule, class W, int Columns, int Groups>
struct MarchKernel {
  static int launch(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
    if constexpr (!canMarch<P, Rule, Columns, Groups>()) {
      return cudaErrorInvalidValue;
    } else {
      const PlaneSweepFunction planeSweep = function();
      const cudaError_t status =
          cudaFuncSetAttribute(planeSweep.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(planeSweep.sharedBytes));
      if (status != cudaSuccess) return status;
      forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
        auto call = gpuCall<P, Rule, W>(piece);
        call.gpu.rowsPerSweep = shape.rows;
        queue<MarchBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Columns, Groups>>(
            gridFor<P::dimensions>(piece, shape), blockFor<P::dimensions>(shape), stream,
            piece.overlaps, call, planeSweep.sharedBytes);
      });
      return cudaGetLastError();
    }
  }
  static PlaneSweepFunction function() {
    if constexpr (canMarch<P, Rule, Columns, Groups>()) {
      using Body = MarchBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Columns, Groups>;
      using Memory = PlaneCache<P, Columns, Groups>;
      return {reinterpret_cast<const void*>(&onGpu<Body>), Memory::bytes, Memory::unit};
    } else {
      return {};
    }
  }
};
/// Of the blocks in marchShapes.
template <class P, auto Rule, class W>
int launchMarch(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  if (shape.groups != 8) return cudaErrorInvalidValue;
  if (shape.columns == 64) return MarchKernel<P, Rule, W, 64, 8>::launch(gpu, shape, stream);
  if (shape.columns == 128) return MarchKernel<P, Rule, W, 128, 8>::launch(gpu, shape, stream);
  return cudaErrorInvalidValue;
}
template <class P, auto Rule, class W>
PlaneSweepFunction marchFunction(int columns, int groups) {
  if (groups == 8 && columns == 64) return MarchKernel<P, Rule, W, 64, 8>::function();
  if (groups == 8 && columns == 128) return MarchKernel<P, Rule, W, 128, 8>::function();
  return {};
}

template <class P, auto Rule, class W, int Width>
int launchRows(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  switch (shape.rows) {
    case 1:
      return TileKernel<P, Rule, W, 1, Width>::launch(gpu, shape, stream);
    case 2:
      return TileKernel<P, Rule, W, 2, Width>::launch(gpu, shape, stream);
    case 4:
      return TileKernel<P, Rule, W, 4, Width>::launch(gpu, shape, stream);
    case 8:
      return TileKernel<P, Rule, W, 8, Width>::launch(gpu, shape, stream);
    case 16:
      return TileKernel<P, Rule, W, 16, Width>::launch(gpu, shape, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

template <class P, auto Rule, class W, int Width>
const void* functionOfRows(int rows) {
  switch (rows) {
    case 1:
      return TileKernel<P, Rule, W, 1, Width>::function();
    case 2:
      return TileKernel<P, Rule, W, 2, Width>::function();
    case 4:
      return TileKernel<P, Rule, W, 4, Width>::function();
    case 8:
      return TileKernel<P, Rule, W, 8, Width>::function();
    case 16:
      return TileKernel<P, Rule, W, 16, Width>::function();
    default:
      return nullptr;
  }
}

template <class P, auto Rule, class W>
int launchChange(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  constexpr int wide = wideColumns<P>();
  if (shape.sweepsPlanes) return launchMarch<P, Rule, W>(gpu, shape, stream);
  if (shape.width == 1) return launchRows<P, Rule, W, 1>(gpu, shape, stream);
  return shape.width == wide ? launchRows<P, Rule, W, wide>(gpu, shape, stream)
                             : cudaErrorInvalidValue;
}
template <class P, auto Rule, class W>
const void* functionOfTile(int rows, int width) {
  constexpr int wide = wideColumns<P>();
  if (width == 1) return functionOfRows<P, Rule, W, 1>(rows);
  return width == wide ? functionOfRows<P, Rule, W, wide>(rows) : nullptr;
}

template <class P, auto Rule, class W>
const GpuKernel* changeGpuKernel() {
  static const GpuKernel kernel{&launchChange<P, Rule, W>, &countBorderBlocks<P::dimensions>,
                                &functionOfTile<P, Rule, W>, __PRETTY_FUNCTION__,
                                &marchFunction<P, Rule, W>};
  return &kernel;
}

/// The shape of reading kernels: whole lines side by side.
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

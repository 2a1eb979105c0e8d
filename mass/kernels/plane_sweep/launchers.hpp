#pragma once

// Host functions that launch plane sweeps. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/plane_sweep/count_sweep.hpp>
#include <mass/kernels/plane_sweep/kernel.hpp>
#include <mass/kernels/plane_sweep/star_sweep.hpp>

#include <cstdint>

namespace mass::detail {

/// Kernel (`Body`) and shared memory of a plane sweep by blocks of `Columns` x `Groups` threads of
/// `Width` columns. `exists`: the rule has one.
template <class P, auto Rule, class W, int Width, int Columns, int Groups>
struct PlaneSweepKernel {
  static_assert(Width == packWidth && Columns == starColumns);
  static constexpr bool exists = hasStarSweep<P, Rule, Groups>();
  using Body = StarSweepBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Groups>;
  using Memory = StarTiles<P, Groups>;
};
template <class P, auto Rule, class W, int Columns, int Groups>
struct PlaneSweepKernel<P, Rule, W, 1, Columns, Groups> {
  static constexpr bool exists = hasPlaneSweep<P, Rule, Columns, Groups>();
  using Body = PlaneSweepBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Columns, Groups>;
  using Memory = PlaneCache<P, Columns, Groups>;
};
template <class P, auto Rule, class W, int Columns, int Groups>
requires(hasCountSweep<P, Rule>()) struct PlaneSweepKernel<P, Rule, W, packWidth, Columns, Groups> {
  static_assert(Columns == starColumns);
  static constexpr bool exists = true;
  using Body = CountSweepBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Groups>;
  /// Uses no shared memory; a thread loads whole words.
  struct Memory {
    static constexpr std::int64_t bytes = 0;
    static constexpr int unit = packWidth;
  };
};

/// Launcher of a PlaneSweepKernel.
template <class P, auto Rule, class W, int Width, int Columns, int Groups>
struct PlaneSweepLauncher {
  using Kernel = PlaneSweepKernel<P, Rule, W, Width, Columns, Groups>;

  static int launch(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
    if constexpr (!Kernel::exists) {
      return cudaErrorInvalidValue;
    } else {
      const PlaneSweepFunction planeSweep = function();
      const cudaError_t status =
          cudaFuncSetAttribute(planeSweep.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(planeSweep.sharedBytes));
      if (status != cudaSuccess) return status;
      forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
        auto call = gpuCallWith<P, W>(piece, argumentsOf<Rule>(piece.launch));
        call.gpu.rowsPerSweep = shape.rows;
        queue<typename Kernel::Body>(gridFor<P::dimensions>(piece, shape), dim3(Columns, Groups),
                                     stream, piece.overlaps, call, planeSweep.sharedBytes);
      });
      return cudaGetLastError();
    }
  }
  static PlaneSweepFunction function() {
    if constexpr (Kernel::exists) {
      using Memory = typename Kernel::Memory;
      return {reinterpret_cast<const void*>(&onGpu<typename Kernel::Body>), Memory::bytes,
              Memory::unit};
    } else {
      return {};
    }
  }
};

/// Launches a plane sweep of one of the planeSweepShapes.
template <class P, auto Rule, class W>
int launchPlaneSweep(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  using Shape = PlaneSweepShape;
  const Shape block = planeSweepOf(shape);
  if (block == Shape{1, 64, 8})
    return PlaneSweepLauncher<P, Rule, W, 1, 64, 8>::launch(gpu, shape, stream);
  if (block == Shape{1, 128, 8})
    return PlaneSweepLauncher<P, Rule, W, 1, 128, 8>::launch(gpu, shape, stream);
  if (block == Shape{4, 32, 12})
    return PlaneSweepLauncher<P, Rule, W, 4, 32, 12>::launch(gpu, shape, stream);
  if (block == Shape{4, 32, 16})
    return PlaneSweepLauncher<P, Rule, W, 4, 32, 16>::launch(gpu, shape, stream);
  if (block == Shape{4, 32, 20})
    return PlaneSweepLauncher<P, Rule, W, 4, 32, 20>::launch(gpu, shape, stream);
  return cudaErrorInvalidValue;
}
/// Returns the function of a plane sweep; none if the rule has none of this shape.
template <class P, auto Rule, class W>
PlaneSweepFunction planeSweepFunction(const PlaneSweepShape& block) {
  using Shape = PlaneSweepShape;
  if (block == Shape{1, 64, 8}) return PlaneSweepLauncher<P, Rule, W, 1, 64, 8>::function();
  if (block == Shape{1, 128, 8}) return PlaneSweepLauncher<P, Rule, W, 1, 128, 8>::function();
  if (block == Shape{4, 32, 12}) return PlaneSweepLauncher<P, Rule, W, 4, 32, 12>::function();
  if (block == Shape{4, 32, 16}) return PlaneSweepLauncher<P, Rule, W, 4, 32, 16>::function();
  if (block == Shape{4, 32, 20}) return PlaneSweepLauncher<P, Rule, W, 4, 32, 20>::function();
  return {};
}

}  // namespace mass::detail

#pragma once

// Host functions that launch marches. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/march/kernel.hpp>
#include <mass/kernels/march/volume_kernel.hpp>
#include <mass/launch/march_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// Sets `slots` to the number of blocks of a kernel that the current GPU runs at a time.
/// @param threads threads of a block @param sharedBytes its dynamic shared memory
template <class Body>
cudaError_t countMarchSlots(int threads, int sharedBytes, std::int64_t& slots) {
  int device = 0, processors = 0, blocks = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, onGpu<Body>, threads,
                                                           static_cast<std::size_t>(sharedBytes));
  slots = std::max(1, blocks) * std::int64_t{processors};
  return status;
}

/// Rules of a step of a march, for its launch. @tparam Rules TurnRule of each
template <class P, class... Rules>
struct MarchRules {
  using Turn = MarchTurn<MarchRule<TagOf<P, Rules::rule>, typename Rules::Written>...>;
  using Arguments = std::tuple<ArgumentsOf<Rules::rule>...>;

  /// Returns the parameters of a kernel.
  static GpuCall<P, Arguments> call(const GpuLaunch& gpu) {
    return gpuCallWith<P, typename Turn::Written>(
        gpu, argumentsOfAll(gpu.launch, std::index_sequence_for<Rules...>()));
  }

 private:
  /// Returns the arguments of the rules: of a single one, or of those of a turn, whose arguments
  /// Launch::arguments holds as a tuple of tuples.
  template <std::size_t... K>
  static Arguments argumentsOfAll(const Launch& launch, std::index_sequence<K...>) {
    if constexpr (sizeof...(Rules) == 1) {
      return {argumentsOf<Rules::rule>(launch)...};
    } else {
      using OnHost = std::tuple<typename Traits<Rules::rule>::Arguments...>;
      const auto of = [&](const void* arguments) {
        Launch one = launch;
        one.arguments = arguments;
        return one;
      };
      const auto& all = *static_cast<const OnHost*>(launch.arguments);
      return {argumentsOf<Rules::rule>(of(&std::get<K>(all)))...};
    }
  }
};

/// Launcher of a march of `Steps` steps in a plane.
template <class P, int Steps, class... Rules>
struct PlaneMarchLauncher {
  using Marching = MarchRules<P, Rules...>;
  using Body = MarchBody<typename Marching::Turn, typename Marching::Arguments, Steps>;

  static int launch(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = Marching::call(gpu);
    const std::int64_t strips =
        blocksFor(layout.columns, std::int64_t{marchColumns(Steps)} * marchWarps);
    std::int64_t slots = 0;
    if (const cudaError_t status = countMarchSlots<Body>(32 * marchWarps, 0, slots);
        status != cudaSuccess)
      return status;
    const std::int64_t rows =
        rowsPerMarch(layout.rows, gpu.launch.domain.borders[0], strips, slots, Steps);
    call.gpu.rowsPerSweep = static_cast<int>(rows);
    call.gpu.stepFlags.borderBlocks = borderBlocksOfMarch(layout.rows, layout.depth, strips, rows);
    const dim3 grid(static_cast<unsigned>(strips),
                    static_cast<unsigned>(blocksFor(layout.rows, rows)));
    queue<Body>(grid, dim3(32, marchWarps), stream, gpu.overlaps, call);
    return cudaGetLastError();
  }
};

/// Launcher of a march of `Steps` steps in space.
template <class P, int Steps, class... Rules>
struct VolumeMarchLauncher {
  using Marching = MarchRules<P, Rules...>;
  using Body = VolumeMarchBody<typename Marching::Turn, typename Marching::Arguments, Steps>;
  using Tile = VolumeTile<P, Steps>;
  static constexpr int sharedBytes = SharedLines<P, Steps>::bytes;

  static int launch(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = Marching::call(gpu);
    const std::int64_t across = blocksFor(layout.columns, Tile::ownColumns);
    const std::int64_t beside = blocksFor(layout.lines, Tile::ownLines);
    cudaError_t status =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(&onGpu<Body>),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
    std::int64_t slots = 0;
    if (status == cudaSuccess) status = countMarchSlots<Body>(32 * Tile::warps, sharedBytes, slots);
    if (status != cudaSuccess) return status;
    const std::int64_t rows =
        rowsPerMarch(layout.rows, gpu.launch.domain.borders[0], across * beside, slots, Steps);
    call.gpu.rowsPerSweep = static_cast<int>(rows);
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(beside),
                    static_cast<unsigned>(blocksFor(layout.rows, rows)));
    queue<Body>(grid, dim3(32, Tile::warps), stream, gpu.overlaps, call, sharedBytes);
    return cudaGetLastError();
  }
};

/// Launcher of a march in the world of P.
template <class P, int Steps, class... Rules>
using MarchLauncher =
    std::conditional_t<P::dimensions == 3, VolumeMarchLauncher<P, Steps, Rules...>,
                       PlaneMarchLauncher<P, Steps, Rules...>>;

/// Queues a march.
template <class P, class... Rules>
int launchMarch(const GpuLaunch& gpu, int steps, void* stream) {
  constexpr int few = marchSteps<P>[0], many = marchSteps<P>[1];
  if (steps == few) return MarchLauncher<P, few, Rules...>::launch(gpu, stream);
  if (steps == many) return MarchLauncher<P, many, Rules...>::launch(gpu, stream);
  return cudaErrorInvalidValue;
}

/// Returns launchMarch; null if there is no march for the rule.
template <class P, auto Rule, class W>
constexpr auto marchOf() -> int (*)(const GpuLaunch&, int, void*) {
  if constexpr (marches<P, Rule>()) {
    return &launchMarch<P, TurnRule<Rule, W>>;
  } else {
    return nullptr;
  }
}

/// True if rules in turn may march: the first one may, and no other reads neighbours or agents.
template <class P, class First, class... Others>
constexpr bool marchesInTurn() {
  return marches<P, First::rule>() && sizeof...(Others) > 0 && (isPointwise<Others::rule>() && ...);
}

/// Returns the march of rules in turn, whose Launch::arguments are a tuple of the arguments of each
/// rule; null if there is none.
template <class P, class... Rules>
const GpuKernel* turnGpuKernel() {
  if constexpr (marchesInTurn<P, Rules...>()) {
    static const GpuKernel kernel{nullptr,
                                  nullptr,
                                  [](int, int) {
                                    using Body =
                                        typename MarchLauncher<P, marchSteps<P>[0], Rules...>::Body;
                                    return reinterpret_cast<const void*>(&onGpu<Body>);
                                  },
                                  __PRETTY_FUNCTION__,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  &launchMarch<P, Rules...>,
                                  {marchSteps<P>[0], marchSteps<P>[1]},
                                  static_cast<int>(sizeof...(Rules))};
    return &kernel;
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail

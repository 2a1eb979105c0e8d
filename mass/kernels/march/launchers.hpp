#pragma once

// Host functions that launch marches. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/march/kernel.hpp>
#include <mass/launch/march_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace mass::detail {

/// Launcher of a march of `Steps` steps. @tparam Rules TurnRule of each rule of a step
template <class P, int Steps, class... Rules>
struct MarchLauncher {
  using Turn = MarchTurn<MarchRule<TagOf<P, Rules::rule>, typename Rules::Written>...>;
  using Arguments = std::tuple<ArgumentsOf<Rules::rule>...>;
  using Body = MarchBody<Turn, Arguments, Steps>;

  static int launch(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = gpuCallWith<P, typename Turn::Written>(
        gpu, argumentsOfAll(gpu.launch, std::index_sequence_for<Rules...>()));
    const std::int64_t strips =
        blocksFor(layout.columns, std::int64_t{marchColumns(Steps)} * marchWarps);
    std::int64_t slots = 0;
    if (const cudaError_t status = countSlots(slots); status != cudaSuccess) return status;
    const std::int64_t rows =
        rowsPerMarch(layout.rows, gpu.launch.domain.borders[0], strips, slots, Steps);
    call.gpu.rowsPerSweep = static_cast<int>(rows);
    call.gpu.stepFlags.borderBlocks = borderBlocksOfMarch(layout.rows, layout.depth, strips, rows);
    const dim3 grid(static_cast<unsigned>(strips),
                    static_cast<unsigned>(blocksFor(layout.rows, rows)));
    queue<Body>(grid, dim3(32, marchWarps), stream, gpu.overlaps, call);
    return cudaGetLastError();
  }
  static const void* function() { return reinterpret_cast<const void*>(&onGpu<Body>); }

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
  /// Sets `slots` to the number of blocks that the current GPU runs at a time.
  static cudaError_t countSlots(std::int64_t& slots) {
    int device = 0, processors = 0, blocks = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
      status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
      status =
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, onGpu<Body>, 32 * marchWarps, 0);
    slots = std::max(1, blocks) * std::int64_t{processors};
    return status;
  }
};

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
    static const GpuKernel kernel{
        nullptr,
        nullptr,
        [](int, int) { return MarchLauncher<P, marchSteps<P>[0], Rules...>::function(); },
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

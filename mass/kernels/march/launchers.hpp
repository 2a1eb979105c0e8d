#pragma once

// Host functions that launch marches. Included where nvcc compiles a model.

#include <mass/kernels/gpu/grid.hpp>
#include <mass/kernels/march/kernel.hpp>
#include <mass/kernels/march/tile_kernel.hpp>
#include <mass/kernels/march/volume_kernel.hpp>
#include <mass/launch/march_plan.hpp>

#include <algorithm>
#include <array>
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

/// Rules of a march, for its launch. @tparam Rules TurnRule of each
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

/// Launcher of a march of `Turns` turns in a plane; of a single rule, a turn is a step.
template <class P, int Turns, class... Rules>
struct PlaneMarchLauncher {
  using Marching = MarchRules<P, Rules...>;
  static constexpr int stages = Turns * Marching::Turn::stages;
  using Body = MarchBody<typename Marching::Turn, typename Marching::Arguments, stages>;

  static int launch(const GpuLaunch& gpu, void* stream) {
    // Threads with one pack have less latency, with four packs fewer instructions.
    bool isTaken = false;
    int status = 0;
    if constexpr (stateBytes<P>() <= 4) status = launchTiles<1>(gpu, 1, stream, isTaken);
    if (!isTaken) status = launchTiles<4>(gpu, 2, stream, isTaken);
    return isTaken ? status : march(gpu, stream);
  }

 private:
  /// Launches tiles with `Packs` packs a thread, if the GPU runs all of them in `most` times as
  /// many blocks as it holds at a time.
  template <int Packs>
  static int launchTiles(const GpuLaunch& gpu, int most, void* stream, bool& isTaken) {
    using Tile = PlaneTile<stages, Packs>;
    using Tiles = TileBody<typename Marching::Turn, typename Marching::Arguments, stages, Packs>;
    const Layout& layout = gpu.launch.layout;
    const std::int64_t across = blocksFor(layout.columns, Tile::ownColumns);
    const std::int64_t down = blocksFor(layout.rows, Tile::ownRows);
    constexpr int sharedBytes = Tiles::Shared::bytes;
    cudaError_t status =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(&onGpu<Tiles>),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
    std::int64_t slots = 0;
    if (status == cudaSuccess) status = countMarchSlots<Tiles>(Tile::threads, sharedBytes, slots);
    isTaken = status != cudaSuccess || across * down <= most * slots;
    if (status != cudaSuccess || !isTaken) return status;
    auto call = Marching::call(gpu);
    call.gpu.stepFlags.borderBlocks =
        borderBlocksOfMarch(layout.rows, layout.depth, across, Tile::ownRows);
    queue<Tiles>(dim3(static_cast<unsigned>(across), static_cast<unsigned>(down)),
                 dim3(Tile::threadsOfRow, Tile::rows / Packs), stream, gpu.overlaps, call,
                 sharedBytes);
    return cudaGetLastError();
  }
  static int march(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = Marching::call(gpu);
    const std::int64_t strips =
        blocksFor(layout.columns, std::int64_t{marchColumns(stages)} * marchWarps);
    std::int64_t slots = 0;
    if (const cudaError_t status = countMarchSlots<Body>(32 * marchWarps, 0, slots);
        status != cudaSuccess)
      return status;
    const std::int64_t rows =
        rowsPerMarch(layout.rows, gpu.launch.domain.borders[0], strips, slots, stages);
    call.gpu.rowsPerSweep = static_cast<int>(rows);
    call.gpu.stepFlags.borderBlocks = borderBlocksOfMarch(layout.rows, layout.depth, strips, rows);
    const dim3 grid(static_cast<unsigned>(strips),
                    static_cast<unsigned>(blocksFor(layout.rows, rows)));
    queue<Body>(grid, dim3(32, marchWarps), stream, gpu.overlaps, call);
    return cudaGetLastError();
  }
};

/// Launcher of a march of `Turns` turns in space.
template <class P, int Turns, class... Rules>
struct VolumeMarchLauncher {
  using Marching = MarchRules<P, Rules...>;
  static constexpr int stages = Turns * Marching::Turn::stages;
  /// @tparam isBand true if other GPUs have a part of the rows
  template <bool isBand>
  using BodyOf =
      VolumeMarchBody<typename Marching::Turn, typename Marching::Arguments, stages, isBand>;
  using Body = BodyOf<false>;
  using Tile = VolumeTile<P, stages>;
  static constexpr int sharedBytes = SharedLines<P, stages>::bytes;

  static int launch(const GpuLaunch& gpu, void* stream) {
    return gpu.launch.layout.rows == gpu.launch.domain.shape[0]
               ? launchAs<BodyOf<false>>(gpu, stream)
               : launchAs<BodyOf<true>>(gpu, stream);
  }

 private:
  template <class Each>
  static int launchAs(const GpuLaunch& gpu, void* stream) {
    const Layout& layout = gpu.launch.layout;
    auto call = Marching::call(gpu);
    const std::int64_t across = blocksFor(layout.columns, Tile::ownColumns);
    const std::int64_t beside = blocksFor(layout.lines, Tile::ownLines);
    cudaError_t status =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(&onGpu<Each>),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
    std::int64_t slots = 0;
    if (status == cudaSuccess) status = countMarchSlots<Each>(32 * Tile::warps, sharedBytes, slots);
    if (status != cudaSuccess) return status;
    const std::int64_t rows =
        rowsPerMarch(layout.rows, gpu.launch.domain.borders[0], across * beside, slots, stages);
    call.gpu.rowsPerSweep = static_cast<int>(rows);
    const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(beside),
                    static_cast<unsigned>(blocksFor(layout.rows, rows)));
    queue<Each>(grid, dim3(32, Tile::warps), stream, gpu.overlaps, call, sharedBytes);
    return cudaGetLastError();
  }
};

/// Launcher of a march in the world of P.
template <class P, int Turns, class... Rules>
using MarchLauncher =
    std::conditional_t<P::dimensions == 3, VolumeMarchLauncher<P, Turns, Rules...>,
                       PlaneMarchLauncher<P, Turns, Rules...>>;

/// Stages of a march for each step of a single rule in one of marchSteps. In a plane, turns of
/// several stages make twice as many: most of their rules read and write a part of a place, so that
/// the other parts take no registers.
template <class P, int StagesOfTurn>
inline constexpr int stagesForStep = StagesOfTurn > 1 && P::dimensions == 2 ? 2 : 1;
/// Largest number of stages of a march.
template <class P, int StagesOfTurn>
inline constexpr int mostStages = marchSteps<P>[1] * stagesForStep<P, StagesOfTurn>;
/// Numbers of turns of the compiled marches, ascending.
template <class P, int StagesOfTurn>
inline constexpr std::array<int, 2> marchTurns = [] {
  const int stages = stagesForStep<P, StagesOfTurn> * marchSteps<P>[0];
  const int few = std::max(2, stages / StagesOfTurn);
  return std::array<int, 2>{few, std::max(few, mostStages<P, StagesOfTurn> / StagesOfTurn)};
}();

/// Stages of a turn of rules. @tparam Rules TurnRule of each
template <class P, class... Rules>
inline constexpr int stagesOf = MarchRules<P, Rules...>::Turn::stages;

/// Queues a march. @param turns one of marchTurns
template <class P, class... Rules>
int launchMarch(const GpuLaunch& gpu, int turns, void* stream) {
  constexpr auto few = marchTurns<P, stagesOf<P, Rules...>>[0],
                 many = marchTurns<P, stagesOf<P, Rules...>>[1];
  if (turns == few) return MarchLauncher<P, few, Rules...>::launch(gpu, stream);
  if (turns == many) return MarchLauncher<P, many, Rules...>::launch(gpu, stream);
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

/// True if rules in turn may march: the first one may, others are pointwise or read places only,
/// and a march has the stages of two turns.
template <class P, class First, class... Others>
constexpr bool marchesInTurn() {
  if constexpr (sizeof...(Others) > 0 && marches<P, First::rule>() &&
                ((isPointwise<Others::rule>() || readsPlacesOnly<Others::rule>()) && ...))
    return 2 * stagesOf<P, First, Others...> <= mostStages<P, stagesOf<P, First, Others...>>;
  else
    return false;
}

/// Returns the march of rules in turn, whose Launch::arguments are a tuple of the arguments of each
/// rule; null if there is none.
template <class P, class... Rules>
const GpuKernel* turnGpuKernel() {
  if constexpr (marchesInTurn<P, Rules...>()) {
    constexpr int stages = stagesOf<P, Rules...>;
    static const GpuKernel kernel{
        .function =
            [](int, int) {
              using Body = typename MarchLauncher<P, marchTurns<P, stages>[0], Rules...>::Body;
              return reinterpret_cast<const void*>(&onGpu<Body>);
            },
        .name = __PRETTY_FUNCTION__,
        .launchMarch = &launchMarch<P, Rules...>,
        .marchTurns = {marchTurns<P, stages>[0], marchTurns<P, stages>[1]},
        .rulesOfTurn = static_cast<int>(sizeof...(Rules)),
        .stagesOfTurn = stages};
    return &kernel;
  } else {
    return nullptr;
  }
}

}  // namespace mass::detail
